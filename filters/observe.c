/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/observe.h"

static struct reading read_whole(const struct sample *sample, const struct curve *curve,
                                 const struct reading *head)
{
    struct reading reading = *head;

    reading.limited = reading_limited(sample);
    reading.batched = false;
    reading.last_ns = (float)(curve->later_ns * (sample->sent - 1));
    reading.delay_ns += curve->lift_ns;
    reading.bytes = (uint32_t)(sample->sent - 1) * sample->packet_bytes & READING_BYTES;
    reading.gap_ns = (float)(curve->gap_ns * (sample->sent - 1));
    reading_bound(&reading, sample);
    reading.whole.behind_sent = (uint8_t)(sample->sent - 1);
    reading.whole.behind_came = (uint8_t)(sample->received - 1);
    return reading;
}

void observe(struct epoch *epoch, const struct sample *sample, const struct noise *noise,
             struct observation *observation)
{
    observation->paired = reading_of_head(epoch, sample, noise, &observation->head);
    observation->curved = curve_read(sample, noise, &observation->curve);
    if (observation->curved)
        observation->whole = read_whole(sample, &observation->curve, &observation->head);
}

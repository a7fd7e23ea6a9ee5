/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/readings.h"

#include <math.h>

/* A delay that jumps by more from one train to the next is a clock that was set:
 * ntpd slews up to 128 ms and steps beyond (RFC 5905). A queue that fills or
 * drains as fast is taken for one too, which costs old readings and no more. */
#define STEP_LEAST_NS 100e6

size_t readings_bytes(unsigned room)
{
    return sizeof(struct readings) + room * sizeof(struct reading);
}

void readings_init(struct readings *readings, unsigned room)
{
    *readings = (struct readings){.room = room};
}

static unsigned slot_of(const struct readings *readings, unsigned i)
{
    unsigned slot = readings->oldest + i;

    return slot < readings->room ? slot : slot - readings->room;
}

struct reading *readings_at(const struct readings *readings, unsigned i)
{
    return (struct reading *)&readings->ring[slot_of(readings, i)];
}

void readings_keep(struct readings *readings, unsigned keep)
{
    if (keep >= readings->count)
        return;
    readings->oldest = slot_of(readings, readings->count - keep);
    readings->count = keep;
}

void readings_push(struct readings *readings, const struct reading *reading)
{
    if (readings->count == readings->room)
        readings_keep(readings, readings->room - 1);
    *readings_at(readings, readings->count++) = *reading;
}

uint32_t readings_commonest(const struct readings *readings)
{
    uint32_t candidate = 0;
    unsigned votes = 0;

    for (unsigned i = 0; i < readings->count; i++) {
        uint32_t bytes = readings_at(readings, i)->bytes;

        if (votes == 0)
            candidate = bytes;
        votes = bytes == candidate ? votes + 1 : votes - 1;
    }
    return candidate;
}

void epoch_place(struct epoch *epoch, const struct sample *sample, struct reading *reading)
{
    bool sent = sample->sent_ns != SAMPLE_UNKNOWN_NS;

    if (!epoch->known)
        *epoch = (struct epoch){true, sample->time_ns, sample->sent_ns, 0, 0};
    reading->segment = epoch->segment;
    reading->at_s = (double)(sample->time_ns - epoch->time_ns) * 1e-9;
    reading->delay_ns = NAN;
    if (!sent || epoch->sent_ns == SAMPLE_UNKNOWN_NS)
        return;
    reading->at_s = (double)(sample->sent_ns - epoch->sent_ns) * 1e-9;
    reading->delay_ns = (double)((sample->time_ns - epoch->time_ns)
                                 - (sample->sent_ns - epoch->sent_ns));
    if (fabs(reading->delay_ns - epoch->delay_ns) > STEP_LEAST_NS)
        reading->segment = ++epoch->segment;
    epoch->delay_ns = reading->delay_ns;
}

bool reading_of_head(struct epoch *epoch, const struct sample *sample,
                     struct reading *reading)
{
    const struct sample_packet *packets = sample->packets;

    epoch_place(epoch, sample, reading);
    if (sample->received < 2 || packets[0].position != 0 || packets[1].position != 1
        || !packets[1].follows || packets[1].offset_ns <= packets[0].offset_ns)
        return false;
    reading->gap_ns = (double)(packets[1].offset_ns - packets[0].offset_ns);
    reading->bytes = packets[1].bytes;
    return true;
}

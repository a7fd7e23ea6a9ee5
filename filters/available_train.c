/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/available_train.h"

#include <math.h>

/* Two packets of a train, by their index among those that arrived. */
struct stretch {
    unsigned from, to;
};

/* A gap this much below the mean is no spacing: packets came in a batch ... */
#define TINY (1.0 / 4)

/* ... and where so many are, stamps tell when batches came, not packets. */
#define BATCHED (1.0 / 4)

/* The first packets of a train pass what was left by the queue before it, and the first stamp is
 * late at times: they are left out, an eighth of the train. (While the train comes at C or faster
 * the queue stays busy all the way, so any stretch of it is exact.) */
enum { HEAD_SHARE = 8 };

static double available_train_gap_ns(const struct sample *sample, unsigned i)
{
    return (double)(sample->packets[i].offset_ns - sample->packets[i - 1].offset_ns);
}

static double available_train_mean_gap_ns(const struct sample *sample)
{
    return (double)sample->packets[sample->received - 1].offset_ns / (sample->received - 1);
}

static bool available_train_in_order(const struct sample *sample)
{
    for (unsigned i = 1; i < sample->received; i++)
        if (sample->packets[i].position <= sample->packets[i - 1].position
            || sample->packets[i].offset_ns < sample->packets[i - 1].offset_ns)
            return false;
    return true;
}

static bool in_batches(const struct sample *sample)
{
    double tiny_ns = TINY * available_train_mean_gap_ns(sample);
    unsigned tiny = 0;

    for (unsigned i = 1; i < sample->received; i++)
        tiny += available_train_gap_ns(sample, i) < tiny_ns;
    return tiny > BATCHED * (sample->received - 1);
}

/* From the end of one batch to that of another: the time between holds the packets between. The
 * last one was cut short by the end of the train. */
static struct stretch between_batches(const struct sample *sample, struct stretch stretch)
{
    double tiny_ns = TINY * available_train_mean_gap_ns(sample);
    struct stretch ends = {0, 0};
    bool begun = false;

    for (unsigned i = stretch.from + 1; i <= stretch.to; i++) {
        if (available_train_gap_ns(sample, i) < tiny_ns)
            continue;
        if (!begun)
            ends.from = i - 1;
        begun = true;
        ends.to = i - 1;
    }
    return ends;
}

static struct stretch choose_stretch(const struct sample *sample)
{
    struct stretch stretch = {(sample->received - 1U) / HEAD_SHARE, sample->received - 1U};

    return in_batches(sample) ? between_batches(sample, stretch) : stretch;
}

static void read_pause(const struct sample *sample, struct stretch stretch, struct available_train *train)
{
    double greatest_ns = 0, least_ns = INFINITY;

    for (unsigned i = stretch.from + 1; i <= stretch.to; i++) {
        double gap_ns = available_train_gap_ns(sample, i);

        if (gap_ns > greatest_ns) {
            greatest_ns = gap_ns;
            least_ns = INFINITY;
        } else if (gap_ns < least_ns) {
            least_ns = gap_ns;
        }
    }
    train->greatest_ns = (float)greatest_ns;
    train->after_ns = in_batches(sample) ? INFINITY : (float)least_ns;
}

static void read_stretch(const struct sample *sample, struct stretch stretch, struct available_train *train)
{
    const struct sample_packet *from = &sample->packets[stretch.from];
    const struct sample_packet *to = &sample->packets[stretch.to];
    unsigned positions = (unsigned)(to->position - from->position);

    for (unsigned i = stretch.from + 1; i <= stretch.to; i++)
        train->bytes += sample->packets[i].bytes;
    train->lost_bytes = (positions - (stretch.to - stretch.from)) * sample->packet_bytes;
    train->out_ns = (float)(to->offset_ns - from->offset_ns);
    train->in_ns = (float)((double)sample->departure_span_ns * positions / (sample->sent - 1));
    read_pause(sample, stretch, train);
}

static bool readable(const struct sample *sample)
{
    return sample->received >= SAMPLE_LONG && sample->verdict != VERDICT_FOREIGN_SIZE
        && sample_departure_known(sample) && sample->departure_span_ns > 0
        && available_train_in_order(sample);
}

/* Of a packet, over that of the first. Packets leave evenly. */
static double above_ns(const struct sample *sample, unsigned i)
{
    const struct sample_packet *packet = &sample->packets[i];
    double each_ns = sample->sent > 1 ? (double)sample->departure_span_ns / (sample->sent - 1) : 0;

    return (double)packet->offset_ns - each_ns * (packet->position - sample->packets[0].position);
}

static double top_ns(const struct sample *sample)
{
    double top_ns = 0;

    for (unsigned i = 0; i < sample->received; i++)
        top_ns = fmax(top_ns, above_ns(sample, i));
    return top_ns;
}

/* The queue was as long as the packet before the loss saw it, or the one behind. */
static double shed_ns(const struct sample *sample)
{
    unsigned last = sample->received - 1U;
    double least_ns = INFINITY;

    if (sample->received == sample->sent)
        return INFINITY;
    if (!available_train_in_order(sample) || sample->packets[0].position != 0)
        return NAN;
    for (unsigned i = 1; i <= last; i++)
        if (sample->packets[i].position > sample->packets[i - 1].position + 1)
            least_ns = fmin(least_ns, fmax(above_ns(sample, i - 1), above_ns(sample, i)));
    if (sample->packets[last].position + 1 < sample->sent)
        least_ns = fmin(least_ns, above_ns(sample, last));
    return least_ns;
}

/* Packets before the first that was lost, in whatever order they came. */
static uint8_t head_of(const struct sample *sample)
{
    bool came[SAMPLE_PACKETS_MOST] = {false};
    unsigned head = 0;

    for (unsigned i = 0; i < sample->received; i++)
        came[sample->packets[i].position % SAMPLE_PACKETS_MOST] = true;
    while (head < UINT8_MAX && came[head])
        head++;
    return (uint8_t)head;
}

struct available_train available_train_read(struct epoch *epoch, const struct sample *sample)
{
    struct noise noise = noise_prior();
    struct available_train train = {.sent = sample->sent,
                                    .received = sample->received,
                                    .sent_bytes = sample->sent * sample->packet_bytes,
                                    .first_bytes = sample->packets[0].bytes,
                                    .span_ns = NAN,
                                    .shed_ns = NAN,
                                    .first_lost = sample->packets[0].position != 0,
                                    .head = sample->received < sample->sent ? head_of(sample) : 0};
    struct reading reading;

    reading_of_head(epoch, sample, &noise, &reading);
    train.at_s = reading.at_s;
    train.delay_ns = reading.delay_ns;
    train.segment = reading.segment;
    if (sample_departure_known(sample)) {
        train.span_ns = (float)sample->departure_span_ns;
        train.top_ns = (float)top_ns(sample);
        train.shed_ns = (float)shed_ns(sample);
    }
    if (train.first_lost)
        train.delay_ns = NAN;
    if (readable(sample)) {
        struct stretch stretch = choose_stretch(sample);
        if (stretch.to > stretch.from)
            read_stretch(sample, stretch, &train);
    }
    return train;
}

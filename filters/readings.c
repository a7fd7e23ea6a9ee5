/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/readings.h"

#include "filters/dispersion.h"

/* A delay a step from its floor belongs to a clock that was set. Below the floor that is certain at
 * once. Above it a standing queue looks the same: but a clock jumps from one train to
 * the next and then stays where it is, within a tenth of the jump, while a queue
 * climbs, or swings when it has filled at once. And when delays come back to the
 * floor they left, it was a queue after all. */
#define STEP_SWING 0.1
enum { STEP_LASTS = 6 };

/* A segment with so many readings stands for itself. */
enum { SEGMENT_ENOUGH = 15 };

size_t readings_bytes(unsigned room)
{
    return sizeof(struct readings) + room * sizeof(struct reading);
}

void readings_init(struct readings *readings, unsigned room, bool trains)
{
    *readings = (struct readings){.room = room, .trains = trains};
}

void readings_keep(struct readings *readings, unsigned keep)
{
    if (keep >= readings->count)
        return;
    readings->oldest = readings_slot(readings, readings->count - keep);
    readings->count = keep;
}

void readings_push(struct readings *readings, const struct reading *reading)
{
    if (readings->count == readings->room)
        readings_keep(readings, readings->room - 1);
    *readings_at(readings, readings->count++) = *reading;
}

void readings_copy(struct readings *to, const struct readings *from)
{
    EACH_READING(reading, from)
        readings_push(to, reading);
}

uint32_t readings_longest(const struct readings *readings, unsigned from)
{
    uint32_t longest = 0;

    EACH_READING_FROM(reading, readings, from)
        if (reading->bytes > longest)
            longest = reading->bytes;
    return longest;
}

uint32_t readings_commonest(const struct readings *readings, unsigned from)
{
    uint32_t above = readings->trains ? readings_short_bytes(readings, from) : 0;
    struct majority most = {0, 0};

    EACH_READING_FROM(reading, readings, from)
        if (reading->bytes > above)
            majority_add(&most, reading->bytes);
    return most.value;
}

bool readings_limited(const struct readings *readings, unsigned from, uint32_t least_bytes,
                      uint32_t most_bytes)
{
    int more = 0;

    EACH_READING_FROM(reading, readings, from)
        if (reading->bytes >= least_bytes && reading->bytes <= most_bytes)
            more += reading->limited ? 1 : -1;
    return more >= 0;
}

uint16_t readings_segment(const struct readings *readings, unsigned from)
{
    uint16_t newest = readings_at(readings, readings->count - 1)->segment;
    struct majority most = {newest, 0};
    unsigned in = 0;

    EACH_READING_FROM(reading, readings, from) {
        in += reading->segment == newest;
        majority_add(&most, reading->segment);
    }
    return in >= SEGMENT_ENOUGH ? newest : (uint16_t)most.value;
}

static void begin_segment(struct epoch *epoch, double step_ns, double delay_ns)
{
    struct segment back = epoch->before;
    bool returns = back.number != epoch->segment.number && fabs(delay_ns - back.floor_ns) < step_ns;
    uint16_t last = epoch->segment.number > back.number ? epoch->segment.number : back.number;

    epoch->before = epoch->segment;
    epoch->segment = returns ? back : (struct segment){(uint16_t)(last + 1), delay_ns};
}

static bool stays_high(struct epoch *epoch, double step_ns, double delay_ns)
{
    double above_ns = delay_ns - epoch->segment.floor_ns;
    bool jumps = delay_ns - epoch->last_ns > step_ns;

    if (above_ns <= step_ns || (epoch->high == 0 && !jumps)) {
        epoch->high = 0;
        return false;
    }
    epoch->high_least_ns = epoch->high ? fmin(epoch->high_least_ns, delay_ns) : delay_ns;
    epoch->high_most_ns = epoch->high ? fmax(epoch->high_most_ns, delay_ns) : delay_ns;
    return ++epoch->high >= STEP_LASTS && epoch->high_most_ns - epoch->high_least_ns <= STEP_SWING * above_ns;
}

static void follow_steps(struct epoch *epoch, double step_ns, double delay_ns)
{
    if (stays_high(epoch, step_ns, delay_ns) || delay_ns < epoch->segment.floor_ns - step_ns) {
        begin_segment(epoch, step_ns, delay_ns);
        epoch->high = 0;
    }
    epoch->last_ns = delay_ns;
    epoch->segment.floor_ns = fmin(epoch->segment.floor_ns, delay_ns);
}

/* Fills at_s, delay_ns and segment from the sample's times. */
static void readings_place(struct epoch *epoch, const struct sample *sample, const struct noise *noise,
                           struct reading *reading)
{
    bool sent = sample->sent_ns != SAMPLE_UNKNOWN_NS;
    int64_t since_ns, sent_since_ns;

    if (!epoch->known)
        *epoch = (struct epoch){.known = true, .time_ns = sample->time_ns, .sent_ns = sample->sent_ns};
    since_ns = sample_difference_ns(sample->time_ns, epoch->time_ns);
    reading->limited = reading_limited(sample);
    reading->batched = reading->at_once = reading->behind = false;
    reading->last_ns = NAN;
    reading->spread_8ns = READING_UNTOLD;
    reading->segment = 0;
    reading->at_s = (double)since_ns * 1e-9;
    reading->delay_ns = NAN;
    if (!sent)
        return;
    if (epoch->sent_ns == SAMPLE_UNKNOWN_NS)
        epoch->sent_ns = sample_difference_ns(sample->sent_ns, since_ns);
    sent_since_ns = sample_difference_ns(sample->sent_ns, epoch->sent_ns);
    reading->at_s = (double)sent_since_ns * 1e-9;
    reading->delay_ns = (double)sample_difference_ns(since_ns, sent_since_ns);
    follow_steps(epoch, noise->step_ns, reading->delay_ns);
    reading->segment = epoch->segment.number;
}

static bool has_tiny_gap(const struct sample *sample, const struct noise *noise)
{
    const struct sample_packet *packets = sample->packets;
    double mean_ns = (double)packets[sample->received - 1].offset_ns / (sample->received - 1);
    int64_t least_ns = INT64_MAX, most_ns = 0;

    if (sample->received < 3 || !(mean_ns > BATCHED_TICKS * noise->tick_ns)) /* a pair's gap is the mean */
        return false;
    for (unsigned i = 1; i < sample->received; i++) {
        int64_t gap_ns = packets[i].offset_ns - packets[i - 1].offset_ns;

        least_ns = gap_ns < least_ns ? gap_ns : least_ns;
        most_ns = gap_ns > most_ns ? gap_ns : most_ns;
    }
    return (double)least_ns < TINY_GAP * mean_ns && (double)most_ns >= noise->batch_ns;
}

static double last_gap(const struct sample *sample)
{
    const struct sample_packet *last = &sample->packets[sample->received - 1];

    return sample->received > 2 && last->follows && last->position == last[-1].position + 1
        ? (double)(last->offset_ns - last[-1].offset_ns)
        : NAN;
}

void reading_bound(struct reading *reading, const struct sample *sample)
{
    double behind_bytes = (double)(sample->sent - 1U) * sample->packet_bytes;
    double departed = (double)sample->departure_span_ns * reading->bytes; /* times these bytes */

    if (sample->departure_span_ns != SAMPLE_UNKNOWN_NS && reading->gap_ns * behind_bytes < departed)
        reading->gap_ns = (float)(departed / behind_bytes);
}

static int16_t eighth_of(double ns)
{
    return fabs(ns) < 8.0 * INT16_MAX ? (int16_t)lround(ns / 8) : READING_UNTOLD;
}

static void tell_departure(struct reading *reading, const struct sample *sample)
{
    double departed_ns = (double)sample->departure_span_ns / (sample->sent - 1);

    reading->limited = reading->limited || reading->gap_ns <= LIMITED_RATIO * departed_ns;
    reading->at_once = departed_ns <= DEPARTED_MOST * reading->gap_ns;
    if (sample->sent == 2)
        reading->spread_8ns = eighth_of(reading->gap_ns - departed_ns);
}

/* A packet that waits for one of ours comes a gap after it. */
#define BEHIND_GAPS 1.5

bool reading_of_head(struct epoch *epoch, const struct sample *sample, const struct noise *noise,
                     struct reading *reading)
{
    const struct sample_packet *packets = sample->packets;
    bool first = !epoch->known;
    double since_ns;

    readings_place(epoch, sample, noise, reading);
    since_ns = (double)sample_difference_ns(sample->time_ns, epoch->ended_ns);
    epoch->ended_ns = sample_sum_ns(sample->time_ns, packets[sample->received - 1].offset_ns);
    if (sample->received < 2 || packets[0].position != 0 || packets[1].position != 1 || !packets[1].follows
        || packets[1].offset_ns <= packets[0].offset_ns)
        return false;
    reading->gap_ns = (float)(packets[1].offset_ns - packets[0].offset_ns);
    reading->bytes = packets[1].bytes & READING_BYTES;
    reading->batched = has_tiny_gap(sample, noise);
    reading->behind = !first && since_ns >= 0 && since_ns < BEHIND_GAPS * reading->gap_ns;
    reading->last_ns = (float)last_gap(sample);
    reading->longer = sample->sent >= SAMPLE_LONG;
    if (sample->departure_span_ns != SAMPLE_UNKNOWN_NS)
        tell_departure(reading, sample);
    if (sample->sent == 2 || reading->limited)
        reading_bound(reading, sample);
    return true;
}

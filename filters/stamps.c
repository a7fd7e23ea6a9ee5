/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/stamps.h"

#include "filters/noise.h"

#include <math.h>
#include <string.h>

/* Both ends of a difference are rounded to a nanosecond. */
#define ROUNDED_NS 1.0

/* A difference whose error is more of a tick than that says nothing of it. By chance one in 16 is as near a whole number
 * of them, on either side; all gaps of trains are, so many of an even number and as many of an odd one, in one of 16^6. */
#define NEAR (1.0 / 32)
enum { GAPS_LEAST = 3 };

void stamps_init(struct stamps *stamps)
{
    *stamps = (struct stamps){.last_ns = SAMPLE_UNKNOWN_NS, .tick_ns = INFINITY};
}

static void set_tick(struct stamps *stamps, double tick_ns, double error_ns)
{
    stamps->tick_ns = tick_ns;
    stamps->error_ns = (float)error_ns;
}

/* Euclid's algorithm for the tick and what a difference leaves over, as far as errors let it go. */
static void divide(struct stamps *stamps, double rest_ns, double error_ns)
{
    double tick_ns = stamps->tick_ns, tick_error_ns = stamps->error_ns;

    while (rest_ns > error_ns && error_ns < NEAR * rest_ns) {
        double times = round(tick_ns / rest_ns), next_ns = fabs(tick_ns - times * rest_ns);
        double next_error_ns = tick_error_ns + times * error_ns;

        tick_ns = rest_ns;
        tick_error_ns = error_ns;
        rest_ns = next_ns;
        error_ns = next_error_ns;
    }
    set_tick(stamps, rest_ns > error_ns ? 0 : tick_ns, tick_error_ns);
    memset(stamps->gaps, 0, sizeof(stamps->gaps));
}

/* How many ticks they are; less than 0: nobody knows. */
static double compare(struct stamps *stamps, double difference_ns)
{
    double times = round(difference_ns / stamps->tick_ns);
    double rest_ns = fabs(difference_ns - times * stamps->tick_ns);
    double error_ns = ROUNDED_NS + times * stamps->error_ns;

    if (error_ns >= NEAR * stamps->tick_ns)
        return -1;
    if (rest_ns > error_ns) {
        divide(stamps, rest_ns, error_ns);
        return -1;
    }
    if (times * stamps->error_ns > ROUNDED_NS)
        set_tick(stamps, difference_ns / times, ROUNDED_NS / times);
    return times;
}

static double note_stamp(struct stamps *stamps, int64_t time_ns)
{
    double difference_ns = fabs((double)sample_difference_ns(time_ns, stamps->last_ns));
    bool first = stamps->last_ns == SAMPLE_UNKNOWN_NS;

    stamps->last_ns = time_ns;
    if (first || stamps->tick_ns <= 0)
        return -1;
    if (difference_ns <= 0)
        return 0;
    if (isinf(stamps->tick_ns))
        set_tick(stamps, difference_ns, ROUNDED_NS);
    return compare(stamps, difference_ns);
}

/* Of a train, that before the i-th packet. */
static void note_gap(struct stamps *stamps, const struct sample *sample, unsigned i)
{
    struct stamps_gaps *gaps = &stamps->gaps[i > 1];
    double ticks;
    bool odd;

    note_stamp(stamps, sample_sum_ns(sample->time_ns, sample->packets[i - 1].offset_ns));
    ticks = note_stamp(stamps, sample_sum_ns(sample->time_ns, sample->packets[i].offset_ns));
    if (ticks < 0)
        return;
    odd = fmod(ticks, 2) != 0;
    if (odd && gaps->odd < GAPS_LEAST)
        gaps->odd++;
    else if (!odd && gaps->even < GAPS_LEAST)
        gaps->even++;
}

static void note_within(struct stamps *stamps, bool within)
{
    if (within && stamps->within < INT8_MAX)
        stamps->within++;
    else if (!within && stamps->within > INT8_MIN)
        stamps->within--;
}

void stamps_note(struct stamps *stamps, const struct sample *sample)
{
    unsigned last = sample->received > 1 ? sample->received - 1U : 0;
    int64_t last_ns = last > 0 ? sample->packets[last].offset_ns : 0;

    stamps->divisor_ns = noise_divisor(stamps->divisor_ns, sample_sum_ns(sample->time_ns, last_ns));
    if (last > 0)
        note_within(stamps, last_ns == 0);
    if (stamps->tick_ns <= 0) /* as of most */
        return;
    if (last == 0)
        note_stamp(stamps, sample->time_ns);
    else
        note_gap(stamps, sample, 1);
    if (last > 1)
        note_gap(stamps, sample, last);
}

double stamps_tick_ns(const struct stamps *stamps)
{
    for (unsigned i = 0; i < 2; i++)
        if (stamps->gaps[i].even >= GAPS_LEAST && stamps->gaps[i].odd >= GAPS_LEAST)
            return fmax(stamps->tick_ns, (double)stamps->divisor_ns);
    return (double)stamps->divisor_ns;
}

/* Stamps of fewer trains may have a divisor by chance, or by the hand that made them. */
enum { HIDDEN_LEAST = 8 };

bool stamps_hide(const struct stamps *stamps)
{
    return stamps->divisor_ns > 1 && stamps->within >= HIDDEN_LEAST;
}

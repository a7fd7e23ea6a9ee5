/* SPDX-License-Identifier: BSD-3-Clause */
/* A fair queue before a medium that opens in slots. Trains have their share there as evenly as a link's rate, and pairs no
 * gap of their own; but which pairs miss a slot, and the floors of both packets, tell how far apart they reach it. */
#include "filters/slots.h"

#include "filters/moments.h"
#include "filters/skew.h"
#include "filters/sort.h"
#include "filters/turns.h"

#include <math.h>

/* Slots behind a link hold back now the first packet, now the second, which reach them at any time: so their mean gap is the
 * link's, and so is how far apart their floors are. If either is less than trains have, others take turns with these. The
 * mean by two standard errors: a minute brings hardly enough pairs for more. */
#define SOONER 2

static bool come_sooner(const struct seen *seen, const struct statistics *s)
{
    struct moments gaps = {0};

    EACH_READING(reading, seen->pairs)
        moments_add(&gaps, (double)reading->gap_ns * s->bytes / reading->bytes);
    return s->train.value - gaps.mean > SOONER * hypot(moments_error(&gaps), s->train.sigma);
}

/* Each floor of even waits is about an n-th of their range too high. Two of them, each with a skew of its own, are so many
 * of these off once in 1000 times (by trial; without skew 0.5 exp(-m) is the chance). */
#define FLOOR_CHANCE 7

static bool floors_are_closer(const struct seen *seen, const struct statistics *s)
{
    double *at = seen->scratch.numbers, *first = at + seen->scratch.room,
           *second = first + seen->scratch.room;
    uint32_t *hull = (uint32_t *)(second + seen->scratch.room);
    unsigned n = 0;
    double apart_ns;

    EACH_READING(reading, seen->pairs) {
        if (!reading_counts_wait(reading, s->segment) || !sizes_alike(reading->bytes, s->bytes))
            continue;
        at[n] = reading->at_s;
        first[n] = reading->delay_ns;
        second[n++] = reading->delay_ns + reading->gap_ns;
    }
    if (n < STATISTICS_WAITS_LEAST)
        return false;
    apart_ns = skew_floor(at, second, n, hull) - skew_floor(at, first, n, hull);
    return apart_ns + s->noise_ns + FLOOR_CHANCE * s->range_ns / n
        < s->train.value - BEYOND_CHANCE * s->train.sigma;
}

/* It missed the slot of the first one, and came in the next. */
static bool missed_slot(const struct reading *reading, const struct statistics *s)
{
    return 2 * reading->gap_ns > s->range_ns;
}

static bool came_next(const struct reading *reading, const struct statistics *s)
{
    return missed_slot(reading, s) && reading->gap_ns <= s->train.value + (1 + SAME_WAIT) * s->range_ns;
}

/* In a medium whose slots hold two packets hardly a pair comes in two: where a slot ended between its packets, as far apart
 * as they come in one, or as handing over takes. Behind a link more do, those whose first packet waited least. Where others
 * fill the slots, or blocks are sent again, any do: half way between all and as many as by chance decides. */
enum { MISSED_LEAST = 3 };

static bool miss_slots(const struct seen *seen, const struct statistics *s)
{
    double *sorted = seen->scratch.numbers, due = 0;
    unsigned n = 0, missed = 0, least = 0;

    EACH_READING(reading, seen->pairs) {
        if (!reading_counts_wait(reading, s->segment))
            continue;
        sorted[n++] = reading_delay_ns(reading, s->slope_ns);
        if (missed_slot(reading, s))
            missed++;
        else
            due += fmax(reading->gap_ns, seen->noise.handover_ns) / s->range_ns;
    }
    if (missed == n || missed < MISSED_LEAST || missed <= due + BEYOND_CHANCE * sqrt(due))
        return false;
    sort_numbers(sorted, n);
    EACH_READING(reading, seen->pairs)
        least += reading_counts_wait(reading, s->segment) && came_next(reading, s)
            && reading_delay_ns(reading, s->slope_ns) < sorted[missed];
    return 2 * (double)least / missed > 1 + (double)missed / n;
}

bool slots_hide_turns(const struct seen *seen, const struct statistics *s)
{
    return s->batched && s->train.n >= STATISTICS_TRAINS_LEAST && statistics_wait_evenly(s)
        && !turns_begin_longer(s) && miss_slots(seen, s)
        && (come_sooner(seen, s) || floors_are_closer(seen, s));
}

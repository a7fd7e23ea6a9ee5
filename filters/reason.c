/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/reason.h"

/* --- What the trains themselves take --- */

/* Of the last few trains each weighs that much less than the next. */
#define LOAD_FADES (1.0 / 16)

/* Above half of what the link carries a train meets the queue of the one before it. */
#define LOAD_MOST 0.5

void own_load_add(struct own_load *load, const struct sample *sample)
{
    int64_t now_ns = sample->sent_ns != SAMPLE_UNKNOWN_NS ? sample->sent_ns : sample->time_ns;
    double ns = (double)now_ns - (double)load->sent_ns;

    /* A train's bits count over the time from the one before it. */
    if (load->sent_ns != 0 && ns > 0) {
        load->bits += 8.0 * sample->sent * sample->packet_bytes - LOAD_FADES * load->bits;
        load->ns += ns - LOAD_FADES * load->ns;
    }
    load->sent_ns = now_ns;
}

static bool crowds(const struct own_load *load, const struct estimate *estimate)
{
    return estimate->state != STATE_SENDER_LIMITED && estimate->capacity_bps > 0
        && load->bits * 1e9 > LOAD_MOST * estimate->capacity_bps * load->ns;
}

/* --- What long trains bear out --- */

/* A bucket shows in the longest trains first. Three of them have a mean with an error, which
 * pairs are held against (weigh.c, denial.c). Two do where the last quarter of each is no slower
 * than traffic makes it. */
enum { LONGEST_ENOUGH = 3, LONGEST_LEAST = 2 };
#define LONGEST_SLOWER 1.5

static unsigned count_longest(const struct seen *seen)
{
    const struct readings *longs = seen->longs;
    uint32_t most_bytes = readings_longest(longs, 0);
    unsigned count = 0;

    for (unsigned i = 0; i < longs->count; i++)
        count += readings_at(longs, i)->bytes > most_bytes / 2;
    return count;
}

static bool borne_out(const struct seen *seen, const struct estimate *estimate)
{
    unsigned longest = count_longest(seen);

    return longest >= LONGEST_ENOUGH
        || (longest >= LONGEST_LEAST
            && !shapes_slower(&seen->shapes, estimate->capacity_bps, LONGEST_SLOWER));
}

/* In bytes; that of long trains lacks the first packet. */
static uint32_t longest_burst(const struct seen *seen)
{
    uint32_t pair_bytes = readings_longest(seen->pairs, 0);

    return readings_longest(seen->longs, 0) + pair_bytes * (seen->longs->count > 0 ? 1 : 2);
}

/* --- Words --- */

static bool claims(const struct estimate *estimate)
{
    return estimate->state == STATE_CONVERGED || estimate->state == STATE_SHAPED
        || estimate->state == STATE_SENDER_LIMITED || estimate->state == STATE_FAIR
        || estimate->state == STATE_POLICED || estimate->state == STATE_VARYING;
}

static void set(struct estimate *estimate, enum why why, enum advice advice)
{
    estimate->why = why;
    estimate->advice = advice;
}

/* Of so many trains of pptrans's default pattern one is long. */
enum { PAIRS_ENOUGH = 24 };

/* Stamps of so many ticks a gap are good enough (floor.c). */
enum { TICKS_ENOUGH = 4 };

/* By how much long trains' gap is longer than this one, less than 0 where it is shorter; 0 within
 * three standard errors. */
static double trains_longer_ns(const struct seen *seen, const struct floor *floor)
{
    double gap_ns, error_ns, longer_ns;

    if (floor->trains || shapes_gap(&seen->shapes, floor->bytes, &gap_ns, &error_ns) == 0)
        return 0;
    longer_ns = gap_ns - floor->gap_ns;
    return fabs(longer_ns) > 3 * error_ns ? longer_ns : 0;
}

/* The first that holds is what to mend first. */
static void give_tentative(const struct seen *seen, const struct floor *floor,
                           struct estimate *estimate)
{
    double longer_ns = trains_longer_ns(seen, floor);

    if (estimate->why != WHY_NONE) {
        estimate->advice = estimate->advice == ADVICE_NONE ? ADVICE_WAIT : estimate->advice;
        return;
    }
    if (seen->longs->count == 0 && seen->pairs->count >= PAIRS_ENOUGH)
        set(estimate, WHY_PAIRS_ALONE, ADVICE_SEND_MIX);
    else if (!borne_out(seen, estimate))
        set(estimate, WHY_FEW_TRAINS, ADVICE_WAIT);
    else if (!floor->delays)
        set(estimate, WHY_NO_SEND_TIMES, ADVICE_SEND_TIMES);
    else if (shapes_batched(&seen->shapes, &seen->noise))
        set(estimate, WHY_BATCHES, ADVICE_SEND_LONGER_TRAINS);
    else if (floor->gap_ns < TICKS_ENOUGH * seen->noise.tick_ns)
        set(estimate, WHY_STAMPS_COARSE, ADVICE_SEND_LARGER);
    else if (longer_ns > 0 && longer_ns <= noise_late_ns(&seen->noise, floor->gap_ns + longer_ns))
        set(estimate, WHY_LATE_FIRST_STAMP, ADVICE_SEND_LONGER_TRAINS);
    else if (longer_ns > 0)
        set(estimate, WHY_TRAINS_SLOWER, ADVICE_SEND_LONGER_TRAINS);
    else if (longer_ns < 0)
        set(estimate, WHY_TRAINS_FASTER, ADVICE_WAIT);
    else if (!floor->reached)
        set(estimate, WHY_NEVER_IDLE, ADVICE_WAIT);
    else
        set(estimate, WHY_TWO_RATES, ADVICE_WAIT);
}

static void give(const struct seen *seen, const struct floor *floor, struct estimate *estimate)
{
    switch (estimate->state) {
    case STATE_INSUFFICIENT: set(estimate, WHY_FEW_TRAINS, ADVICE_WAIT); break;
    case STATE_TENTATIVE: give_tentative(seen, floor, estimate); break;
    case STATE_AMBIGUOUS:
        set(estimate, floor->contested ? WHY_TICKS : WHY_TWO_RATES, ADVICE_SEND_LONGER_TRAINS);
        break;
    case STATE_SENDER_LIMITED: set(estimate, WHY_SENDER, ADVICE_NONE); break;
    default: break;
    }
}

void reason_give(const struct seen *seen, const struct floor *floor, const struct own_load *load,
                 struct estimate *estimate)
{
    if (claims(estimate) && !borne_out(seen, estimate)) {
        estimate_doubt(estimate);
        estimate->why = WHY_NONE;
    }
    give(seen, floor, estimate);
    if (crowds(load, estimate))
        set(estimate, WHY_OWN_LOAD, ADVICE_SEND_LESS);
    estimate->seen_bytes = longest_burst(seen);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Others that do not always have a packet spare some of our pairs their turns. Of the gaps of one size the lowest that
 * several share has the fewest of others' packets in between: what that of full packets is longer than that of smaller
 * ones is the link's time for the bytes that those lack, however seldom the others come. */
#include "filters/turns_spared.h"

#include "filters/same.h"
#include "filters/turns_link.h"

#include <math.h>

/* So many share a gap, and so large a part: as of floors that are reached. */
enum { SHARED_LEAST = 3, SHARED_PART = 32 };

/* Of so few smaller pairs none says what most of them do. */
enum { SHARED_SMALLER = 2 * SHARED_LEAST };

/* Gaps of pairs of one size, in order. */
struct gaps {
    double *ns;
    unsigned count;
    double share; /* what a packet is of a full one */
};

static void gaps_add(struct gaps *gaps, const struct reading *reading, double share)
{
    if (gaps->count > 0 && share != gaps->share)
        return;
    gaps->share = share;
    gaps->ns[gaps->count++] = reading->gap_ns;
}

/* The lowest that several share, from the index on; their number, if there is none. */
static unsigned gaps_lowest(const struct gaps *gaps, unsigned from, double noise_ns)
{
    unsigned shared = gaps->count / SHARED_PART > SHARED_LEAST ? gaps->count / SHARED_PART : SHARED_LEAST;

    for (; from + shared <= gaps->count; from++)
        if (gaps->ns[from + shared - 1] - gaps->ns[from]
            <= 2 * same_reach(gaps->ns[from], SAME_PAIRS, noise_ns))
            return from + shared / 2;
    return gaps->count;
}

/* And how far the next one is above it; infinite: there is none. */
static double gaps_step_ns(const struct gaps *gaps, unsigned lowest, double noise_ns)
{
    double low_ns = gaps->ns[lowest];
    unsigned from =
        sort_rank(gaps->ns, gaps->count, low_ns + 3 * same_reach(low_ns, SAME_PAIRS, noise_ns), true);
    unsigned next = gaps_lowest(gaps, from, noise_ns);

    return next < gaps->count ? gaps->ns[next] - low_ns : INFINITY;
}

static bool is_whole(double ns, double step_ns)
{
    return isfinite(step_ns) && fabs(same_off_whole(ns / step_ns)) <= TURNS_PHASE;
}

/* Ticks make gaps of any size whole numbers of them, and first packets wait for one at the most. */
static bool at_ticks(double full_ns, double smaller_ns, double range_ns)
{
    return is_whole(full_ns, range_ns) && is_whole(smaller_ns, range_ns);
}

/* What is longer than a gap had more of the others in between, and smaller ones perhaps none: then theirs is the own time,
 * in proportion. */
static double spared_ns(const struct statistics *s, const struct gaps *full, const struct gaps *smaller)
{
    unsigned low_full = gaps_lowest(full, 0, s->noise_ns), low = gaps_lowest(smaller, 0, s->noise_ns);
    double full_ns, smaller_ns, longer_ns, own_ns;

    if (low_full == full->count || low == smaller->count)
        return 0;
    full_ns = full->ns[low_full];
    smaller_ns = smaller->ns[low];
    longer_ns = full_ns - smaller_ns;
    if (longer_ns <= 0 || at_ticks(full_ns, smaller_ns, s->range_ns)
        || is_whole(longer_ns, gaps_step_ns(full, low_full, s->noise_ns))
        || is_whole(longer_ns, gaps_step_ns(smaller, low, s->noise_ns)))
        return 0;
    own_ns = longer_ns / (1 - smaller->share);
    if (own_ns > (1 + SAME_PROPORTION) * full_ns)
        own_ns = smaller_ns / smaller->share;
    return same_gap(full_ns, own_ns, SAME_PROPORTION, s->noise_ns) ? 0 : own_ns;
}

double turns_spared_ns(const struct seen *seen, const struct statistics *s)
{
    struct gaps full = {.ns = seen->scratch.numbers}, smaller = {.ns = full.ns + seen->scratch.room};

    EACH_READING(reading, seen->pairs) {
        double share = (double)reading->bytes / s->bytes;

        if (reading->limited)
            continue;
        if (reading->bytes == s->bytes)
            gaps_add(&full, reading, 1);
        else if (share < READING_SMALLER)
            gaps_add(&smaller, reading, share);
    }
    if (full.count < SHARED_LEAST || smaller.count < SHARED_SMALLER)
        return 0;
    sort_numbers(full.ns, full.count);
    sort_numbers(smaller.ns, smaller.count);
    return spared_ns(s, &full, &smaller);
}

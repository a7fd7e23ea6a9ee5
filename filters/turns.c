/* SPDX-License-Identifier: BSD-3-Clause */
/* Deficit round robin as in fq_codel (RFC 8290, sections 4.1 and 4.2): a flow that was idle has a
 * quantum and goes first. So its first packet waits for what is being sent and no longer: evenly
 * between nothing and a packet's time. What fits into a quantum follows at the rate of the link; then
 * every flow has a quantum a turn, and a train gets the k-th part of the link. */
#include "filters/turns.h"

#include "filters/moments.h"
#include "filters/same.h"
#include "filters/skew.h"

#include <math.h>

/* Waits spread evenly over one packet of the others, which are as long as ours, the longest that
 * the path carries. On a FIFO link most packets wait for nothing, or some for far longer. */
#define UNIFORM 1.36 /* Kolmogorov's distance times the root of n, 5 % ... */
#define UNEVEN 0.2   /* ... or that distance */
#define STAMPS 4     /* so many times what two stamps make of a gap */
#define IDLE_MOST 0.2
enum { WAITS_LEAST = 20, TRAINS_LEAST = 2 };

/* One other flow halves the rate. */
#define SLOWER 1.4

static bool waits_for_one(const struct statistics *s, const struct noise *noise)
{
    return s->pair.n >= WAITS_LEAST && s->idle <= IDLE_MOST
        && s->uniform <= fmax(UNIFORM, UNEVEN * sqrt(s->pair.n)) && s->range_ns > STAMPS * noise_gap_ns(noise)
        && s->train.n >= TRAINS_LEAST && s->at_once && !s->batched && s->train.value > SLOWER * s->range_ns;
}

/* Gaps at the rate of the link, of packets of any size: near the longest wait, and the same. */
enum { AT_LINK_LEAST = 3 };

static double scaled_gap(const struct reading *reading, const struct floor *pairs)
{
    return (double)reading->gap_ns / reading->bytes * pairs->bytes;
}

static double middle_near(const struct seen *seen, const struct floor *pairs, double wait_ns)
{
    double *sorted = seen->scratch.numbers;
    unsigned n = 0;

    for (unsigned i = 0; i < seen->pairs->count; i++) {
        double gap_ns = scaled_gap(readings_at(seen->pairs, i), pairs);

        if (same_gap(gap_ns, wait_ns, SAME_WAIT, 0))
            sorted[n++] = gap_ns;
    }
    sort_numbers(sorted, n);
    return n > 0 ? sorted[n / 2] : 0;
}

static void read_link(const struct seen *seen, const struct floor *pairs, double wait_ns,
                      double noise_ns, struct moments *link)
{
    double middle_ns = middle_near(seen, pairs, wait_ns);

    for (unsigned i = 0; i < seen->pairs->count; i++) {
        double gap_ns = scaled_gap(readings_at(seen->pairs, i), pairs);

        if (same_gap(gap_ns, middle_ns, SAME_RATE, noise_ns))
            moments_add(link, gap_ns);
    }
}

/* A train gets the k-th part, to within what the others' packets make of it. Ticks make first
 * packets wait as evenly. But their trains' gaps are not alike, save by chance; and
 * pairs of one size have the mean of trains, while a quantum may spare them a packet. */
#define REGULAR 0.8
enum { SMALLER_ENOUGH = 6, FLOWS_MOST = 8 };

static bool alike_pairs_and_trains(const struct statistics *s)
{
    return same_gap(s->pair.value, s->train.value, SAME_UNTURNED, 0);
}

/* Smaller packets: behind others' whole ones the gap of two is so many of those and its own time; at
 * ticks so many ticks. More of the former than of the latter. */
#define SMALLER 0.9
#define PHASE 0.1
#define FULL_SHARE 0.1

static double off_whole(double value)
{
    return fabs(value - round(value));
}

static int count_turns(const struct seen *seen, const struct floor *pairs,
                       const struct statistics *s, double turn_ns)
{
    int more = s->near.n > 0 && s->as_near <= FULL_SHARE ? 1 : 0; /* no tick asks for a few bytes */

    for (unsigned i = 0; i < seen->pairs->count; i++) {
        const struct reading *reading = readings_at(seen->pairs, i);
        double turns = reading->gap_ns / turn_ns, own = (double)reading->bytes / pairs->bytes;

        if (own < SMALLER)
            more += (off_whole(turns - own) <= PHASE) - (off_whole(turns) <= PHASE);
    }
    return more;
}

/* Where smaller pairs take as much less time as they are smaller, size is all that counts. */
#define PROPORTION_SHARE 0.8

static bool in_proportion(const struct seen *seen, const struct floor *pairs,
                          const struct statistics *s)
{
    unsigned all = 0, in = 0;

    for (unsigned i = 0; i < seen->pairs->count; i++) {
        const struct reading *reading = readings_at(seen->pairs, i);

        if (reading->bytes >= SMALLER * pairs->bytes)
            continue;
        all++;
        in += same_gap(scaled_gap(reading, pairs), s->pair.value, SAME_PROPORTION, s->noise_ns);
    }
    return all > 0 && in >= PROPORTION_SHARE * all;
}

static bool may_be_ticks(const struct seen *seen, const struct floor *pairs,
                         const struct statistics *s, const struct turns *turns)
{
    if (s->smaller >= SMALLER_ENOUGH && (turns->told || alike_pairs_and_trains(s)))
        return count_turns(seen, pairs, s, turns->gap_ns) <= 0;
    return s->regular < REGULAR && (!turns->told || alike_pairs_and_trains(s));
}
#define OFF_WHOLE 0.15

/* Where a flow that was idle does not go first, its first packet waits for up to a packet of each of the
 * others: a train's gap less one of its own. Hosts that are late make waits like them, so that no rate of
 * the link is told, and none as sure. */
#define AS_TURNS 0.1

/* Two smaller packets then have one of each of the others between them, whatever their own size. */
static bool smaller_wait_as_long(const struct seen *seen, const struct floor *pairs, double own_ns,
                                 double flows)
{
    unsigned all = 0, as_turns = 0;

    for (unsigned i = 0; i < seen->pairs->count; i++) {
        const struct reading *reading = readings_at(seen->pairs, i);
        double own = (double)reading->bytes / pairs->bytes;

        if (own >= SMALLER)
            continue;
        all++;
        as_turns += fabs(reading->gap_ns / own_ns - (own + flows - 1)) <= AS_TURNS * flows;
    }
    return 2 * as_turns >= all;
}

static bool waits_for_all(const struct seen *seen, const struct floor *pairs,
                          const struct statistics *s, struct turns *turns)
{
    double own_ns = s->tail.value - s->range_ns, flows = s->tail.value / own_ns;

    if (s->pair.n < WAITS_LEAST || s->idle > IDLE_MOST || s->range_ns <= STAMPS * noise_gap_ns(&seen->noise)
        || s->uniform > UNIFORM || s->train.n < TRAINS_LEAST || s->regular < REGULAR || own_ns <= 0
        || flows < 2 - OFF_WHOLE
        || !smaller_wait_as_long(seen, pairs, own_ns, flows))
        return false;
    *turns = (struct turns){.gap_ns = s->tail.value, .share_ns = s->tail.value};
    return true;
}

/* No two packets come closer than the link sends them, whoever has the turn, but where the first
 * stamp was late. A bucket lets them: then the waits, and gaps like them, are the host's. */
#define CLOSER_MOST 0.25

static bool come_closer(const struct seen *seen, const struct floor *pairs,
                        const struct statistics *s, double link_ns)
{
    unsigned closer = 0;

    for (unsigned i = 0; i < seen->pairs->count; i++)
        closer += scaled_gap(readings_at(seen->pairs, i), pairs) + s->noise_ns
            < (1 - SAME_WAIT) * link_ns;
    return closer > CLOSER_MOST * seen->pairs->count;
}

bool turns_found(const struct seen *seen, const struct floor *pairs,
                 const struct statistics *s, struct turns *turns)
{
    double wait_ns = s->range_ns, flows;
    struct moments link = {0};

    if (!waits_for_one(s, &seen->noise))
        return waits_for_all(seen, pairs, s, turns);
    read_link(seen, pairs, wait_ns, s->noise_ns, &link);
    turns->share_ns = s->tail.value;
    turns->told = link.count >= AT_LINK_LEAST;
    turns->gap_ns = turns->told ? link.mean : s->tail.value / round(s->tail.value / wait_ns);
    if (come_closer(seen, pairs, s, turns->gap_ns)
        || (alike_pairs_and_trains(s) && in_proportion(seen, pairs, s))
        || may_be_ticks(seen, pairs, s, turns))
        return false;
    if (!turns->told) { /* hosts that are late make waits like these */
        *turns = (struct turns){.gap_ns = s->tail.value, .share_ns = s->tail.value};
        return (s->uniform <= UNIFORM && off_whole(s->tail.value / wait_ns) <= OFF_WHOLE)
            || waits_for_all(seen, pairs, s, turns);
    }
    turns->error_ns = moments_half_width(&link) + CLOCK_ERROR * link.mean;
    flows = s->tail.value / turns->gap_ns;
    return (round(flows) >= 2 && flows < FLOWS_MOST + 1.5 && off_whole(flows) <= OFF_WHOLE)
        || waits_for_all(seen, pairs, s, turns);
}

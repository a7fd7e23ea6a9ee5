/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/available_idle.h"

#include "filters/skew.h"
#include "filters/sort.h"

#include <math.h>

/* A width is this many times the one before it. */
#define WIDTH_STEP 1.25

/* --- Waits --- */

bool idle_level(struct idle_delays *delays)
{
    if (delays->count < IDLE_LEAST)
        return false;
    skew_level(delays->at_s, delays->delay_ns, delays->count, delays->hull);
    return true;
}

static unsigned sort_waits(const struct idle_delays *delays, unsigned from)
{
    unsigned n = 0;

    for (unsigned i = from; i < delays->count; i++)
        if (delays->counts[i])
            delays->sorted[n++] = delays->delay_ns[i];
    sort_numbers(delays->sorted, n);
    return n;
}

/* --- The share on the floor --- */

/* P(t), P(2 t), P(4 t): t is the width. */
struct shares {
    double one, two, four;
};

static struct shares shares_at(const double *sorted, unsigned n, double width_ns)
{
    return (struct shares){(double)sort_rank(sorted, n, width_ns, true) / n,
                           (double)sort_rank(sorted, n, 2 * width_ns, true) / n,
                           (double)sort_rank(sorted, n, 4 * width_ns, true) / n};
}

/* Who waits is spread evenly just above the floor (Takacs), so that the share between t and 2 t
 * is the share of those below t who wait. */
static double available_idle_share_of(double one, double two)
{
    return fmax(0, 2 * one - two);
}

/* Of the share: one - (two - one), two parts of one multinomial. */
static double chance_of(const struct shares *shares, unsigned n)
{
    double one = (shares->one * n + 1) / (n + 2), above = shares->two - shares->one;

    return sqrt(fmax(one * (1 - one) + above * (1 - above) + 2 * one * above, 0) / n);
}

/* Beyond the floor hardly any are as near to it as on it. */
#define BEYOND 0.5

/* More of them wait for t to 2 t than for half of 2 t to 4 t: the floor is wider than t, and its
 * share larger by up to twice that, or waits pile up this near to it, and its share is smaller by
 * as much. */
#define BENT 2

static double bent_of(const struct shares *shares)
{
    return fmax(0, (shares->two - shares->one) - (shares->four - shares->two) / 2);
}

/* The width at which the error is the least share of what is read. (Ends that sleep are late by
 * some tens of us more often than not: the few who were not would be a floor of their own, with
 * the smallest error of all.) */
static void find_width(const double *sorted, unsigned n, struct idle_width width, struct idle *idle)
{
    for (double ns = width.least_ns; 2 * ns <= width.most_ns; ns *= WIDTH_STEP) {
        struct shares shares = shares_at(sorted, n, ns);
        double share = available_idle_share_of(shares.one, shares.two);
        double error = hypot(chance_of(&shares, n), BENT * bent_of(&shares));

        if (shares.two - shares.one > BEYOND * shares.one
            || (idle->n > 0 && error * idle->share >= idle->error * share))
            continue;
        idle->n = n;
        idle->share = share;
        idle->error = error;
        idle->width_ns = ns;
    }
}

/* Hardly any stand on it, and most wait for no more than half a frame: that is no queue, but ends
 * that are late by more than the widest floor. */
#define LONELY_FACTOR 4
#define LONELY_MORE 0.1

static bool lonely(const struct idle *idle, double near)
{
    return near > LONELY_FACTOR * idle->share + LONELY_MORE;
}

/* No more stand on the floor than the two that it hangs on and chance. A queue that leaves so little idle time makes
 * some packets wait for far longer than most: exponential waits have 4.3 times the middle one in the twentieth part,
 * even ones 1.9. Where hardly one does, packets wait for a clock (grants, TTIs, turns) or for their hosts, or the queue
 * never empties, and the floor is none. */
#define FLOOR_SURE 3
#define LONG_TAIL 3

static bool is_no_queue(const struct idle *idle)
{
    return idle->share - (double)SKEW_HANGS / idle->n <= FLOOR_SURE * idle->error
        && idle->queue_p95_ns < LONG_TAIL * idle->queue_ns;
}

struct idle idle_read(const struct idle_delays *delays, unsigned from, struct idle_width width)
{
    struct idle idle = {.queue_ns = -1, .queue_p95_ns = -1};
    unsigned n = sort_waits(delays, from);

    if (n < IDLE_LEAST)
        return idle;
    idle.queue_ns = delays->sorted[n / 2];
    idle.queue_p95_ns = delays->sorted[n - 1 - n / 20];
    if (width.least_ns > 0)
        find_width(delays->sorted, n, width, &idle);
    if (lonely(&idle, (double)sort_rank(delays->sorted, n, width.most_ns, true) / n)
        || (idle.n > 0 && is_no_queue(&idle)))
        idle.n = 0;
    return idle;
}

/* --- Changes --- */

/* Fewer packets are no change, however they wait; each later beginning has this share fewer
 * behind it. */
enum { SINCE_LEAST = 20 };
#define SINCE_STEP 1.2

/* Chance differs by more once in 16 000 times; bursts make that more often. */
#define SINCE_SURE 4.5

/* Of those that counts, from the index on. */
struct above {
    unsigned n, above;
};

static struct above count_above(const struct idle_delays *delays, unsigned from, unsigned end, double ns)
{
    struct above above = {0, 0};

    for (unsigned i = from; i < end; i++) {
        above.n += delays->counts[i];
        above.above += delays->counts[i] && delays->delay_ns[i] > ns;
    }
    return above;
}

/* By how many standard deviations the share above ns differs before and after. */
static double differs(const struct idle_delays *delays, unsigned at, double ns)
{
    struct above before = count_above(delays, 0, at, ns);
    struct above after = count_above(delays, at, delays->count, ns);
    double share, error;

    if (before.n < SINCE_LEAST || after.n < SINCE_LEAST)
        return 0;
    share = (before.above + after.above + 1.0) / (before.n + after.n + 2.0);
    error = sqrt(share * (1 - share) * (1.0 / before.n + 1.0 / after.n));
    return fabs((double)before.above / before.n - (double)after.above / after.n) / error;
}

unsigned idle_since(const struct idle_delays *delays, double width_ns)
{
    unsigned n = sort_waits(delays, 0), since = 0;
    double levels_ns[2] = {2 * width_ns, n > 0 ? delays->sorted[n / 2] : 0};
    double most = SINCE_SURE;

    for (double last = SINCE_LEAST; last < delays->count; last *= SINCE_STEP) {
        unsigned at = delays->count - (unsigned)last;
        double by = fmax(differs(delays, at, levels_ns[0]), differs(delays, at, levels_ns[1]));

        if (by > most) {
            most = by;
            since = at;
        }
    }
    return since;
}

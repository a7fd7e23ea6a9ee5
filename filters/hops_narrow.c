/* SPDX-License-Identifier: BSD-3-Clause */
/* From floors to capacities hop by hop, and to the narrow link. */
#include "filters/dispersion.h"
#include "filters/hops_cells.h"

#include <math.h>

/* So far off is what is read of one rate, whatever it rests on; and so far apart is what is read of
 * it at two hops. */
#define MODEL 0.01
#define ALIKE 0.03

/* A floor is seen where it is that close to what the whole path's many more trains show. */
#define SEEN 0.05

/* Half the width of an interval that is told as fact, a share of the rate. */
#define TOLD_WIDTH 0.15

/* What is read beyond this share of what markers can show is a bound. */
#define READABLE 0.8

struct telling {
    const struct hops_cells *cells;
    const struct hops_link *whole; /* of what crosses all that trains were sent to */
    bool sure;                     /* the capacity of the path is known, not guessed */
    double narrow_ns;              /* that a packet of load takes the narrow link ... */
    double fast_ns;                /* ... at the least */
    double seen_ns;                /* ... or what trains across the whole path show, where that is less */
    bool small_bucket;             /* at the narrow link; the path's capacity does not hold */
    unsigned links;                /* that are told of */
};

static double load_bits(const struct telling *telling)
{
    return telling->cells->load_bytes * 8e9; /* over ns: a rate in bit/s */
}

/* Pairs read a link with a bucket for one packet as faster than it is, and floors of two lengths do not: they
 * are slower than what capacity claims, beyond doubt. */
static bool is_small_bucket(const struct telling *telling, const struct estimate *capacity)
{
    return capacity->state == STATE_CONVERGED && capacity->low_bps > 0
        && (1 - MODEL) * telling->whole->least_ns > load_bits(telling) / capacity->low_bps;
}

/* No train crosses the path faster than its narrow link lets it: what is read of all of it is a bound
 * on that, and stands for it where the path's own capacity is not known. Then the narrow link is no
 * faster than a guess and the floor agree on, or than the floor alone shows beyond doubt. */
static void find_whole(struct telling *telling, const struct estimate *capacity)
{
    const struct hops_link *whole = telling->whole;
    double high_bps = fmax(capacity->high_bps, capacity->capacity_bps);
    double fast_ns = high_bps > 0 ? load_bits(telling) / high_bps : INFINITY;
    double read_ns = fmin(whole->slope_ns, whole->high_ns);

    telling->sure = capacity->capacity_bps > 0 && estimate_claims(capacity);
    telling->small_bucket = is_small_bucket(telling, capacity);
    telling->narrow_ns =
        telling->sure && !telling->small_bucket ? load_bits(telling) / capacity->capacity_bps : read_ns;
    telling->seen_ns = fmin(telling->narrow_ns, read_ns);
    telling->fast_ns = fmin(fast_ns, read_ns);
    if (!telling->sure)
        telling->fast_ns = fmax(high_bps > 0 ? telling->fast_ns : 0, whole->floor_ns);
}

/* --- Hops --- */

/* The most that markers can show: behind each other on the narrow link they are as far apart as
 * that needs for one, whatever the load did. */
static double readable_bps(const struct telling *telling)
{
    const struct hops_cells *cells = telling->cells;
    double load = cells->shorter * (double)cells->load_bytes, marker = cells->marker_bytes;

    return READABLE * load_bits(telling) / telling->narrow_ns * (load + marker) / marker;
}

static void tell_bound(struct hop *hop, double bps)
{
    hop->state = HOP_AT_LEAST;
    hop->capacity_bps = hop->low_bps = bps;
    hop->high_bps = 0;
}

static void tell_rate(const struct telling *telling, struct hop *hop, double least_ns, double slope_ns,
                      double most_ns)
{
    double bits = load_bits(telling);

    hop->capacity_bps = bits / slope_ns;
    hop->low_bps = bits / most_ns;
    hop->high_bps = bits / least_ns;
    hop->state = telling->sure ? HOP_CONVERGED : HOP_TENTATIVE;
}

/* Cross traffic makes gaps longer, and links seem slower, than they are: where it hides how far, the
 * reading is no more than a bound. */
static void tell_hop(const struct telling *telling, const struct hops_link *link, struct hop *hop)
{
    double bits = load_bits(telling), readable = readable_bps(telling);
    double least_ns = (1 - MODEL) * link->least_ns, most_ns = fmax((1 + MODEL) * link->most_ns, 1);

    hop->trains = link->n;
    if (link->n == 0)
        return;
    if (least_ns <= 0 || bits / link->slope_ns > readable)
        tell_bound(hop, fmin(bits / most_ns, readable));
    else if (link->slope_ns <= LIMITED_RATIO * link->departed_ns
             || bits / least_ns - bits / most_ns > 2 * TOLD_WIDTH * bits / link->slope_ns)
        tell_bound(hop, bits / most_ns);
    else
        tell_rate(telling, hop, least_ns, link->slope_ns, most_ns);
}

/* --- The narrow link --- */

/* Cross traffic only ever adds: what is read as faster is. */
static bool is_before(const struct telling *telling, const struct hops_link *link)
{
    return link->n > 0 && (1 + MODEL) * link->high_ns < (1 - ALIKE) * telling->fast_ns;
}

/* What is read as slow may be a faster link that is busy, but not where its floor is seen, which no
 * traffic makes: with the narrow link among the first ones it is the same as the whole path's. */
static bool is_behind(const struct telling *telling, const struct hops_link *link)
{
    return link->n > 0 && link->low_ns >= (1 - ALIKE) * telling->seen_ns
        && link->read_ns <= (1 + SEEN) * telling->whole->slope_ns;
}

/* A link sends on no packet of the load before it has all of it, and the second marker waits behind
 * the last: whatever else is on its way, the link makes gaps longer by what it takes for that, a little
 * less for the marker that it lets go. Steps and floors are of the same trains, so a guess of the path's
 * capacity has no say here. */
static double least_step_ns(const struct telling *telling)
{
    const struct hops_cells *cells = telling->cells;

    return (1 - ALIKE) * (1 - (double)cells->marker_bytes / cells->load_bytes) * telling->seen_ns;
}

/* So a link behind which gaps are not as much longer is faster than the narrow one; but one with a
 * bucket lets the first packet of the load pass at once: before it, nothing must have read faster than the
 * whole path may be. */
static bool is_no_step(const struct telling *telling, const struct hops_link *link)
{
    return !telling->small_bucket && link->step_ns < least_step_ns(telling)
        && telling->cells->link[link->before].read_ns >= (1 - ALIKE) * telling->whole->low_ns;
}

/* By the best guess, at any of the links behind. */
static bool no_steps_behind(const struct telling *telling, unsigned hop)
{
    const struct hops_link *link = telling->cells->link;

    for (unsigned i = hop + 1; i <= telling->cells->last; i++)
        if (link[i].n > 0 && !(link[i].step_mid_ns < least_step_ns(telling)))
            return false;
    return true;
}

static bool any_unread(const struct telling *telling, unsigned from, unsigned end)
{
    for (unsigned i = from; i < end; i++)
        if (i > telling->cells->last || telling->cells->link[i].n == 0)
            return true;
    return false;
}

/* The first of the hops from that one on that surely has the narrow link before it or is it: by its
 * floor, or as no link behind it makes the step that the narrow one does. */
static unsigned last_of(const struct telling *telling, unsigned narrow)
{
    const struct hops_link *link = telling->cells->link;
    unsigned last = telling->links;

    for (unsigned i = telling->cells->last; i >= narrow; i--)
        if (i < last && is_behind(telling, &link[i]) && no_steps_behind(telling, i))
            last = i;
    while (last <= telling->cells->last && link[last].before >= narrow && is_no_step(telling, &link[last]))
        last = link[last].before;
    return last;
}

/* From after the last that is surely before it to the first that is surely not. */
static void find_narrow(const struct telling *telling, const struct estimate *capacity,
                        struct hops_estimate *result)
{
    const struct hops_link *link = telling->cells->link;

    result->narrow = 1;
    for (unsigned i = 1; i < telling->links && i <= telling->cells->last; i++)
        if (is_before(telling, &link[i]))
            result->narrow = i + 1;
    result->narrow_last = last_of(telling, result->narrow);
    if (capacity->state == STATE_SENDER_LIMITED) /* what is known of it is a bound */
        result->why = HOPS_WHY_NO_CAPACITY;
    else
        result->narrow_bps = load_bits(telling) / telling->narrow_ns;
    if (result->narrow != result->narrow_last)
        result->why =
            any_unread(telling, result->narrow, result->narrow_last) ? HOPS_WHY_FEW_TRAINS : HOPS_WHY_NEAR;
}

void hops_cells_doubt(struct hops_estimate *result)
{
    for (unsigned i = 0; i < HOPS_MAX; i++)
        if (result->hop[i].state == HOP_CONVERGED)
            result->hop[i].state = HOP_TENTATIVE;
        else if (result->hop[i].state == HOP_AT_LEAST) /* a bound that may not hold is none */
            result->hop[i] = (struct hop){.trains = result->hop[i].trains};
}

/* Whether what crosses all that was tried reads faster than the path is, or by its best guess may be: trains
 * that end slower than they begin make it a guess because they may pass in a bucket. */
static bool is_faster(const struct telling *telling, const struct estimate *capacity)
{
    double bps = capacity->why == WHY_LAST_GAPS_LONGER ? capacity->capacity_bps
                                                       : fmax(capacity->high_bps, capacity->capacity_bps);

    return bps > 0 && capacity->state != STATE_INSUFFICIENT
        && telling->whole->most_ns < (1 - 2 * ALIKE) * load_bits(telling) / bps;
}

void hops_cells_tell(const struct hops_cells *cells, const struct estimate *capacity,
                     struct hops_estimate *result)
{
    struct telling telling = {.cells = cells, .whole = &cells->link[cells->last]};

    telling.links = result->count != 0 ? result->count : cells->last;
    result->told = telling.links;
    if (telling.whole->n == 0)
        return;
    find_whole(&telling, capacity);
    result->why = telling.sure ? HOPS_WHY_NONE : HOPS_WHY_NO_CAPACITY;
    if (telling.narrow_ns <= 0)
        return;
    for (unsigned i = 1; i <= cells->last && i <= telling.links; i++)
        tell_hop(&telling, &cells->link[i], &result->hop[i - 1]);
    if (!is_faster(&telling, capacity)) {
        find_narrow(&telling, capacity, result);
    } else if (cells->last < telling.links) {
        result->narrow = cells->last + 1;
        result->narrow_last = telling.links;
        result->narrow_bps = capacity->capacity_bps;
        result->why = HOPS_WHY_BEYOND;
    } else {
        result->why = HOPS_WHY_BUCKET;
        hops_cells_doubt(result); /* a bucket at any of them */
    }
}

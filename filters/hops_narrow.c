/* SPDX-License-Identifier: BSD-3-Clause */
/* From readings to capacities hop by hop, and to the narrow link. */
#include "filters/dispersion.h"
#include "filters/hops_cells.h"

#include <math.h>

/* A hop is before the narrow link, or behind it, when so many deviations say so: one in a hundred
 * of either is wrong, and there are some hops to be wrong about. An interval of 95 % has fewer. */
#define SURE_SIGMAS 2.4
#define INTERVAL_SIGMAS 2.0

/* What is read within this share of the path's is as narrow; and so far off is what is read of one
 * rate at two hops, whatever it rests on. */
#define NEAR 0.09
#define MODEL 0.01

/* A link that is faster, but busier than the narrow one, is read as slow: its trains differ more
 * than those that come through the narrow link, where they wait for one another. That much is more,
 * where it is more than this share of what a packet of load takes. */
#define BUSIER 1.5
#define QUIET 0.02

/* By so much less than what crosses the whole path is read where the path's capacity is not known,
 * or cross traffic adds too much: behind the narrow link it may add to that alone. */
#define FASTER 0.25
#define ADDED_MOST 1.6

/* Where trains of other kinds do not tell the capacity, these may be so far off. */
#define GUESS 0.15
#define UNSURE 0.4

/* Half the width of an interval that is told as fact, a share of the rate. */
#define TOLD_WIDTH 0.15

/* What is read beyond this share of what markers can show is a bound. */
#define READABLE 0.8

struct at_hop {
    struct hops_link link;  /* as it is read */
    struct hops_link whole; /* of the same lengths, what crosses all that trains were sent to */
    /* Per packet of load, less what is added at the end; of hops that are one rate together. */
    struct at_rate {
        double slope_ns, sigma_ns;
    } delays, gaps;
};

struct telling {
    struct hops_cells *cells;
    const struct estimate *capacity;
    struct hops_slope end; /* of what crosses all that trains were sent to */
    bool sure;             /* the capacity of the path is known, not guessed */
    double whole_ns;       /* that a packet of load takes at it: the greatest slope there is */
    double whole_share;    /* half the width of its interval, a share of it */
    unsigned links;        /* that are told of */
    struct at_hop hop[HOPS_MAX + 1];
};

static bool is_known(const struct estimate *capacity)
{
    return capacity->capacity_bps > 0 && estimate_claims(capacity);
}

static double load_bits(const struct telling *telling)
{
    return telling->cells->load_bytes * 8e9; /* over ns: a rate in bit/s */
}

/* --- Slopes --- */

static bool is_read(const struct at_hop *hop)
{
    return hop->link.slope.n > 0;
}

/* What cross traffic adds to each packet at the end of the path is taken off: behind the narrow link
 * it is the same, and before it no more. */
static struct at_rate less_added(const struct telling *telling, const struct hops_slope *slope,
                                 const struct hops_slope *whole, bool itself)
{
    return (struct at_rate){
        .slope_ns = slope->value - fmax(whole->value - telling->whole_ns, 0),
        .sigma_ns = itself ? slope->sigma : hypot(slope->sigma, whole->sigma),
    };
}

static void read_hop(struct telling *telling, unsigned number)
{
    struct hops_slope any = {.n = 0};
    struct at_hop *hop = &telling->hop[number];

    hop->link = hops_cells_link(telling->cells, number, &any);
    if (!is_read(hop))
        return;
    hop->whole = hops_cells_link(telling->cells, telling->cells->last, &hop->link.slope);
    hop->delays = less_added(telling, &hop->link.slope, &hop->whole.slope, number == telling->cells->last);
    hop->gaps = less_added(telling, &hop->link.gaps, &hop->whole.gaps, number == telling->cells->last);
}

/* Where the path's own capacity is not known, what crosses all of it stands for that. */
static void find_whole(struct telling *telling)
{
    struct hops_slope any = {.n = 0};
    const struct estimate *capacity = telling->capacity;

    telling->end = hops_cells_link(telling->cells, telling->cells->last, &any).slope;
    telling->sure = is_known(capacity);
    if (telling->sure || (capacity->state == STATE_TENTATIVE && capacity->capacity_bps > 0)) {
        telling->whole_ns = load_bits(telling) / capacity->capacity_bps;
        telling->whole_share = capacity->high_bps > capacity->low_bps
            ? (capacity->high_bps - capacity->low_bps) / (2 * capacity->capacity_bps)
            : 0;
    } else if (telling->end.n > 0 && telling->end.value > 0) {
        telling->whole_ns = telling->end.value;
        telling->whole_share = GUESS;
    }
}

/* --- Hops --- */

/* The most that markers can show: behind each other on the narrow link they are as far apart as
 * that needs for one, whatever the load did. */
static double readable_bps(const struct telling *telling, unsigned least)
{
    double load = least * (double)telling->cells->load_bytes, marker = telling->cells->marker_bytes;

    return load_bits(telling) / telling->whole_ns * (load + marker) / marker;
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
    hop->state = telling->sure && hop->high_bps - hop->low_bps <= 2 * TOLD_WIDTH * hop->capacity_bps
        ? HOP_CONVERGED
        : HOP_TENTATIVE;
}

/* The share that is left where cross traffic adds the same share at all hops. */
static double share_left(const struct telling *telling, const struct at_hop *hop)
{
    const struct hops_slope *whole = &hop->whole.slope;

    return whole->n > 0 && whole->value > telling->whole_ns ? telling->whole_ns / whole->value : 1;
}

/* From what is read being all the link's to as much taken off as cross traffic adds at the end. No
 * rate is below the path's. */
static void tell_hop(const struct telling *telling, const struct at_hop *at, struct hop *hop)
{
    double bits = load_bits(telling), whole_ns = telling->whole_ns;
    double seen_ns = at->link.slope.value;
    double slope_ns = fmin(fmax(seen_ns * share_left(telling, at), at->delays.slope_ns), whole_ns);
    double model_ns = MODEL * slope_ns;
    double least_ns =
        fmin(at->delays.slope_ns, slope_ns) - hypot(INTERVAL_SIGMAS * at->delays.sigma_ns, model_ns);
    double most_ns = fmin(seen_ns + hypot(INTERVAL_SIGMAS * at->link.slope.sigma, model_ns),
                          whole_ns * (1 + telling->whole_share));
    double most_bps;

    hop->trains = at->link.slope.n;
    if (!is_read(at))
        return;
    most_ns = fmax(fmax(most_ns, slope_ns), 1);
    most_bps = READABLE * readable_bps(telling, at->link.slope.least);
    if (least_ns <= 0 || bits / slope_ns > most_bps)
        tell_bound(hop, fmin(bits / most_ns, most_bps));
    else if (slope_ns <= LIMITED_RATIO * at->link.departed_ns)
        tell_bound(hop, bits / most_ns);
    else
        tell_rate(telling, hop, least_ns, slope_ns, most_ns);
}

static struct at_rate *hops_narrow_rate_of(struct at_hop *hop, bool by_gaps)
{
    return by_gaps ? &hop->gaps : &hop->delays;
}

/* By their weights. */
static struct at_rate both(const struct at_rate *a, const struct at_rate *b)
{
    double weight_a = 1 / (a->sigma_ns * a->sigma_ns), weight_b = 1 / (b->sigma_ns * b->sigma_ns);

    return (struct at_rate){
        .slope_ns = (a->slope_ns * weight_a + b->slope_ns * weight_b) / (weight_a + weight_b),
        .sigma_ns = 1 / sqrt(weight_a + weight_b),
    };
}

/* The first links cannot be narrower than more of them: rates do not grow from hop to hop. What
 * does is one rate, by the weight of either (pool adjacent violators). */
static void hops_narrow_smooth(struct telling *telling, bool by_gaps)
{
    struct at_rate block[HOPS_MAX + 1];
    unsigned begins[HOPS_MAX + 2], blocks = 0;

    for (unsigned i = 1; i <= telling->links; i++) {
        struct at_rate rate = *hops_narrow_rate_of(&telling->hop[i], by_gaps);

        if (!is_read(&telling->hop[i]))
            continue;
        begins[blocks] = i;
        for (; blocks > 0 && block[blocks - 1].slope_ns > rate.slope_ns; blocks--)
            rate = both(&block[blocks - 1], &rate);
        block[blocks++] = rate;
    }
    begins[blocks] = telling->links + 1;
    for (unsigned k = 0; k < blocks; k++)
        for (unsigned i = begins[k]; i < begins[k + 1]; i++)
            *hops_narrow_rate_of(&telling->hop[i], by_gaps) = block[k];
}

/* --- The narrow link --- */

/* Cross traffic only ever adds to what is read: nothing is taken off here. */
static bool below_capacity(const struct telling *telling, const struct hops_slope *slope)
{
    double error_ns = hypot(SURE_SIGMAS * slope->sigma, MODEL * slope->value);

    return slope->value + error_ns
        < telling->whole_ns * (1 - (telling->sure ? telling->whole_share : UNSURE));
}

static bool below_whole(const struct telling *telling, const struct hops_slope *slope,
                        const struct hops_slope *whole)
{
    double error_ns = SURE_SIGMAS * hypot(slope->sigma, whole->sigma);

    return whole->n > 0 && whole->value < ADDED_MOST * telling->whole_ns && slope->value < telling->whole_ns
        && slope->value + error_ns < (1 - FASTER) * whole->value;
}

static bool is_before(const struct telling *telling, unsigned number)
{
    const struct at_hop *hop = &telling->hop[number];

    return is_read(hop)
        && (below_capacity(telling, &hop->link.slope) || below_capacity(telling, &hop->link.gaps)
            || below_whole(telling, &hop->link.slope, &hop->whole.slope)
            || below_whole(telling, &hop->link.gaps, &hop->whole.gaps));
}

static double spread_ns(const struct hops_slope *slope)
{
    return slope->longest.sigma * sqrt(slope->longest.n) / slope->most;
}

static bool is_busier(const struct telling *telling, const struct at_hop *hop)
{
    return spread_ns(&hop->link.slope)
        > BUSIER * hypot(spread_ns(&hop->whole.slope), QUIET * telling->whole_ns);
}

/* Surely at least so much. */
static double hops_narrow_least_of(const struct at_rate *rate)
{
    return rate->slope_ns - SURE_SIGMAS * rate->sigma_ns;
}

/* By delays or by gaps, whichever leaves less doubt. */
static bool is_behind(const struct telling *telling, unsigned number)
{
    const struct at_hop *hop = &telling->hop[number];

    return is_read(hop) && hop->whole.slope.n > 0
        && fmax(hops_narrow_least_of(&hop->delays), hops_narrow_least_of(&hop->gaps))
        > telling->whole_ns * (1 - NEAR)
        && !is_busier(telling, hop);
}

static bool any_unread(const struct telling *telling, unsigned from, unsigned end)
{
    for (unsigned i = from; i < end; i++)
        if (!is_read(&telling->hop[i]))
            return true;
    return false;
}

/* From after the last that is surely before it to the first that is surely not. */
static void find_narrow(const struct telling *telling, struct hops_estimate *result)
{
    unsigned links = telling->links, before = 0, behind = 0;

    for (unsigned i = 1; i < links; i++)
        if (is_before(telling, i))
            before = i;
    for (unsigned i = 1; i < links && behind == 0; i++)
        if (is_behind(telling, i) && !is_before(telling, i))
            behind = i;
    if (behind == 0)
        behind = links;
    result->narrow = before + 1 < behind ? before + 1 : behind;
    result->narrow_last = before + 1 > behind ? before + 1 : behind;
    result->narrow_bps = load_bits(telling) / telling->whole_ns;
    if (result->narrow != result->narrow_last)
        result->why =
            any_unread(telling, result->narrow, result->narrow_last) ? HOPS_WHY_FEW_TRAINS : HOPS_WHY_NEAR;
}

void hops_cells_doubt(struct hops_estimate *result)
{
    for (unsigned i = 0; i < HOPS_MAX; i++)
        if (result->hop[i].state == HOP_CONVERGED)
            result->hop[i].state = HOP_TENTATIVE;
}

/* Whether what crosses all that was tried reads faster than the path is. */
static bool is_faster(const struct telling *telling)
{
    return telling->sure && telling->end.n > 0
        && telling->end.value + SURE_SIGMAS * telling->end.sigma < telling->whole_ns * (1 - NEAR);
}

void hops_cells_tell(struct hops_cells *cells, const struct estimate *capacity, struct hops_estimate *result)
{
    struct telling telling = {.cells = cells, .capacity = capacity};

    telling.links = result->count != 0 ? result->count : cells->last;
    result->told = telling.links;
    find_whole(&telling);
    if (telling.whole_ns <= 0)
        return;
    result->why = telling.sure ? HOPS_WHY_NONE : HOPS_WHY_NO_CAPACITY;
    for (unsigned i = 1; i <= cells->last && i <= telling.links; i++)
        read_hop(&telling, i);
    hops_narrow_smooth(&telling, false);
    hops_narrow_smooth(&telling, true);
    for (unsigned i = 1; i <= telling.links; i++)
        tell_hop(&telling, &telling.hop[i], &result->hop[i - 1]);
    if (!is_faster(&telling)) {
        find_narrow(&telling, result);
    } else if (cells->last < telling.links) {
        result->narrow = cells->last + 1;
        result->narrow_last = telling.links;
        result->narrow_bps = capacity->capacity_bps;
        result->why = HOPS_WHY_BEYOND;
    } else {
        result->why = HOPS_WHY_BUCKET;
    }
}

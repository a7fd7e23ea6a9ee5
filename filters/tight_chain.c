/* SPDX-License-Identifier: BSD-3-Clause */
/* A hidden chain: what is free of the first links falls or stays from link to link, and trains show it. */
#include "filters/tight_chain.h"

#include <math.h>

/* --- One train --- */

/* A link's loads that are tried, from the least that its capacity allows to this. */
enum { LOADS = 6 };
#define LOAD_MOST 0.9

/* So far off is what the model says, a share of what a train of the link's own rate is held up. */
#define MODEL 0.04

/* What others send comes by so much at once: half a full frame, as packets of all sizes do one by one, or bursts of
 * them. */
static const double burst_bits[] = {6e3, 48e3, 360e3};
enum { BURSTS = sizeof burst_bits / sizeof burst_bits[0] };

/* Of Student's t with 11 degrees of freedom, so that what a host held up counts little. */
#define FREEDOM 11

/* Free of a link, and the share that others load it with. */
struct trial {
    double free_bps, load, burst_bits;
};

/* What the queue at the end of the train is on average, when it grows by drift_ns and others' packets make that
 * scatter: about max(0, drift_ns), and never less. With no drift, a queue that began empty would be at 0.4 of the scatter
 * (reflected at 0, half of 0.8); it seldom did. */
#define KNEE2 (0.4 * 0.4)

static double reflected_ns(double drift_ns, double scatter2)
{
    return (drift_ns + sqrt(drift_ns * drift_ns + KNEE2 * scatter2)) / 2;
}

/* Expected, and its deviation. */
struct held {
    double ns, sigma_ns;
};

static struct held held_by(const struct trial *trial, const struct tight_train *train, double scatter_ns)
{
    double idle = 1 - trial->load, slow = idle / trial->free_bps; /* 1 / capacity */
    double drift_ns = train->in_ns * (train->bps - trial->free_bps) * slow;
    double others2 = trial->load * train->in_ns * trial->burst_bits * 1e9 * slow;
    double queue_ns = reflected_ns(drift_ns, others2);
    double before_ns = reflected_ns(-train->in_ns * idle, others2);
    double off_ns = MODEL * train->in_ns * idle;
    double busy = queue_ns > 0 ? queue_ns / (2 * queue_ns - drift_ns) : 0; /* the slope of reflected_ns() */

    return (struct held){fmax(queue_ns - before_ns, 0),
                         sqrt(scatter_ns * scatter_ns + busy * (off_ns * off_ns + others2))};
}

/* Those of a hop. */
struct tight_trains {
    const struct tight_train *train;
    unsigned count;
    double scatter_ns;
};

/* Up to a constant one over: sigma (1 + t^2 / n)^((n + 1) / 2). */
static double unlikely(const struct held *held, const struct tight_train *train)
{
    double off = (train->held_ns - held->ns) / held->sigma_ns;
    double tail = 1 + off * off / FREEDOM, square = tail * tail;

    return held->sigma_ns * square * square * square;
}

/* --- The trains of a hop --- */

static double level_bps(const struct tight_chain *chain, unsigned level)
{
    return chain->low_bps * pow(chain->step, level);
}

static void set_levels(struct tight_chain *chain, const struct tight_train *train, unsigned count)
{
    double low_bps = INFINITY, high_bps = 0;

    for (unsigned i = 0; i < count; i++) {
        low_bps = fmin(low_bps, train[i].bps);
        high_bps = fmax(high_bps, train[i].bps);
    }
    chain->low_bps = low_bps;
    chain->step = pow(high_bps / low_bps, 1.0 / (TIGHT_LEVELS - 1));
}

/* The highest level stands for all above it: no train shows anything of a link that has so many times more. */
#define NONE 1e3

/* A logarithm for each train is most of the work: one for so large a product, which one factor more takes not
 * beyond 1e308. */
#define PRODUCT_MOST 1e150

static double log_likely_all(const struct tight_trains *trains, const struct trial *trial)
{
    double sum = 0, product = 1;

    for (unsigned i = 0; i < trains->count; i++) {
        struct held held = held_by(trial, &trains->train[i], trains->scatter_ns);

        product *= unlikely(&held, &trains->train[i]);
        if (product < PRODUCT_MOST)
            continue;
        sum -= log(product);
        product = 1;
    }
    return sum - log(product);
}

/* The mean over loads and bursts: which they are nobody asks. capacity_bps: no link of these has less. */
static double log_likely_free(const struct tight_trains *trains, double free_bps, double capacity_bps)
{
    double least = fmin(fmax(1 - free_bps / capacity_bps, 0), LOAD_MOST);
    double each[LOADS * BURSTS], most = -INFINITY, sum = 0;

    for (unsigned i = 0; i < LOADS * BURSTS; i++) {
        struct trial trial = {free_bps, least + (LOAD_MOST - least) * (i % LOADS) / (LOADS - 1),
                              burst_bits[i / LOADS]};

        each[i] = log_likely_all(trains, &trial);
        most = fmax(most, each[i]);
    }
    for (unsigned i = 0; i < LOADS * BURSTS; i++)
        sum += exp(each[i] - most) / (LOADS * BURSTS);
    return most + log(sum);
}

/* No few trains rule out a rate beyond this: what the model leaves out may have made them. */
#define LEAST_LIKELY 1e-9

/* From logarithms. */
static void make_shares(double *likely)
{
    double most = -INFINITY;

    for (unsigned level = 0; level < TIGHT_LEVELS; level++)
        most = fmax(most, likely[level]);
    for (unsigned level = 0; level < TIGHT_LEVELS; level++)
        likely[level] = fmax(exp(likely[level] - most), LEAST_LIKELY);
}

/* What has no more than the lowest level is as good as that. */
static void fill_hop(struct tight_chain *chain, const struct tight_trains *trains, double *likely,
                     double least_bps, double most_bps)
{
    struct trial none = {NONE * level_bps(chain, TIGHT_LEVELS - 1), 0, 0};

    for (unsigned level = 0; level < TIGHT_LEVELS; level++) {
        double bps = level_bps(chain, level);

        if (level > 0 && bps > most_bps)
            likely[level] = -INFINITY;
        else if (level == TIGHT_LEVELS - 1)
            likely[level] = log_likely_all(trains, &none);
        else
            likely[level] = log_likely_free(trains, bps, least_bps);
    }
    make_shares(likely);
}

void tight_chain_fill(struct tight_chain *chain, const struct tight_train *train, unsigned count,
                      double scatter_ns, const struct hops_estimate *hops, const struct estimate *capacity)
{
    double path_bps = estimate_claims(capacity) ? capacity->low_bps : 0;

    chain->links = hops->count;
    set_levels(chain, train, count);
    for (unsigned hop = 1; hop <= chain->links; hop++) {
        const struct hop *link = &hops->hop[hop - 1];
        struct tight_trains trains = {train, 0, scatter_ns};

        while (trains.count < count && train[trains.count].hop == hop)
            trains.count++;
        fill_hop(chain, &trains, chain->likely[hop], fmax(fmax(link->low_bps, path_bps), 1),
                 chain->step * (link->high_bps > 0 ? link->high_bps : INFINITY));
        chain->trains[hop] = trains.count;
        train += trains.count;
        count -= trains.count;
    }
}

/* --- All of the path --- */

void tight_chain_whole(struct tight_chain *chain, const struct available_estimate *available)
{
    double *likely = chain->likely[chain->links];

    if (available->state != AVAILABLE_CONVERGED && available->state != AVAILABLE_AT_LEAST) /* no guess */
        return;
    for (unsigned level = 0; level < TIGHT_LEVELS; level++) {
        double bps = level_bps(chain, level), off = 0;

        if (bps < available->low_bps)
            off = log(available->low_bps / bps);
        else if (available->state != AVAILABLE_AT_LEAST && bps > available->high_bps)
            off = log(bps / available->high_bps);
        likely[level] = log(likely[level]) - off * off / (2 * 0.1 * 0.1);
    }
    make_shares(likely); /* it may lie far from all rates */
}

/* --- The chain --- */

/* Links are alike before anything is known of them: the next has less free than all before it once in as many
 * times, and as likely each rate below theirs, by its logarithm. */
static double stays(unsigned hop)
{
    return 1 - 1.0 / hop;
}

static double normalise(double *likely)
{
    double sum = 0;

    for (unsigned level = 0; level < TIGHT_LEVELS; level++)
        sum += likely[level];
    for (unsigned level = 0; level < TIGHT_LEVELS; level++)
        likely[level] /= sum;
    return sum;
}

static void go_ahead(struct tight_chain *chain)
{
    for (unsigned hop = 1; hop <= chain->links; hop++) {
        const double *before = chain->ahead[hop - 1];
        double *now = chain->ahead[hop], falls = 0;

        for (unsigned level = TIGHT_LEVELS; level-- > 0;) {
            if (hop == 1) {
                now[level] = 1.0 / TIGHT_LEVELS;
            } else {
                now[level] = before[level] * (level > 0 ? stays(hop) : 1) + falls;
                falls += level > 0 ? before[level] * (1 - stays(hop)) / level : 0;
            }
            now[level] *= chain->likely[hop][level];
        }
        normalise(now);
    }
}

/* Of all levels from the lowest on, the first at which so much is reached. */
static unsigned level_of(const double *likely, double share)
{
    double sum = 0;
    unsigned level = 0;

    for (; level + 1 < TIGHT_LEVELS; level++) {
        sum += likely[level];
        if (sum >= share)
            break;
    }
    return level;
}

/* A bound is less by this: loads of links behind, and others' bursts, are no part of the model. */
#define BOUND_OFF 1.15

/* Rates so near to each other are as one: links that have so little more free are as tight. */
#define ALIKE 1.1

/* Trains that the lowest rate holds up do not show how much less is free. */
static bool is_shown(const struct tight_chain *chain, unsigned level)
{
    return level_bps(chain, level) > ALIKE * chain->low_bps;
}

static void tell_hop(const struct tight_chain *chain, const double *likely, unsigned hop,
                     struct tight_hop *told)
{
    unsigned middle = level_of(likely, 0.5), low = level_of(likely, 0.025);

    told->trains = chain->trains[hop];
    told->low_bps = is_shown(chain, low) ? level_bps(chain, low) / BOUND_OFF : 0;
    told->available_bps = middle < TIGHT_LEVELS - 1 ? level_bps(chain, middle) : 0;
}

/* To the hop before, from what the trains of this one and of all later ones say of its rates; of scale_by, a factor
 * against underflow. */
static void go_back(const struct tight_chain *chain, unsigned hop, double *behind, double scale)
{
    double falls = 0;

    for (unsigned level = 0; level < TIGHT_LEVELS; level++) {
        double here = behind[level] * chain->likely[hop][level] * scale;

        behind[level] = level > 0 ? here * stays(hop) + falls * (1 - stays(hop)) / level : here;
        falls += here;
    }
}

/* Each hop by itself; and the factors for go_back(). */
static void tell_hops(struct tight_chain *chain, struct tight_estimate *result)
{
    double behind[TIGHT_LEVELS], likely[TIGHT_LEVELS];

    for (unsigned level = 0; level < TIGHT_LEVELS; level++)
        behind[level] = 1;
    for (unsigned hop = chain->links; hop > 0; hop--) {
        for (unsigned level = 0; level < TIGHT_LEVELS; level++)
            likely[level] = chain->ahead[hop][level] * behind[level];
        normalise(likely);
        tell_hop(chain, likely, hop, &result->hop[hop - 1]);
        go_back(chain, hop, behind, 1);
        chain->scale[hop] = 1 / normalise(behind);
    }
}

/* How likely it is that the first so many links have no more free than all of them, but for that share: for each rate
 * that all may have, back from there. */
struct shares {
    double within[HOPS_MAX + 1];
    double shown[HOPS_MAX + 1]; /* and that trains showed how much all have */
};

static void find_shares(struct tight_chain *chain, struct shares *shares)
{
    double behind[TIGHT_LEVELS], all[HOPS_MAX + 1] = {0};
    unsigned alike = (unsigned)fmin(log(ALIKE) / log(chain->step), TIGHT_LEVELS); /* or of one rate */

    *shares = (struct shares){{0}, {0}};
    for (unsigned last = 0; last < TIGHT_LEVELS; last++) {
        for (unsigned level = 0; level < TIGHT_LEVELS; level++)
            behind[level] = level == last;
        for (unsigned hop = chain->links; hop > 0; hop--) {
            for (unsigned level = 0; level < TIGHT_LEVELS; level++) {
                double likely = chain->ahead[hop][level] * behind[level];

                all[hop] += likely;
                shares->within[hop] += level <= last + alike ? likely : 0;
                shares->shown[hop] += level <= last + alike && is_shown(chain, last) ? likely : 0;
            }
            go_back(chain, hop, behind, chain->scale[hop]);
        }
    }
    for (unsigned hop = 1; hop <= chain->links; hop++) {
        shares->within[hop] /= all[hop];
        shares->shown[hop] /= all[hop];
    }
}

/* What is told is wrong by chance that often, at each end. */
#define CHANCE 0.02

/* Fewer of each hop are few. */
enum { LINK_TRAINS = 8 };

static bool has_few(const struct tight_chain *chain)
{
    for (unsigned hop = 1; hop <= chain->links; hop++)
        if (chain->trains[hop] < LINK_TRAINS)
            return true;
    return false;
}

/* By what is shown only: the range would end sooner if the lowest rate were lower. */
static enum tight_why why_several(const struct tight_chain *chain, const struct shares *shares, unsigned last)
{
    if (has_few(chain))
        return TIGHT_WHY_FEW_TRAINS;
    return shares->within[last - 1] >= 1 - CHANCE ? TIGHT_WHY_FAST : TIGHT_WHY_NEAR;
}

/* Any of them is no answer. */
static void find_tight(struct tight_chain *chain, struct tight_estimate *result)
{
    struct shares shares;
    unsigned first = 1, last = chain->links;

    find_shares(chain, &shares);
    while (first < chain->links && shares.within[first] < CHANCE)
        first++;
    while (last > first && shares.shown[last - 1] >= 1 - CHANCE)
        last--;
    result->why = first == last ? TIGHT_WHY_NONE : why_several(chain, &shares, last);
    if (first == 1 && last == chain->links && last > 1)
        return;
    result->tight = first;
    result->tight_last = last;
}

void tight_chain_tell(struct tight_chain *chain, struct tight_estimate *result)
{
    const struct tight_hop *whole = &result->hop[chain->links - 1];

    go_ahead(chain);
    tell_hops(chain, result);
    result->tight = result->tight_last = 0;
    result->tight_bps = whole->available_bps;
    result->why = TIGHT_WHY_SLOW;
    if (whole->available_bps > 0)
        find_tight(chain, result);
}

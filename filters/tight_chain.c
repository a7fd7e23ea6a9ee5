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

/* Others' packets are full frames at the most. */
#define OTHERS_BITS 12144

/* Of Student's t, so that what a host held up counts little. */
#define FREEDOM 12
#ifndef KNEE
#define KNEE 0.8
#endif

/* Free of a link, and the share that others load it with. */
struct trial {
    double free_bps, load;
};

/* What the queue at the end of the train is on average, when it grows by drift_ns and others' packets make that
 * scatter: about max(0, drift_ns), and never less. */
static double reflected_ns(double drift_ns, double scatter_ns)
{
    return (drift_ns + hypot(drift_ns, KNEE * scatter_ns)) / 2;
}

/* Expected, and its deviation. */
struct held {
    double ns, sigma_ns;
};

static struct held held_by(const struct trial *trial, const struct tight_train *train, double scatter_ns)
{
    double idle = 1 - trial->load, slow = idle / trial->free_bps; /* 1 / capacity */
    double drift_ns = train->in_ns * (train->bps - trial->free_bps) * slow;
    double others2 = trial->load * train->in_ns * OTHERS_BITS * 1e9 * slow;
    double queue_ns = reflected_ns(drift_ns, sqrt(others2));
    double before_ns = reflected_ns(-train->in_ns * idle, sqrt(others2));
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

/* Up to a constant. */
static double log_likely(const struct held *held, const struct tight_train *train)
{
    double off = (train->held_ns - held->ns) / held->sigma_ns;

    return -log(held->sigma_ns) - (FREEDOM + 1) / 2.0 * log1p(off * off / FREEDOM);
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

static double log_likely_all(const struct tight_trains *trains, const struct trial *trial)
{
    double sum = 0;

    for (unsigned i = 0; i < trains->count; i++) {
        struct held held = held_by(trial, &trains->train[i], trains->scatter_ns);
        sum += log_likely(&held, &trains->train[i]);
    }
    return sum;
}

/* The mean over loads: which one it is nobody asks. capacity_bps: no link of these has less. */
static double log_likely_free(const struct tight_trains *trains, double free_bps, double capacity_bps)
{
    double least = fmin(fmax(1 - free_bps / capacity_bps, 0), LOAD_MOST), each[LOADS], most = -INFINITY,
           sum = 0;

    for (unsigned i = 0; i < LOADS; i++) {
        struct trial trial = {free_bps, least + (LOAD_MOST - least) * i / (LOADS - 1)};

        each[i] = log_likely_all(trains, &trial);
        most = fmax(most, each[i]);
    }
    for (unsigned i = 0; i < LOADS; i++)
        sum += exp(each[i] - most) / LOADS;
    return most + log(sum);
}

/* From logarithms. */
static void make_shares(double *likely)
{
    double most = -INFINITY;

    for (unsigned level = 0; level < TIGHT_LEVELS; level++)
        most = fmax(most, likely[level]);
    for (unsigned level = 0; level < TIGHT_LEVELS; level++)
        likely[level] = exp(likely[level] - most);
}

/* What has no more than the lowest level is as good as that. */
static void fill_hop(struct tight_chain *chain, const struct tight_trains *trains, double *likely,
                     double least_bps, double most_bps)
{
    struct trial none = {NONE * level_bps(chain, TIGHT_LEVELS - 1), 0};

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

    if (available->state == AVAILABLE_UNKNOWN)
        return;
    for (unsigned level = 0; level < TIGHT_LEVELS; level++) {
        double bps = level_bps(chain, level), off = 0;

        if (bps < available->low_bps)
            off = log(available->low_bps / bps);
        else if (available->state != AVAILABLE_AT_LEAST && bps > available->high_bps)
            off = log(bps / available->high_bps);
        likely[level] *= exp(-off * off / (2 * 0.1 * 0.1));
    }
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

static void tell_hop(const struct tight_chain *chain, const double *likely, unsigned hop, struct hop *told)
{
    unsigned low = level_of(likely, 0.025), middle = level_of(likely, 0.5), high = level_of(likely, 0.975);

    *told = (struct hop){.trains = chain->trains[hop]};
    if (high == TIGHT_LEVELS - 1) {
        told->state = HOP_AT_LEAST;
        told->capacity_bps = told->low_bps = level_bps(chain, low);
        return;
    }
    told->state = HOP_CONVERGED;
    told->capacity_bps = level_bps(chain, middle);
    told->low_bps = level_bps(chain, low) / sqrt(chain->step);
    told->high_bps = level_bps(chain, high) * sqrt(chain->step);
}

/* From the last link to the first, once what is before each is known: behind has what the trains of all later
 * links say, same how likely these have the same rate free as this one. */
void tight_chain_tell(struct tight_chain *chain, struct tight_estimate *result)
{
    double behind[TIGHT_LEVELS], same[TIGHT_LEVELS], likely[TIGHT_LEVELS];

    go_ahead(chain);
    for (unsigned level = 0; level < TIGHT_LEVELS; level++)
        behind[level] = same[level] = 1;
    result->tight = 1;
    result->tight_last = chain->links;
    for (unsigned hop = chain->links; hop > 0; hop--) {
        double all = 0, stayed = 0, falls = 0;

        for (unsigned level = 0; level < TIGHT_LEVELS; level++) {
            likely[level] = chain->ahead[hop][level] * behind[level];
            all += likely[level];
            stayed += chain->ahead[hop][level] * same[level];
        }
        normalise(likely);
        tell_hop(chain, likely, hop, &result->hop[hop - 1]);
        if (stayed < 0.02 * all && result->tight == 1)
            result->tight = hop + 1;
        if (stayed >= 0.98 * all)
            result->tight_last = hop;
        if (hop == chain->links)
            result->tight_bps = result->hop[hop - 1].capacity_bps;
        /* to the link before */
        for (unsigned level = 0; level < TIGHT_LEVELS; level++) {
            double here = behind[level] * chain->likely[hop][level];
            behind[level] =
                here * (level > 0 ? stays(hop) : 1) + (level > 0 ? falls * (1 - stays(hop)) / level : 0);
            falls += here;
            same[level] *= chain->likely[hop][level] * (level > 0 ? stays(hop) : 1);
        }
    }
    result->why = TIGHT_WHY_NONE;
    if (result->hop[chain->links - 1].state == HOP_AT_LEAST) {
        result->why = TIGHT_WHY_SLOW;
        result->tight = result->tight_last = 0;
    } else if (result->tight != result->tight_last) {
        result->why = TIGHT_WHY_NEAR;
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/available_weigh.h"

#include "filters/available_own.h"

#include <math.h>

/* --- The readings --- */

/* Below it, scatter says nothing. */
enum { DIRECT_TRAINS = 6 };

/* Of a bound: chance is beyond it once in 20 times. */
#define BOUND_SURE 1.65

/* Rates of links differ by no more than chance makes. */
#define LINK_SURE 2

/* And by what bursts do to a fit, which let the queue run empty: a share. */
#define LINK_OFF 0.03

/* The trains' own fit stands for a capacity that is only guessed, where both may be the same. */
#define GUESS_OFF 0.35
#define GUESS_ERROR 0.05

/* Faster trains tell the rate better, but may have been slowed down on their way: by the sender's
 * own adapter, after they were stamped, or an access link. */
#define LINK_NEAR 2.6
#define LINK_FAR 8

static struct link_rate available_weigh_read_link(struct available_readings *all, double capacity_bps)
{
    struct link_rate near = link_rate_read(&all->trains, capacity_bps, LINK_NEAR * capacity_bps);
    struct link_rate far = link_rate_read(&all->trains, capacity_bps, LINK_FAR * capacity_bps);

    if (near.n == 0 || far.n == 0)
        return far.n == 0 ? near : far;
    return near.bps - far.bps > LINK_SURE * hypot(near.error_bps, far.error_bps) ? near : far;
}

/* A rate that the filter may mean, but is not sure of, as others at a constant rate make all its trains alike: trains
 * that left at many rates and fit one link of it bear it out. */
static bool available_weigh_borne_out(const struct link_rate *link, const struct estimate *capacity)
{
    return (capacity->state == STATE_TENTATIVE || capacity->state == STATE_AMBIGUOUS)
        && link->error_bps <= LINK_OFF * link->bps && link->bps >= capacity->low_bps
        && link->bps <= capacity->high_bps;
}

static void settle_capacity(struct available_readings *all, const struct estimate *capacity)
{
    all->capacity_bps = capacity->capacity_bps;
    all->capacity_error_bps = fmax(capacity->high_bps - capacity->low_bps, 0) / 4;
    all->capacity_least_bps = fmin(capacity->low_bps, capacity->capacity_bps);
    all->capacity_most_bps = fmax(capacity->high_bps, capacity->capacity_bps);
    all->told_bps = capacity->capacity_bps;
    all->sure = capacity->state == STATE_CONVERGED;
    all->link = available_weigh_read_link(all, capacity->capacity_bps);
    if (all->sure || all->link.n == 0 || all->link.error_bps > GUESS_ERROR * all->link.bps
        || fabs(all->link.bps - all->capacity_bps) > GUESS_OFF * all->capacity_bps)
        return;
    all->sure = available_weigh_borne_out(&all->link, capacity);
    all->capacity_bps = all->link.bps;
    all->capacity_error_bps = all->link.error_bps;
    all->capacity_least_bps = all->sure ? all->link.bps - BOUND_SURE * all->link.error_bps
                                        : fmin(all->capacity_least_bps, all->link.bps);
    all->capacity_most_bps = fmax(all->capacity_most_bps, all->link.bps);
}

static void read_by_idle(struct available_readings *all)
{
    struct own own = own_read(&all->trains);

    all->random = own.random;
    if (all->idle.n == 0 || !(own.time_ns > 0))
        return;
    all->by_idle = (struct available_reading){
        true, own_by_idle_share(&all->trains, &own, all->capacity_bps, all->idle.share),
        hypot(all->capacity_bps * all->idle.error, all->idle.share * all->capacity_error_bps)};
    all->least_bps = own_by_idle_share(&all->trains, &own, all->capacity_least_bps,
                                       fmax(all->idle.share - BOUND_SURE * all->idle.error, 0));
}

static void read_by_direct(struct available_readings *all)
{
    const struct direct *direct = &all->direct;

    all->direct = direct_read(&all->trains, all->capacity_bps);
    if (direct->n < DIRECT_TRAINS)
        return;
    all->by_direct = (struct available_reading){
        true, direct->available_bps,
        hypot(hypot(direct->error_bps, direct->lever * all->capacity_error_bps), direct->lost_bps)};
}

void available_read(struct available_readings *all, const struct estimate *capacity)
{
    settle_capacity(all, capacity);
    read_by_idle(all);
    read_by_direct(all);
}

/* --- Whether they agree --- */

/* They differ by no more than chance makes, and chance makes little: shares of C. Behind several
 * loaded links fewer first packets are idle than any of the links, and trains show more. */
#define AGREE_SURE 2
#define AGREE_MORE 1.3
#define AGREE_ERROR 0.055

static bool readings_agree(const struct available_readings *all)
{
    double error_bps = hypot(all->by_idle.error_bps, all->by_direct.error_bps);

    return all->by_idle.known && all->by_direct.known && error_bps <= AGREE_ERROR * all->capacity_bps
        && all->by_idle.bps - all->by_direct.bps <= AGREE_SURE * error_bps
        && all->by_direct.bps - all->by_idle.bps <= AGREE_MORE * error_bps;
}

/* What is read from trains does not depend on their rate, or C is another: the slope is 1 - C / C'. */
static bool available_weigh_one_link(const struct available_readings *all)
{
    return fabs(all->direct.slope) <= LINK_OFF + LINK_SURE * all->direct.slope_error;
}

/* --- What is told --- */

/* An interval that is wider is none to be shown as fact: half of it, share of C as it is told. */
#define WIDE 0.08

/* A bound that is less says nothing. */
#define BOUND_LEAST 0.01

/* Two readings of the same trains: by the inverse of their variance, and some more each, for what
 * no scatter shows. */
#define UNSEEN 1e-3

static double available_weigh_weight_of(const struct available_reading *reading, double capacity_bps)
{
    double unseen_bps = UNSEEN * capacity_bps;

    return reading->known ? 1 / (reading->error_bps * reading->error_bps + unseen_bps * unseen_bps) : 0;
}

static struct available_reading weigh_together(const struct available_readings *all)
{
    double idle = available_weigh_weight_of(&all->by_idle, all->capacity_bps);
    double direct = available_weigh_weight_of(&all->by_direct, all->capacity_bps);

    if (!(idle + direct > 0))
        return (struct available_reading){0};
    return (struct available_reading){
        true,
        fmin(fmax((idle * all->by_idle.bps + direct * all->by_direct.bps) / (idle + direct), 0),
             all->capacity_bps),
        1 / sqrt(idle + direct)};
}

/* Another link that is loaded, too, makes trains slower, and the more the faster they are: slower ones would show more,
 * along the slope as it may be. */
static double shown_by_slower(const struct available_readings *all)
{
    double fall = fmax(all->direct.slope_error - all->direct.slope, 0);

    return all->by_direct.bps + all->direct.lever * all->capacity_bps * fall;
}

/* 95 %, and one deviation about each reading that there is; of a link, no more than it may carry. */
static void set_interval(const struct available_readings *all, const struct available_reading *mean,
                         struct available_estimate *result)
{
    const struct available_reading *each[2] = {&all->by_idle, &all->by_direct};
    double low_bps = mean->bps - 2 * mean->error_bps, high_bps = mean->bps + 2 * mean->error_bps;

    for (unsigned i = 0; i < 2; i++)
        if (each[i]->known) {
            low_bps = fmin(low_bps, each[i]->bps - each[i]->error_bps);
            high_bps = fmax(high_bps, each[i]->bps + each[i]->error_bps);
        }
    if (all->by_direct.known)
        high_bps = fmax(high_bps, shown_by_slower(all) + all->by_direct.error_bps);
    result->available_bps = mean->bps;
    result->low_bps = fmax(low_bps, 0);
    result->high_bps = fmin(high_bps, all->capacity_most_bps);
}

/* The floor is so wide that its bound would be far below what trains show. */
static bool blurred(const struct available_readings *all)
{
    return all->by_direct.known && all->by_idle.error_bps > AGREE_ERROR * all->capacity_bps;
}

/* Small packets of others take no longer than a wide floor: then trains must bear the bound out,
 * which show no more than is free of the narrow link. */
#define SMALL_BITS 4096

static double available_weigh_bound(const struct available_readings *all)
{
    if (!all->by_idle.known)
        return 0;
    if (all->by_direct.known)
        return fmin(all->least_bps, all->by_direct.bps + all->by_direct.error_bps);
    return all->idle.width_ns * all->capacity_bps <= SMALL_BITS * 1e9 ? all->least_bps : 0;
}

static void tell_at_least(struct available_estimate *result, double bps)
{
    result->state = AVAILABLE_AT_LEAST;
    result->available_bps = result->low_bps = bps;
    result->high_bps = 0;
}

static void available_weigh_conclude(const struct available_readings *all, struct available_estimate *result)
{
    struct available_reading mean = weigh_together(all);
    bool single;

    if (!mean.known)
        return;
    set_interval(all, &mean, result);
    result->state = AVAILABLE_TENTATIVE;
    if (!all->sure || !all->random)
        return;
    single = available_weigh_one_link(all);
    if (single && readings_agree(all) && result->high_bps - result->low_bps <= 2 * WIDE * all->told_bps)
        result->state = AVAILABLE_CONVERGED;
    else if (available_weigh_bound(all) > BOUND_LEAST * all->capacity_bps && !(single && blurred(all)))
        tell_at_least(result, available_weigh_bound(all));
}

/* A bucket passes what it holds at once: who waits for nothing, and what trains no longer than it
 * meet, says nothing of its rate. */
static void conclude_shaped(const struct available_readings *all, const struct estimate *capacity,
                            struct available_estimate *result)
{
    struct direct direct = shaped_read(&all->trains, capacity->capacity_bps, capacity->burst_bytes);
    double low_bps = direct.available_bps - 2 * direct.error_bps;

    if (direct.n >= DIRECT_TRAINS && low_bps > BOUND_LEAST * capacity->capacity_bps)
        tell_at_least(result, fmin(low_bps, capacity->capacity_bps));
}

/* Other flows cannot take that from us, however much they send. */
static void conclude_fair(const struct estimate *capacity, struct available_estimate *result)
{
    if (capacity->share_bps > 0)
        tell_at_least(result, capacity->share_bps);
}

/* Long trains end at a bucket, or at a full queue. If it is a bucket, so much less passes, and nobody knows how much. */
static void conclude_cut(const struct available_readings *all, struct available_estimate *result)
{
    if (result->state == AVAILABLE_UNKNOWN)
        return;
    result->state = AVAILABLE_TENTATIVE;
    result->low_bps = 0;
    result->high_bps = fmax(result->high_bps, all->capacity_most_bps);
}

void available_weigh(const struct available_readings *all, const struct estimate *capacity,
                     struct available_estimate *result)
{
    switch (capacity->state) {
    case STATE_INSUFFICIENT: return;
    case STATE_SHAPED: conclude_shaped(all, capacity, result); return;
    case STATE_FAIR: conclude_fair(capacity, result); return;
    default: available_weigh_conclude(all, result);
    }
    if (capacity->why == WHY_LOSSES && !(capacity->policed_bps > 0))
        conclude_cut(all, result);
    if (capacity->state == STATE_POLICED && capacity->policed_bps > 0) {
        result->available_bps = fmin(result->available_bps, capacity->policed_bps);
        result->low_bps = fmin(result->low_bps, result->available_bps);
        result->high_bps = fmin(result->high_bps, capacity->policed_bps);
    }
}

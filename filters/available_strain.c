/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/available_strain.h"

#include <math.h>

/* Rates at which the queue stays busy; capacity is known to a few hundredths, and just below it
 * pauses of the queue are rare. Above the last one the error of C, and the counting noise of a
 * short time, are all that is left. */
#define DIRECT_LEAST 0.97
#define DIRECT_MOST 3.0

/* Of C: an access link of twice the rate, or so, is common. What left faster came at that, and counts only where it
 * shows no less. */
#define DIRECT_NEAR 1.9
#define FAR_SURE 1.5
enum { FAR_LEAST = 3 };

/* Faster trains say little of what is free of a bucket's rate. */
#define SHAPED_MOST 8

/* What a train shows free: the queue, while it is busy, serves the train and what crosses it, so
 * C out = bytes + cross; cross comes for as long as the train does. */
static double free_bps(const struct available_train *train, double capacity_bps)
{
    return capacity_bps * (1 - (double)train->out_ns / (double)train->in_ns)
        + train->bytes * 8e9 / (double)train->in_ns;
}

/* A host that stops for a while holds packets up, and passes them on at once. After a pause that a
 * queue made, packets follow at the rate of the link, and not at twice that; and what made it came
 * within one gap of the train, from a host that hands over at once no more than 64 KiB, as TCP segments: 44 full
 * frames. */
#define HELD_AFTER 0.5
#define HELD_GREATEST 44

static bool available_strain_held(const struct available_train *train, double capacity_bps)
{
    double packet_ns = 8e9 * train->first_bytes / capacity_bps;
    double gap_ns = 8e9 * train->first_bytes / available_train_in_bps(train);

    return (double)train->after_ns < HELD_AFTER * packet_ns
        || (double)train->greatest_ns > HELD_GREATEST * fmax(gap_ns, packet_ns);
}

static bool at(const struct available_train *train, double capacity_bps, double least_bps, double most_bps)
{
    if (train->in_ns <= 0 || train->lost_bytes > train->bytes / 8
        || available_strain_held(train, capacity_bps))
        return false;
    return available_train_in_bps(train) >= least_bps && available_train_in_bps(train) < most_bps;
}

/* --- Trains that keep the queue busy --- */

struct sums {
    unsigned n;
    double weight, value, rate, lost;         /* first round: sums, then means */
    double scatter, spread, together, leaned; /* second round */
};

static void add_first(struct sums *sums, const struct available_train *train, double capacity_bps)
{
    double weight = (double)train->in_ns;

    sums->n++;
    sums->weight += weight;
    sums->value += weight * free_bps(train, capacity_bps);
    sums->rate += weight * available_train_in_bps(train);
    sums->lost += train->lost_bytes * 8e9;
}

static void add_second(struct sums *sums, const struct available_train *train, double capacity_bps)
{
    double weight = (double)train->in_ns;
    double off_bps = free_bps(train, capacity_bps) - sums->value;
    double rate_bps = available_train_in_bps(train) - sums->rate;

    sums->scatter += weight * weight * off_bps * off_bps;
    sums->spread += weight * rate_bps * rate_bps;
    sums->together += weight * rate_bps * off_bps;
    sums->leaned += weight * weight * rate_bps * rate_bps * off_bps * off_bps;
}

static struct sums available_strain_sum_up(const struct available_trains *trains, double capacity_bps,
                                           double least_bps, double most_bps)
{
    struct sums sums = {0};

    for (unsigned i = 0; i < trains->count; i++)
        if (at(available_train_at(trains, i), capacity_bps, least_bps, most_bps))
            add_first(&sums, available_train_at(trains, i), capacity_bps);
    if (sums.n == 0)
        return sums;
    sums.value /= sums.weight;
    sums.rate /= sums.weight;
    sums.lost /= sums.weight;
    for (unsigned i = 0; i < trains->count; i++)
        if (at(available_train_at(trains, i), capacity_bps, least_bps, most_bps))
            add_second(&sums, available_train_at(trains, i), capacity_bps);
    return sums;
}

/* Of few values, scatter says less than it should. */
static double of_few(unsigned n)
{
    return student(n) / 2 * sqrt((double)n / (n - 1));
}

static struct direct read_between(const struct available_trains *trains, double capacity_bps, double least,
                                  double most)
{
    struct sums sums =
        available_strain_sum_up(trains, capacity_bps, least * capacity_bps, most * capacity_bps);
    struct direct direct = {.n = sums.n};

    if (sums.n < 2)
        return (struct direct){0};
    direct.available_bps = sums.value;
    direct.error_bps = of_few(sums.n) * sqrt(sums.scatter) / sums.weight;
    direct.lost_bps = sums.lost;
    direct.lever = (sums.rate - sums.value) / capacity_bps;
    if (sums.spread > 0) {
        direct.slope = sums.together / sums.spread;
        direct.slope_error = of_few(sums.n) * sqrt(sums.leaned) / sums.spread;
    }
    return direct;
}

struct direct direct_read(const struct available_trains *trains, double capacity_bps)
{
    struct direct near = read_between(trains, capacity_bps, DIRECT_LEAST, DIRECT_NEAR);
    struct direct far = read_between(trains, capacity_bps, DIRECT_NEAR, DIRECT_MOST);

    if (far.n < FAR_LEAST
        || (near.n >= FAR_LEAST
            && near.available_bps - far.available_bps > FAR_SURE * hypot(near.error_bps, far.error_bps)))
        return near;
    return read_between(trains, capacity_bps, DIRECT_LEAST, DIRECT_MOST);
}

/* --- Trains that empty a bucket --- */

/* Twice what it holds, so that it ends early on. */
#define EMPTIES 2

static bool empties(const struct available_train *train, double rate_bps, double burst_bytes)
{
    double in_bps;

    if (!at(train, rate_bps, DIRECT_LEAST * rate_bps, SHAPED_MOST * rate_bps))
        return false;
    in_bps = available_train_in_bps(train);
    return train->bytes * (1 - rate_bps / in_bps) >= EMPTIES * burst_bytes;
}

/* A mean of trains, weighted by how long each came, and its error from how they scatter. */
struct weighted {
    unsigned n;
    double weights, sum, squares;
};

static void weighted_add(struct weighted *all, double weight, double bps)
{
    all->n++;
    all->weights += weight;
    all->sum += weight * bps;
    all->squares += weight * weight * bps * bps;
}

static double weighted_mean(const struct weighted *all)
{
    return all->sum / all->weights;
}

static double weighted_error(const struct weighted *all)
{
    double mean = weighted_mean(all);

    return of_few(all->n)
        * sqrt(fmax(all->squares / (all->weights * all->weights) - mean * mean / all->n, 0));
}

struct direct shaped_read(const struct available_trains *trains, double rate_bps, double burst_bytes)
{
    struct weighted all = {0};

    for (unsigned i = 0; i < trains->count; i++) {
        const struct available_train *train = available_train_at(trains, i);
        double weight = (double)train->in_ns;

        if (empties(train, rate_bps, burst_bytes))
            weighted_add(&all, weight, free_bps(train, rate_bps) - burst_bytes * 8e9 / weight);
    }
    if (all.n < 2)
        return (struct direct){0};
    return (struct direct){
        .n = all.n, .available_bps = weighted_mean(&all), .error_bps = weighted_error(&all)};
}

/* --- The rate of the link --- */

/* Least squares of out = gap * bits + load * in; who came for longer met more of the scatter of
 * what crosses: weights go by 1 / (in + the time that the bits of a packet took). */
struct fit {
    unsigned n;
    double bits2, both, in2, bits_out, in_out; /* sums */
    double gap, load;
};

static bool available_strain_fits(const struct available_train *train, double least_bps, double most_bps)
{
    return train->in_ns > 0 && train->lost_bytes == 0 && !available_strain_held(train, least_bps)
        && available_train_in_bps(train) >= least_bps && available_train_in_bps(train) < most_bps;
}

static double available_strain_weight_of(const struct available_train *train)
{
    return 1 / ((double)train->in_ns + (double)train->out_ns / train->sent);
}

static struct fit fit_link(const struct available_trains *trains, double least_bps, double most_bps)
{
    struct fit fit = {0};
    double determinant;

    for (unsigned i = 0; i < trains->count; i++) {
        const struct available_train *train = available_train_at(trains, i);
        double bits = train->bytes * 8e9, in = (double)train->in_ns, out = (double)train->out_ns;

        if (!available_strain_fits(train, least_bps, most_bps))
            continue;
        fit.n++;
        fit.bits2 += available_strain_weight_of(train) * bits * bits;
        fit.both += available_strain_weight_of(train) * bits * in;
        fit.in2 += available_strain_weight_of(train) * in * in;
        fit.bits_out += available_strain_weight_of(train) * bits * out;
        fit.in_out += available_strain_weight_of(train) * in * out;
    }
    determinant = fit.bits2 * fit.in2 - fit.both * fit.both;
    if (fit.n < 8 || !(determinant > 1e-6 * fit.bits2 * fit.in2))
        return (struct fit){0};
    fit.gap = (fit.bits_out * fit.in2 - fit.in_out * fit.both) / determinant;
    fit.load = (fit.in_out * fit.bits2 - fit.bits_out * fit.both) / determinant;
    return fit;
}

/* Standard error of the gap, from what is left of each train (White 1980). */
static double gap_error(const struct available_trains *trains, double least_bps, double most_bps,
                        const struct fit *fit)
{
    double determinant = fit->bits2 * fit->in2 - fit->both * fit->both, sum = 0;

    for (unsigned i = 0; i < trains->count; i++) {
        const struct available_train *train = available_train_at(trains, i);
        double bits = train->bytes * 8e9, in = (double)train->in_ns, left, pull;

        if (!available_strain_fits(train, least_bps, most_bps))
            continue;
        left = (double)train->out_ns - fit->gap * bits - fit->load * in;
        pull = available_strain_weight_of(train) * (bits * fit->in2 - in * fit->both) / determinant;
        sum += pull * pull * left * left;
    }
    return of_few(fit->n) * sqrt(sum);
}

struct link_rate link_rate_read(const struct available_trains *trains, double least_bps, double most_bps)
{
    struct fit fit = fit_link(trains, least_bps, most_bps);
    double error;

    if (fit.n == 0 || !(fit.gap > 0))
        return (struct link_rate){0};
    error = gap_error(trains, least_bps, most_bps, &fit);
    return (struct link_rate){fit.n, 1 / fit.gap, error / (fit.gap * fit.gap)};
}

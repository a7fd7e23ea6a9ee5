/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules that look at pairs: at the first two packets of every train. */
#include "rivals.h"

#include <math.h>
#include <stdlib.h>

static void push_pair_rate(void *state, struct sample *sample)
{
    double bytes, gap_ns;

    if (rival_pair(sample, &bytes, &gap_ns))
        rival_window_push(state, bytes * 8e9 / gap_ns);
}

/* --- The median of pair rates --- */

static void estimate_median(const void *state, struct estimate *estimate)
{
    size_t count = rival_window_count(state);
    double *sorted = rival_window_sorted(state);

    rival_answer(estimate, count ? (sorted[count / 2] + sorted[(count - 1) / 2]) / 2 : 0);
    free(sorted);
}

const struct filter rival_pair_median = {
    .name = "pair-median",
    .usage = "median of pair rates",
    .state_bytes = rival_window_bytes,
    .init = rival_window_init,
    .push = push_pair_rate,
    .estimate = estimate_median,
};

/* --- The peak of a kernel density --- */

static double deviation_of(const double *values, size_t count)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i];
    for (size_t i = 0; i < count; i++)
        squares += pow(values[i] - sum / (double)count, 2);
    return sqrt(squares / (double)count);
}

/* Silverman, Density Estimation for Statistics and Data Analysis, 1986, eq. 3.31. */
static double silverman(const double *sorted, size_t count)
{
    double quartiles = sorted[3 * (count - 1) / 4] - sorted[(count - 1) / 4];
    double deviation = deviation_of(sorted, count);

    if (quartiles > 0)
        deviation = fmin(deviation, quartiles / 1.34);
    return 0.9 * deviation * pow((double)count, -0.2);
}

static double density_at(const double *sorted, size_t count, double width, double at)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        if (fabs(sorted[i] - at) < 5 * width)
            sum += exp(-0.5 * pow((sorted[i] - at) / width, 2));
    return sum;
}

static double densest(const double *sorted, size_t count)
{
    double width = count ? silverman(sorted, count) : 0;
    double best = 0, most = 0;

    if (width <= 0)
        return count ? sorted[0] : 0;
    for (size_t i = 0; i < count; i++) {
        double density = density_at(sorted, count, width, sorted[i]);
        if (density > most) {
            most = density;
            best = sorted[i];
        }
    }
    return best;
}

static void estimate_kernel(const void *state, struct estimate *estimate)
{
    double *sorted = rival_window_sorted(state);

    rival_answer(estimate, densest(sorted, rival_window_count(state)));
    free(sorted);
}

/* As nettimer does with kernels (Lai, Baker, IEEE INFOCOM 1999). */
const struct filter rival_kernel = {
    .name = "kernel",
    .usage = "peak of the density of pair rates, Silverman's bandwidth",
    .state_bytes = rival_window_bytes,
    .init = rival_window_init,
    .push = push_pair_rate,
    .estimate = estimate_kernel,
};

/* --- CapProbe --- */

struct least_sum {
    double bytes; /* of its packets; 0: none yet */
    int64_t sum_ns;
    double rate_bps;
};

static size_t least_sum_bytes(unsigned window)
{
    (void)window;
    return sizeof(struct least_sum);
}

static void least_sum_init(void *state, unsigned window)
{
    (void)window;
    *(struct least_sum *)state = (struct least_sum){0};
}

/* The delays count from one send time; an offset between the clocks is in all
 * sums alike. CapProbe sends one size; of several the largest has the say, for
 * delays grow with size. */
static void push_capprobe(void *state, struct sample *sample)
{
    struct least_sum *least = state;
    double bytes, gap_ns;
    int64_t sum_ns;

    if (!rival_pair(sample, &bytes, &gap_ns) || sample->sent_ns == SAMPLE_UNKNOWN_NS)
        return;
    sum_ns = 2 * (sample->time_ns - sample->sent_ns) + sample->packets[1].offset_ns;
    if (bytes < least->bytes || (bytes <= least->bytes && sum_ns >= least->sum_ns))
        return;
    *least = (struct least_sum){bytes, sum_ns, bytes * 8e9 / gap_ns};
}

static void estimate_least_sum(const void *state, struct estimate *estimate)
{
    rival_answer(estimate, ((const struct least_sum *)state)->rate_bps);
}

/* Kapoor, Chen, Lao, Gerla, Sanadidi, ACM SIGCOMM 2004. */
const struct filter rival_capprobe = {
    .name = "capprobe",
    .usage = "the pair of least delay sum",
    .state_bytes = least_sum_bytes,
    .init = least_sum_init,
    .push = push_capprobe,
    .estimate = estimate_least_sum,
};

/* --- PLM --- */

/* Legout, Biersack, ACM SIGMETRICS 2000: the least pair rate of a check period,
 * C = 1 s. Two windows in one: times and rates by turns. */
#define PLM_CHECK_NS 1e9

static size_t plm_bytes(unsigned window)
{
    return rival_window_bytes(2 * window);
}

static void plm_init(void *state, unsigned window)
{
    rival_window_init(state, 2 * window);
}

static void plm_push(void *state, struct sample *sample)
{
    double bytes, gap_ns;

    if (!rival_pair(sample, &bytes, &gap_ns))
        return;
    rival_window_push(state, (double)sample->time_ns);
    rival_window_push(state, bytes * 8e9 / gap_ns);
}

static void plm_estimate(const void *state, struct estimate *estimate)
{
    const struct rival_window *window = state;
    double least_bps = 0, last_ns = 0;

    for (size_t back = 2; back <= rival_window_count(window); back += 2) {
        size_t at = (window->pushed - back) % window->size;
        if (back == 2)
            last_ns = window->value[at];
        if (fabs(last_ns - window->value[at]) > PLM_CHECK_NS)
            break;
        if (back == 2 || window->value[at + 1] < least_bps)
            least_bps = window->value[at + 1];
    }
    rival_answer(estimate, least_bps);
}

const struct filter rival_plm = {
    .name = "plm",
    .usage = "the least pair rate of the last second",
    .state_bytes = plm_bytes,
    .init = plm_init,
    .push = plm_push,
    .estimate = plm_estimate,
};

/* --- SRT and UDT --- */

/* srtcore/window.cpp of SRT 1.4, as in UDT 4: gaps in whole microseconds; the
 * mean of those within a factor of 8 of the median, the median counted once
 * more. A gap of another size is scaled. */
enum { SRT_WINDOW = 16, SRT_PASSBAND = 8 };

static size_t srt_bytes(unsigned window)
{
    (void)window;
    return rival_window_bytes(SRT_WINDOW);
}

static void srt_init(void *state, unsigned window)
{
    (void)window;
    rival_window_init(state, SRT_WINDOW);
}

/* Stored as nanoseconds per byte. */
static void srt_push(void *state, struct sample *sample)
{
    double bytes, gap_ns;

    if (rival_pair(sample, &bytes, &gap_ns))
        rival_window_push(state, floor(gap_ns / 1000) * 1000 / bytes);
}

static void srt_estimate(const void *state, struct estimate *estimate)
{
    size_t count = rival_window_count(state), passed = 1;
    double *sorted = rival_window_sorted(state);
    double median = sorted[count / 2], sum = median;

    for (size_t i = 0; i < count; i++)
        if (sorted[i] > median / SRT_PASSBAND && sorted[i] < median * SRT_PASSBAND) {
            sum += sorted[i];
            passed++;
        }
    rival_answer(estimate, count >= SRT_WINDOW && sum > 0 ? 8e9 * (double)passed / sum : 0);
    free(sorted);
}

const struct filter rival_srt = {
    .name = "srt",
    .usage = "16 gaps, those within a factor of 8 of their median",
    .state_bytes = srt_bytes,
    .init = srt_init,
    .push = srt_push,
    .estimate = srt_estimate,
};

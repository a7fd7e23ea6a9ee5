/* SPDX-License-Identifier: BSD-3-Clause */
#include "free_rivals.h"

#include "filters/skew.h"
#include "memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static double free_rivals_within(double bps, double capacity_bps)
{
    return fmin(fmax(bps, 0), capacity_bps);
}

/* --- Forecaster: Neginhal, Harfoush, Perros, Networking 2007 --- */

/* A probe has queued whose delay is above the least one; stamps scatter by some us. One rate of
 * probes, whose own load is added; the clocks' skew is taken off for it. */
#define QUEUED_NS 8e3

static double forecaster(const struct free_evidence *e)
{
    size_t count = 0, idle = 0;
    double *at = sim_allocate(e->samples->count, sizeof(*at));
    double *delay = sim_allocate(e->samples->count, sizeof(*delay));
    uint32_t *hull = sim_allocate(e->samples->count, sizeof(*hull));
    double slope, least = INFINITY, bits = 0, s;

    for (size_t i = 0; i < e->samples->count; i++) {
        const struct sample *sample = &e->samples->item[i];

        bits += 8.0 * sample->sent * sample->packet_bytes;
        if (sample->sent_ns == SAMPLE_UNKNOWN_NS || sample->packet_bytes != 1518)
            continue;
        at[count] = (double)(sample->sent_ns - e->samples->item[0].sent_ns) * 1e-9;
        delay[count++] = (double)(sample->time_ns - sample->sent_ns);
    }
    s = count > 0 ? at[count - 1] : 0;
    slope = count > 1 ? skew_slope(at, delay, (unsigned)count, hull) : 0;
    for (size_t i = 0; i < count; i++)
        least = fmin(least, delay[i] - slope * at[i]);
    for (size_t i = 0; i < count; i++)
        idle += delay[i] - slope * at[i] - least <= QUEUED_NS;
    free(at);
    free(delay);
    free(hull);
    if (count < 2 || !(s > 0))
        return NAN;
    return free_rivals_within(e->capacity_bps * (double)idle / (double)count + bits / s, e->capacity_bps);
}

/* --- Paced trains by their rate --- */

struct rung {
    double bps;           /* as sent */
    double in_ns, out_ns; /* mean gaps */
    unsigned trains;
};

enum { RUNGS_MAX = 64 };

static bool free_rivals_whole(const struct sample *sample)
{
    return sample->received == sample->sent && sample->verdict != VERDICT_REORDERED;
}

static double out_ns(const struct sample *sample)
{
    return (double)sample->packets[sample->received - 1].offset_ns / (sample->sent - 1);
}

/* In order of their rate; returns how many. */
static unsigned free_rivals_collect(const struct free_evidence *e, struct rung *rungs)
{
    const struct sim_ladder *ladder = &e->config->sender.ladder;
    unsigned count = ladder->rungs < RUNGS_MAX ? ladder->rungs : RUNGS_MAX, used = 0;

    for (unsigned r = 0; r < count; r++) {
        struct rung rung = {.bps = ladder->least_bps * pow(ladder->ratio, r)};

        rung.in_ns = 1518 * 8e9 / rung.bps;
        for (size_t i = 0; i < e->samples->count; i++) {
            const struct sample *sample = &e->samples->item[i];
            double pace_bps = e->run->trains[sample->train].pace_bps;

            if (fabs(pace_bps / rung.bps - 1) > 1e-3 || sample->sent < 8 || !free_rivals_whole(sample))
                continue;
            rung.out_ns += out_ns(sample);
            rung.trains++;
        }
        rung.out_ns /= rung.trains;
        if (rung.trains > 0)
            rungs[used++] = rung;
    }
    return used;
}

/* Spruce: Strauss, Katabi, Kaashoek, IMC 2003: pairs at the gap of the narrow link; the mean of
 * 100. Here the gaps of trains of the rate next to it. */
static double spruce(const struct free_evidence *e)
{
    struct rung rungs[RUNGS_MAX];
    const struct rung *best = rungs;
    unsigned count = free_rivals_collect(e, rungs);

    for (unsigned i = 1; i < count; i++)
        if (fabs(log(rungs[i].bps / e->capacity_bps)) < fabs(log(best->bps / e->capacity_bps)))
            best = &rungs[i];
    if (count == 0)
        return NAN;
    return free_rivals_within(e->capacity_bps * (1 - (best->out_ns - best->in_ns) / best->in_ns),
                              e->capacity_bps);
}

/* Where trains begin to come as they left: the turning point of IGI and PTR. */
#define TURNS 1.1

static const struct rung *turning(const struct rung *rungs, unsigned count)
{
    const struct rung *turn = NULL;

    for (unsigned i = 0; i < count; i++)
        if (rungs[i].out_ns <= TURNS * rungs[i].in_ns)
            turn = &rungs[i];
    return turn;
}

/* IGI: Hu, Steenkiste, IEEE JSAC 21, 2003: cross traffic from the gaps that grew, at the turning
 * point. */
static double igi(const struct free_evidence *e)
{
    struct rung rungs[RUNGS_MAX];
    const struct rung *turn = turning(rungs, free_rivals_collect(e, rungs));
    double packet_ns = 1518 * 8e9 / e->capacity_bps, grown_ns = 0, all_ns = 0;

    if (!turn)
        return NAN;
    for (size_t i = 0; i < e->samples->count; i++) {
        const struct sample *sample = &e->samples->item[i];

        if (fabs(e->run->trains[sample->train].pace_bps / turn->bps - 1) > 1e-3 || !free_rivals_whole(sample))
            continue;
        for (unsigned k = 1; k < sample->received; k++) {
            double gap_ns = (double)(sample->packets[k].offset_ns - sample->packets[k - 1].offset_ns);

            all_ns += gap_ns;
            if (gap_ns > turn->in_ns)
                grown_ns += fmax(gap_ns - packet_ns, 0);
        }
    }
    return all_ns > 0 ? free_rivals_within(e->capacity_bps * (1 - grown_ns / all_ns), e->capacity_bps) : NAN;
}

static double ptr(const struct free_evidence *e)
{
    struct rung rungs[RUNGS_MAX];
    const struct rung *turn = turning(rungs, free_rivals_collect(e, rungs));

    return turn ? free_rivals_within(1518 * 8e9 / turn->out_ns, e->capacity_bps) : NAN;
}

/* TOPP: Melander, Bjorkman, Gunningberg, GLOBECOM 2000: in over out against in, a line beyond the
 * knee; A where it leaves 1. */
#define BEYOND_KNEE 1.05

static double topp(const struct free_evidence *e)
{
    struct rung rungs[RUNGS_MAX];
    unsigned count = free_rivals_collect(e, rungs), n = 0;
    double x = 0, y = 0, xx = 0, xy = 0, slope;

    for (unsigned i = 0; i < count; i++) {
        double ratio = rungs[i].out_ns / rungs[i].in_ns;

        if (ratio <= BEYOND_KNEE)
            continue;
        n++;
        x += rungs[i].bps;
        y += ratio;
        xx += rungs[i].bps * rungs[i].bps;
        xy += rungs[i].bps * ratio;
    }
    if (n < 2)
        return NAN;
    slope = (xy - x * y / n) / (xx - x * x / n);
    return free_rivals_within((1 - (y - slope * x) / n) / slope, e->capacity_bps);
}

/* --- Chirps --- */

/* pathChirp: Ribeiro, Riedi, Baraniuk, Navratil, Cottrell, PAM 2003: excursions of the delay; in
 * each, gaps count with their rate while the delay grows, all others with that of the last one,
 * which does not come back. F and L are its defaults. */
#define DECREASE 1.5
enum { BUSY = 5 };

/* First packet after i at which the excursion that begins there is over, by the delays. */
static unsigned excursion_end(const double *delay, unsigned i, unsigned count)
{
    double most = 0;

    for (unsigned j = i + 1; j < count; j++) {
        most = fmax(most, delay[j] - delay[i]);
        if (delay[j] - delay[i] < most / DECREASE)
            return j;
    }
    return count;
}

static double of_chirp(const double *delay, const double *gap_ns, const double *bps, unsigned count)
{
    double each[256], last_bps = bps[count - 1], sum = 0, ns = 0;
    unsigned i = 0;

    for (unsigned k = 0; k < count; k++)
        each[k] = 0;
    while (i + 1 < count) {
        unsigned end = excursion_end(delay, i, count);

        if (delay[i + 1] <= delay[i]) {
            i++;
            continue;
        }
        if (end == count) {
            last_bps = bps[i + 1];
            for (unsigned k = i; k < count; k++)
                each[k] = last_bps;
        } else if (end - i >= BUSY) {
            for (unsigned k = i; k < end; k++)
                if (k + 1 < count && delay[k + 1] > delay[k])
                    each[k] = bps[k + 1];
        }
        i = end;
    }
    for (unsigned k = 1; k < count; k++) {
        sum += (each[k - 1] > 0 ? each[k - 1] : last_bps) * gap_ns[k];
        ns += gap_ns[k];
    }
    return sum / ns;
}

static double read_chirp(const struct free_evidence *e, const struct sample *sample)
{
    const struct sim_sender_config *sender = &e->config->sender;
    double delay[256], gap_ns[256], bps[256], due_ns = 0;

    for (unsigned i = 0; i < sample->received; i++) {
        bps[i] = sim_chirp_bps(&sender->ladder, &sender->pattern[0], i ? i : 1);
        gap_ns[i] = sample->packet_bytes * 8e9 / bps[i];
        due_ns += i ? gap_ns[i] : 0;
        delay[i] = (double)sample->packets[i].offset_ns - due_ns;
    }
    return of_chirp(delay, gap_ns, bps, sample->received);
}

static int free_rivals_by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* A chirp that lost a packet is thrown away, by both. */
static unsigned read_chirps(const struct free_evidence *e, double *values)
{
    unsigned count = 0;

    for (size_t i = 0; i < e->samples->count; i++)
        if (free_rivals_whole(&e->samples->item[i]) && e->samples->item[i].sent < 256)
            values[count++] = read_chirp(e, &e->samples->item[i]);
    return count;
}

static double pathchirp(const struct free_evidence *e)
{
    double *values = sim_allocate(e->samples->count, sizeof(*values)), sum = 0;
    unsigned count = read_chirps(e, values);

    for (unsigned i = 0; i < count; i++)
        sum += values[i] / count;
    free(values);
    return count ? free_rivals_within(sum, e->capacity_bps) : NAN;
}

/* ASSOLO: Goldoni, Rossi, Torelli, INFOCOM workshops 2009: the same rule on reflected chirps; its
 * filter follows the newest of what scatters little. Here the middle half of all, of a load that
 * stays. */
static double assolo(const struct free_evidence *e)
{
    double *values = sim_allocate(e->samples->count, sizeof(*values)), sum = 0;
    unsigned count = read_chirps(e, values), n = 0;

    qsort(values, count, sizeof(*values), free_rivals_by_value);
    for (unsigned i = count / 4; i < count - count / 4; i++, n++)
        sum += values[i];
    free(values);
    return n ? free_rivals_within(sum / n, e->capacity_bps) : NAN;
}

const struct free_rival free_rivals[] = {
    {"Forecaster", "idle share, fixed threshold", FREE_OURS, forecaster},
    {"Spruce", "gaps at the rate of the narrow link", FREE_OURS, spruce},
    {"IGI", "gaps that grew, at the turning point", FREE_OURS, igi},
    {"PTR", "rate at the turning point", FREE_OURS, ptr},
    {"TOPP", "line beyond the knee", FREE_OURS, topp},
    {"pathChirp", "excursions, its own chirps", FREE_CHIRPS, pathchirp},
    {"ASSOLO", "the same, reflected chirps", FREE_REFLECTED, assolo},
};
const unsigned free_rival_count = sizeof(free_rivals) / sizeof(free_rivals[0]);

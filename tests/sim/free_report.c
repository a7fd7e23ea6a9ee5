/* SPDX-License-Identifier: BSD-3-Clause */
#include "free_report.h"

#include "filters/available.h"
#include "filters/dispersion.h"
#include "filters/filter.h"
#include "free_cases.h"
#include "free_rivals.h"
#include "gate.h"
#include "memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shares of C: near enough, wrong, and what a bound may be above the truth. */
#define NEAR 0.05
#define FAIR 0.10
#define WRONG 0.15
#define TOO_HIGH 0.10

enum { RIVALS_MAX = 16 };

/* Counts over runs. */
struct tally {
    unsigned runs, sure, near, fair; /* sure: capacity is known, */
    unsigned sure_by_mix;            /* from pptrans's own pattern */
    unsigned state[4], wrong, holds, high;
    unsigned rival_near[RIVALS_MAX], rival_fair[RIVALS_MAX];
};

static void tally_add(struct tally *to, const struct tally *from)
{
    unsigned *sums = (unsigned *)to;
    const unsigned *counts = (const unsigned *)from;

    for (size_t i = 0; i < sizeof(*to) / sizeof(unsigned); i++)
        sums[i] += counts[i];
}

/* --- One run --- */

struct seen_run {
    struct sim_config config;
    struct sim_run run;
    struct sim_samples samples;
    struct estimate capacity;
    struct available_estimate available;
    double capacity_bps, truth_bps;
};

static void run_init(struct seen_run *seen, const struct free_case *row, uint64_t seed,
                     enum free_trains trains)
{
    free_case_config(row, seed, &seen->config);
    if (trains == FREE_MIX)
        free_send_mix(&seen->config.sender);
    else if (trains != FREE_OURS)
        free_send_chirps(&seen->config.sender, trains == FREE_REFLECTED);
    sim_run_init(&seen->run, &seen->config, seed);
    sim_samples_init(&seen->samples, &seen->run);
    for (size_t i = 0; i < seen->samples.count; i++)
        dispersion_measure(&seen->samples.item[i]);
    seen->capacity_bps =
        fmin((double)sim_path_capacity_bps(&seen->config.path, 0), (double)seen->config.sender.rate_bps);
}

static void run_fini(struct seen_run *seen)
{
    sim_samples_fini(&seen->samples);
    sim_run_fini(&seen->run);
}

/* As the library does: both take every train. */
static void free_report_estimate(struct seen_run *seen, unsigned window)
{
    const struct filter *filter = filter_find("adaptive");
    void *capacity = sim_allocate(1, filter->state_bytes(window));
    void *available = sim_allocate(1, available_bytes(window));
    const struct sim_samples *samples = &seen->samples;

    filter->init(capacity, window);
    available_init(available, window);
    for (size_t i = 0; i < samples->count; i++) {
        struct sample sample = samples->item[i];

        filter->push(capacity, &sample);
        available_push(available, &samples->item[i]);
    }
    filter->estimate(capacity, &seen->capacity);
    available_estimate(available, &seen->capacity, &seen->available);
    free(capacity);
    free(available);
}

static void find_truth(struct seen_run *seen, unsigned trains)
{
    size_t count = seen->samples.count;
    unsigned window = trains > 1 ? trains : (unsigned)count;

    seen->truth_bps = free_truth_bps(&seen->config, &seen->run, seen->samples.item[count - window].train,
                                     seen->samples.item[count - 1].train);
}

static void free_report_judge(const struct seen_run *seen, struct tally *tally)
{
    const struct available_estimate *available = &seen->available;
    double off = (available->available_bps - seen->truth_bps) / seen->capacity_bps;

    tally->runs++;
    tally->sure += seen->capacity.state == STATE_CONVERGED;
    tally->state[available->state]++;
    if (available->state == AVAILABLE_UNKNOWN)
        return;
    tally->near += fabs(off) <= NEAR;
    tally->fair += fabs(off) <= FAIR;
    tally->high += available->state == AVAILABLE_AT_LEAST && off > TOO_HIGH;
    if (available->state != AVAILABLE_CONVERGED)
        return;
    tally->wrong += fabs(off) > WRONG;
    tally->holds += available->low_bps <= seen->truth_bps && seen->truth_bps <= available->high_bps;
}

static void judge_rivals(const struct seen_run *seen, enum free_trains trains, struct tally *tally)
{
    struct free_evidence evidence = {&seen->config, &seen->run, &seen->samples, seen->capacity_bps};

    for (unsigned i = 0; i < free_rival_count; i++) {
        double off;

        if (free_rivals[i].trains != trains)
            continue;
        off = fabs(free_rivals[i].rule(&evidence) - seen->truth_bps) / seen->capacity_bps;
        tally->rival_near[i] += off <= NEAR;
        tally->rival_fair[i] += off <= FAIR;
    }
}

static bool sure_by_mix(const struct free_wish *wish, const struct free_case *row, uint64_t seed)
{
    struct seen_run seen;

    run_init(&seen, row, seed, FREE_MIX);
    free_report_estimate(&seen, wish->window);
    run_fini(&seen);
    return seen.capacity.state == STATE_CONVERGED;
}

static void run_one(const struct free_wish *wish, const struct free_case *row, uint64_t seed,
                    struct tally *tally)
{
    struct seen_run seen;

    run_init(&seen, row, seed, FREE_OURS);
    if (seen.samples.count > 1) {
        free_report_estimate(&seen, wish->window);
        find_truth(&seen, seen.available.trains);
        free_report_judge(&seen, tally);
        if (wish->rivals)
            judge_rivals(&seen, FREE_OURS, tally);
    }
    run_fini(&seen);
    tally->sure_by_mix += sure_by_mix(wish, row, seed);
    for (int trains = FREE_CHIRPS; wish->rivals && trains <= FREE_REFLECTED; trains++) {
        run_init(&seen, row, seed, (enum free_trains)trains);
        if (seen.samples.count > 1) {
            find_truth(&seen, 0);
            judge_rivals(&seen, (enum free_trains)trains, tally);
        }
        run_fini(&seen);
    }
}

/* --- Tables --- */

static double free_report_percent(unsigned count, unsigned of)
{
    return of ? 100.0 * count / of : 0;
}

static const char *const group_names[FREE_GROUPS] = {
    [FREE_ONE] = "one loaded link",          [FREE_SEVERAL] = "several loaded links",
    [FREE_NEW_ONE] = "one, drawn otherwise", [FREE_NEW_SEVERAL] = "several, drawn otherwise",
    [FREE_LINKS] = "links and ends",
};

static void free_report_print_row(const char *name, const struct tally *t)
{
    printf("| %s | %u | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %u | %.0f | %u |\n", name,
           t->runs, free_report_percent(t->sure, t->runs), free_report_percent(t->sure_by_mix, t->runs),
           free_report_percent(t->near, t->runs), free_report_percent(t->fair, t->runs),
           free_report_percent(t->state[AVAILABLE_CONVERGED], t->runs),
           free_report_percent(t->state[AVAILABLE_AT_LEAST], t->runs),
           free_report_percent(t->state[AVAILABLE_TENTATIVE], t->runs),
           free_report_percent(t->state[AVAILABLE_UNKNOWN], t->runs), t->wrong,
           free_report_percent(t->holds, t->state[AVAILABLE_CONVERGED]), t->high);
}

static void print_rivals(const struct tally *groups)
{
    printf("\nRivals, told the true C: per cent of runs within 5 %% / 10 %% of C\n\n| rule |");
    for (unsigned g = 0; g < FREE_GROUPS; g++)
        printf(" %s |", group_names[g]);
    printf("\n|---|---|---|---|---|---|\n| **this** |");
    for (unsigned g = 0; g < FREE_GROUPS; g++)
        printf(" %.0f / %.0f |", free_report_percent(groups[g].near, groups[g].runs),
               free_report_percent(groups[g].fair, groups[g].runs));
    for (unsigned i = 0; i < free_rival_count; i++) {
        printf("\n| %s (%s) |", free_rivals[i].name, free_rivals[i].text);
        for (unsigned g = 0; g < FREE_GROUPS; g++)
            printf(" %.0f / %.0f |", free_report_percent(groups[g].rival_near[i], groups[g].runs),
                   free_report_percent(groups[g].rival_fair[i], groups[g].runs));
    }
    printf("\n");
}

/* --- The gate --- */

/* Reached on seeds 1 to 100; anew with
 *
 *   build/bin/accuracy --available --seeds 100
 */
static const struct {
    enum free_group group;
    double near, fair, told; /* shares of runs, no fewer */
    double wrong, outside;   /* of those converged, no more */
} reached[] = {
    {FREE_ONE, 0.77, 0.92, 0.61, 0.001, 0.04},
    {FREE_SEVERAL, 0, 0, 0.83, 0.001, 1},
};

static bool free_report_passes(const struct tally *groups)
{
    bool pass = true;

    for (size_t i = 0; i < sizeof(reached) / sizeof(reached[0]); i++) {
        const struct tally *t = &groups[reached[i].group];
        unsigned converged = t->state[AVAILABLE_CONVERGED];
        bool fine = t->runs == 0
            || (t->near >= gate_least(t->runs, reached[i].near)
                && t->fair >= gate_least(t->runs, reached[i].fair)
                && converged + t->state[AVAILABLE_AT_LEAST] >= gate_least(t->runs, reached[i].told)
                && t->wrong <= gate_most(converged, reached[i].wrong)
                && converged - t->holds <= gate_most(converged, reached[i].outside)
                && t->high <= gate_most(t->runs, reached[i].wrong));

        printf("gate, %s: %s\n", group_names[reached[i].group], fine ? "passes" : "MISSED");
        pass = pass && fine;
    }
    return pass;
}

bool free_report(const struct free_wish *wish)
{
    struct tally groups[FREE_GROUPS] = {0};

    printf("Available bandwidth, %u trains at %.0f %% of C, seeds %llu to %llu; per cent of runs"
           "\n\n",
           FREE_TRAINS, 100 * FREE_LOAD, (unsigned long long)wish->first_seed,
           (unsigned long long)wish->first_seed + wish->seeds - 1);
    puts("| case | runs | C known | by the default pattern | within 5 % of C | 10 % | converged | at least | "
         "tentative "
         "| unknown | off by > 15 % (runs) | intervals hold | bound > 10 % too high (runs) |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (unsigned c = 0; c < free_case_count; c++) {
        struct tally tally = {0};

        if (wish->cases && strncmp(free_cases[c].name, wish->cases, strlen(wish->cases)) != 0)
            continue;
        for (unsigned i = 0; i < wish->seeds; i++)
            run_one(wish, &free_cases[c], wish->first_seed + i, &tally);
        free_report_print_row(free_cases[c].name, &tally);
        fflush(stdout);
        tally_add(&groups[free_cases[c].group], &tally);
    }
    for (unsigned g = 0; g < FREE_GROUPS; g++)
        if (groups[g].runs > 0)
            free_report_print_row(group_names[g], &groups[g]);
    if (wish->rivals)
        print_rivals(groups);
    return !wish->gate || free_report_passes(groups);
}

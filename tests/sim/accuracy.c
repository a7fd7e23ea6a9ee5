/* SPDX-License-Identifier: BSD-3-Clause */
/* accuracy: cases by filters, over many seeds; Markdown on standard output. */
#include "cases.h"
#include "filters/filter.h"
#include "judge.h"
#include "memory.h"
#include "rivals.h"
#include "score.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILTERS_MAX = 32, THREADS_MAX = 64 };

struct options {
    const struct sim_case **cases;
    unsigned case_count;
    const struct filter *filters[FILTERS_MAX];
    unsigned filter_count;
    unsigned seeds;
    uint64_t first_seed;
    unsigned threads;
    unsigned window;
    bool detail;
    bool trace;
    bool wrongs;
};

/* All results, by case, then filter, then seed. */
struct work {
    const struct options *options;
    struct verdict_on_run *results;
    atomic_uint next;
};

/* --- Choosing --- */

static const struct filter *find_filter(const char *name)
{
    for (unsigned i = 0; filter_table[i]; i++)
        if (strcmp(filter_table[i]->name, name) == 0)
            return filter_table[i];
    for (unsigned i = 0; rival_table[i]; i++)
        if (strcmp(rival_table[i]->name, name) == 0)
            return rival_table[i];
    fprintf(stderr, "accuracy: no filter named %s\n", name);
    exit(2);
}

static void add_filter(struct options *options, const struct filter *filter)
{
    if (options->filter_count < FILTERS_MAX)
        options->filters[options->filter_count++] = filter;
}

static void add_table(struct options *options, const struct filter *const *table)
{
    for (; *table; table++)
        add_filter(options, *table);
}

/* Names, "filters" for all of ours, "rivals" for all of theirs. */
static void choose_filters(struct options *options, char *names)
{
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
        if (strcmp(name, "filters") == 0)
            add_table(options, filter_table);
        else if (strcmp(name, "rivals") == 0)
            add_table(options, rival_table);
        else
            add_filter(options, find_filter(name));
    }
}

/* A name, or the beginning of several. */
static void choose_case(struct options *options, const char *name)
{
    unsigned before = options->case_count;

    for (unsigned i = 0; i < sim_case_count; i++)
        if (strncmp(sim_cases[i].name, name, strlen(name)) == 0 &&
            options->case_count < sim_case_count)
            options->cases[options->case_count++] = &sim_cases[i];
    if (options->case_count == before) {
        fprintf(stderr, "accuracy: no case named %s\n", name);
        exit(2);
    }
}

static void choose_cases(struct options *options, char *names)
{
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ","))
        choose_case(options, name);
}

static void list(void)
{
    puts("cases:");
    for (unsigned i = 0; i < sim_case_count; i++)
        printf("  %-18s %s\n", sim_cases[i].name, sim_cases[i].text);
    puts("filters:");
    for (unsigned i = 0; filter_table[i]; i++)
        printf("  %-18s %s\n", filter_table[i]->name, filter_table[i]->usage);
    puts("rivals:");
    for (unsigned i = 0; rival_table[i]; i++)
        printf("  %-18s %s\n", rival_table[i]->name, rival_table[i]->usage);
}

/* --- Working --- */

static void judge_job(struct work *work, unsigned job)
{
    const struct options *options = work->options;
    unsigned row = job / options->seeds, seed = job % options->seeds;
    struct verdict_on_run results[FILTERS_MAX];

    judge_run(options->cases[row], options->first_seed + seed, options->filters,
              options->filter_count, options->window, results);
    for (unsigned f = 0; f < options->filter_count; f++)
        work->results[(row * options->filter_count + f) * options->seeds + seed] =
            results[f];
}

static void *worker(void *data)
{
    struct work *work = data;
    unsigned jobs = work->options->case_count * work->options->seeds;

    for (unsigned job; (job = atomic_fetch_add(&work->next, 1)) < jobs;)
        judge_job(work, job);
    return NULL;
}

static void run_all(struct work *work)
{
    pthread_t threads[THREADS_MAX];
    unsigned started = 0;

    while (started + 1 < work->options->threads &&
           pthread_create(&threads[started], NULL, worker, work) == 0)
        started++;
    worker(work);
    while (started)
        pthread_join(threads[--started], NULL);
}

/* --- Telling --- */

static const struct verdict_on_run *results_of(const struct work *work, unsigned row,
                                               unsigned filter)
{
    const struct options *options = work->options;

    return work->results + (size_t)(row * options->filter_count + filter) * options->seeds;
}

static double percent(unsigned part, unsigned whole)
{
    return whole ? 100.0 * part / whole : 0;
}

static void print_error(double error)
{
    if (isnan(error))
        printf(" -");
    else
        printf(" %.2f", 100 * error);
}

static void print_matrix(const struct work *work)
{
    const struct options *options = work->options;

    puts("90th percentile of the error / runs decided / runs wrong, in %:\n");
    printf("| case | trains | goal |");
    for (unsigned f = 0; f < options->filter_count; f++)
        printf(" %s |", options->filters[f]->name);
    printf("\n|---|---|---|");
    for (unsigned f = 0; f < options->filter_count; f++)
        printf("---|");
    for (unsigned row = 0; row < options->case_count; row++) {
        const struct sim_case *c = options->cases[row];
        printf("\n| %s | %u | %g / %g |", c->name, c->trains, 100 * c->tolerance,
               100 * c->share);
        for (unsigned f = 0; f < options->filter_count; f++) {
            struct score score;
            score_runs(results_of(work, row, f), options->seeds, &score);
            print_error(score.error_p90);
            printf(" / %.0f / %.1f%s |", percent(score.decided, score.runs),
                   percent(score.wrong, score.runs), score_passes(&score, c) ? "" : " x");
        }
    }
    puts("\n");
}

static void print_detail(const struct work *work)
{
    const struct options *options = work->options;

    puts("Percentages; error: 90th percentile, of decided runs and of all; width: median of "
         "the interval's; undone: decisions taken back, in 10 000 trains.\n\n"
         "| case | filter | error | of all | decided | wrong | covered | width | undone | |\n"
         "|---|---|---|---|---|---|---|---|---|---|");
    for (unsigned row = 0; row < options->case_count; row++)
        for (unsigned f = 0; f < options->filter_count; f++) {
            struct score score;
            score_runs(results_of(work, row, f), options->seeds, &score);
            printf("| %s | %s |", options->cases[row]->name, options->filters[f]->name);
            print_error(score.error_p90);
            printf(" |");
            print_error(score.error_all_p90);
            printf(" | %.0f | %.1f | %.1f |", percent(score.decided, score.runs),
                   percent(score.wrong, score.runs), percent(score.covered, score.decided));
            print_error(score.width_p50);
            printf(" | %.1f | %s |\n", 1e4 * score.undone / (double)score.trains,
                   score_passes(&score, options->cases[row]) ? "" : "x");
        }
    puts("");
}

static void print_totals(const struct work *work)
{
    const struct options *options = work->options;

    puts("| filter | goals met | decided runs | wrong, of decided | interval holds |\n"
         "|---|---|---|---|---|");
    for (unsigned f = 0; f < options->filter_count; f++) {
        unsigned met = 0, decided = 0, wrong = 0, covered = 0;
        for (unsigned row = 0; row < options->case_count; row++) {
            struct score score;
            score_runs(results_of(work, row, f), options->seeds, &score);
            met += score_passes(&score, options->cases[row]);
            decided += score.decided;
            wrong += score.wrong;
            covered += score.covered;
        }
        printf("| %s | %u of %u | %u of %u | %u (%.2f %%) | %.1f %% |\n",
               options->filters[f]->name, met, options->case_count, decided,
               options->case_count * options->seeds, wrong, percent(wrong, decided),
               percent(covered, decided));
    }
}

/* The runs to look at. */
static void print_wrongs(const struct work *work)
{
    const struct options *options = work->options;

    for (unsigned row = 0; row < options->case_count; row++)
        for (unsigned f = 0; f < options->filter_count; f++)
            for (unsigned i = 0; i < options->seeds; i++) {
                const struct verdict_on_run *result = &results_of(work, row, f)[i];
                double ratio = result->estimate.capacity_bps / result->truth_bps;
                if (judge_decided(&result->estimate) && fabs(ratio - 1) > SCORE_WRONG)
                    printf("wrong: --cases %s --first-seed %" PRIu64 " --filters %s: %.4f\n",
                           options->cases[row]->name, options->first_seed + i,
                           options->filters[f]->name, ratio);
            }
}

static void trace(const struct options *options)
{
    for (unsigned row = 0; row < options->case_count; row++)
        for (unsigned i = 0; i < options->seeds; i++)
            judge_trace(options->cases[row], options->first_seed + i, options->filters,
                        options->filter_count, options->window);
}

static void judge_all(const struct options *options)
{
    struct work work = {.options = options};

    work.results =
        sim_allocate((size_t)options->case_count * options->filter_count * options->seeds,
                     sizeof(*work.results));
    run_all(&work);
    printf("Seeds %" PRIu64 " to %" PRIu64 ", window %u.\n\n", options->first_seed,
           options->first_seed + options->seeds - 1, options->window);
    if (options->detail)
        print_detail(&work);
    else
        print_matrix(&work);
    print_totals(&work);
    if (options->wrongs)
        print_wrongs(&work);
    free(work.results);
}

/* --- Options --- */

static const struct option long_options[] = {
    {"cases", required_argument, NULL, 'c'},      {"filters", required_argument, NULL, 'f'},
    {"seeds", required_argument, NULL, 's'},      {"first-seed", required_argument, NULL, 'S'},
    {"held-back", no_argument, NULL, 'H'},        {"threads", required_argument, NULL, 'j'},
    {"window", required_argument, NULL, 'w'},     {"detail", no_argument, NULL, 'd'},
    {"trace", no_argument, NULL, 't'},            {"wrongs", no_argument, NULL, 'x'},
    {"list", no_argument, NULL, 'l'},             {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static const char usage[] =
    "accuracy [OPTION]...\n"
    "  --cases A,B,...     cases, or what their names begin with (all)\n"
    "  --filters A,B,...   filters or rivals; \"filters\", \"rivals\": all of them (both)\n"
    "  --seeds N           runs of each case (100; with --trace 1)\n"
    "  --first-seed N      (PP_SEED, or 1)\n"
    "  --held-back         the first seed is 1000000: not tuned on\n"
    "  --threads N         (2)\n"
    "  --window N          of the filters (256)\n"
    "  --detail            a line for each case and filter, with more figures\n"
    "  --wrongs            name the runs that were confidently wrong\n"
    "  --trace             print runs train by train instead\n"
    "  --list              what there is\n";

static unsigned number(const char *text, unsigned most)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    if (*end || value == 0 || value > most) {
        fprintf(stderr, "accuracy: not a number from 1 to %u: %s\n", most, text);
        exit(2);
    }
    return (unsigned)value;
}

static void take_option(struct options *options, int option)
{
    switch (option) {
    case 'c': choose_cases(options, optarg); break;
    case 'f': choose_filters(options, optarg); break;
    case 's': options->seeds = number(optarg, 1000000); break;
    case 'S': options->first_seed = strtoull(optarg, NULL, 0); break;
    case 'H': options->first_seed = SIM_SEEDS_HELD_BACK; break;
    case 'j': options->threads = number(optarg, THREADS_MAX); break;
    case 'w': options->window = number(optarg, FILTER_WINDOW_MAX); break;
    case 'd': options->detail = true; break;
    case 't': options->trace = true; break;
    case 'x': options->wrongs = true; break;
    case 'l': list(); exit(0);
    case 'h': fputs(usage, stdout); exit(0);
    default: fputs(usage, stderr); exit(2);
    }
}

static void set_defaults(struct options *options)
{
    if (options->case_count == 0)
        choose_case(options, "");
    if (options->filter_count == 0) {
        add_table(options, filter_table);
        add_table(options, rival_table);
    }
    if (options->seeds == 0)
        options->seeds = options->trace ? 1 : 100;
}

int main(int argc, char **argv)
{
    struct options options = {.first_seed = sim_seed(SIM_SEEDS_TUNING),
                              .threads = 2,
                              .window = FILTER_WINDOW_DEFAULT};
    int option;

    options.cases = sim_allocate(sim_case_count, sizeof(*options.cases));
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
        take_option(&options, option);
    set_defaults(&options);
    if (options.trace)
        trace(&options);
    else
        judge_all(&options);
    free(options.cases);
    return 0;
}

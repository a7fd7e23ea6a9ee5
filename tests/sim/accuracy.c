/* SPDX-License-Identifier: BSD-3-Clause */
/* accuracy: cases by filters, over many seeds; Markdown on standard output. */
#include "capture.h"
#include "cases.h"
#include "evidence.h"
#include "filters/filter.h"
#include "following.h"
#include "free_cases.h"
#include "free_report.h"
#include "judge.h"
#include "memory.h"
#include "promised.h"
#include "ramps.h"
#include "report.h"
#include "restarts.h"
#include "rivals.h"

#include <getopt.h>
#include <inttypes.h>
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
    bool library;
    bool detail;
    bool trace;
    bool packets;
    bool evidence;
    bool following, ramps;
    bool restarts;
    bool promised;
    bool twins;
    bool available, rivals; /* rules of the field beside it */
    const char *free_cases;
    bool wrongs;
    const char *capture; /* a file to write the first run to */
    bool chosen;         /* cases, by name */
    bool gate;
    unsigned misses;
};

struct work {
    const struct options *options;
    struct jury jury;
    struct report report;
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

static void add_case(struct options *options, const struct sim_case *row)
{
    if (options->case_count < sim_case_count)
        options->cases[options->case_count++] = row;
}

/* A name, or the beginning of several. */
static void choose_case(struct options *options, const char *name)
{
    const struct sim_case *row = sim_case_find(name) ? sim_case_find(name) : promised_find(name);
    unsigned before = options->case_count;

    if (row) {
        add_case(options, row);
        return;
    }
    for (unsigned i = 0; i < sim_case_count; i++)
        if (strncmp(sim_cases[i].name, name, strlen(name)) == 0)
            add_case(options, &sim_cases[i]);
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
        printf("  %-20s %s\n", sim_cases[i].name, sim_cases[i].text);
    puts("filters:");
    for (unsigned i = 0; filter_table[i]; i++)
        printf("  %-20s %s\n", filter_table[i]->name, filter_table[i]->usage);
    puts("rivals:");
    for (unsigned i = 0; rival_table[i]; i++)
        printf("  %-20s %s\n", rival_table[i]->name, rival_table[i]->usage);
}

/* --- Working --- */

static void judge_job(struct work *work, unsigned job)
{
    const struct options *options = work->options;
    unsigned row = job / options->seeds, seed = job % options->seeds;
    struct verdict_on_run results[FILTERS_MAX];

    judge_run(&work->jury, options->cases[row], options->first_seed + seed, results);
    for (unsigned f = 0; f < options->filter_count; f++)
        work->report.results[(row * options->filter_count + f) * options->seeds + seed] = results[f];
}

static void *worker(void *data)
{
    struct work *work = data;
    unsigned jobs = work->options->case_count * work->options->seeds;

    for (unsigned job; (job = atomic_fetch_add(&work->next, 1)) < jobs;)
        judge_job(work, job);
    return NULL;
}

static void accuracy_run_all(struct work *work)
{
    pthread_t threads[THREADS_MAX];
    unsigned started = 0;

    while (started + 1 < work->options->threads && pthread_create(&threads[started], NULL, worker, work) == 0)
        started++;
    worker(work);
    while (started)
        pthread_join(threads[--started], NULL);
}

/* --- Doing --- */

static struct jury jury_of(const struct options *options)
{
    return (struct jury){options->filters, options->filter_count, options->window,
                         options->library, options->packets,      options->twins};
}

static void trace(const struct options *options)
{
    struct jury jury = jury_of(options);

    for (unsigned row = 0; row < options->case_count; row++)
        for (unsigned i = 0; i < options->seeds; i++)
            judge_trace(&jury, options->cases[row], options->first_seed + i);
}

static void trace_evidence(const struct options *options)
{
    for (unsigned row = 0; row < options->case_count; row++)
        for (unsigned i = 0; i < options->seeds; i++)
            evidence_trace(options->cases[row], options->first_seed + i, options->window);
}

/* The first of its own cases whose name begins so. */
static void choose_free(const struct options *options, struct sim_config *config)
{
    const char *begins = options->free_cases ? options->free_cases : "";
    unsigned i = 0;

    while (i + 1 < free_case_count && strncmp(free_cases[i].name, begins, strlen(begins)) != 0)
        i++;
    free_case_config(&free_cases[i], options->first_seed, config);
}

static int write_capture(const struct options *options)
{
    FILE *file = fopen(options->capture, "wb");
    struct sim_config config;
    struct sim_run run;
    int failed = -1;

    if (options->available)
        choose_free(options, &config);
    else
        sim_case_config(options->cases[0], options->first_seed, &config);
    sim_run_init(&run, &config, options->first_seed);
    if (file)
        failed = sim_capture_write(&run, config.sender.classic, file);
    if (failed)
        perror(options->capture);
    sim_run_fini(&run);
    return failed ? 1 : 0;
}

static int print_tables(const struct options *options, const struct report *report)
{
    if (options->detail)
        accuracy_detail(report);
    else
        accuracy_matrix(report);
    accuracy_beaten(report);
    accuracy_totals(report);
    accuracy_reliability(report);
    if (options->twins)
        accuracy_twins(report);
    if (options->wrongs)
        accuracy_wrongs(report);
    return options->gate && !accuracy_gate(report, options->misses);
}

static int judge_all(const struct options *options)
{
    int status;

    struct work work = {.options = options, .jury = jury_of(options)};
    struct report *report = &work.report;

    *report = (struct report){options->cases,
                              options->case_count,
                              options->filters,
                              options->filter_count,
                              options->first_seed,
                              options->seeds,
                              NULL,
                              options->chosen};
    report->results = sim_allocate((size_t)options->case_count * options->filter_count * options->seeds,
                                   sizeof(*report->results));
    accuracy_run_all(&work);
    printf("Seeds %" PRIu64 " to %" PRIu64 ", window %u.\n\n", options->first_seed,
           options->first_seed + options->seeds - 1, options->window);
    status = options->promised ? !promised_table(report) : print_tables(options, report);
    free(report->results);
    return status;
}

/* --- Options --- */

static const struct option long_options[] = {
    {"cases", required_argument, NULL, 'c'},
    {"filters", required_argument, NULL, 'f'},
    {"seeds", required_argument, NULL, 's'},
    {"first-seed", required_argument, NULL, 'S'},
    {"held-back", no_argument, NULL, 'H'},
    {"threads", required_argument, NULL, 'j'},
    {"window", required_argument, NULL, 'w'},
    {"detail", no_argument, NULL, 'd'},
    {"trace", no_argument, NULL, 't'},
    {"wrongs", no_argument, NULL, 'x'},
    {"library", no_argument, NULL, 'L'},
    {"list", no_argument, NULL, 'l'},
    {"packets", no_argument, NULL, 'p'},
    {"capture", required_argument, NULL, 'C'},
    {"gate", required_argument, NULL, 'g'},
    {"evidence", no_argument, NULL, 'e'},
    {"following", no_argument, NULL, 'F'},
    {"ramps", no_argument, NULL, 'M'},
    {"restarts", no_argument, NULL, 'R'},
    {"available", optional_argument, NULL, 'a'},
    {"rivals", no_argument, NULL, 'r'},
    {"twins", no_argument, NULL, 'T'},
    {"promised", no_argument, NULL, 'P'},
    {"help", no_argument, NULL, 'h'},
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
    "  --library           feed arrivals to the library instead of samples to filters\n"
    "  --detail            a line for each case and filter, with more figures\n"
    "  --wrongs            name the runs that were confidently wrong\n"
    "  --twins             tell runs apart whose path has a twin that looks the same (slow)\n"
    "  --trace             print runs train by train instead\n"
    "  --packets           the same, with every packet\n"
    "  --evidence          print what speaks for and against each candidate instead\n"
    "  --following         how soon the first filter follows a change of the rate instead;\n"
    "                      exit 1 when it takes more than 30 trains too often\n"
    "  --ramps             how long it is sure of what a path was whose rate drifts away instead;\n"
    "                      exit 1 when that is over 30 trains too often\n"
    "  --restarts          how often adaptive takes a path that stays as it is for another one\n"
    "                      instead\n"
    "  --promised          how often what is promised of links that people have is kept instead, by\n"
    "                      the first filter; exit 1 when adaptive keeps it less often than it did\n"
    "  --available[=NAME]  how well available bandwidth is told instead, on its own cases, or\n"
    "                      those whose names begin so; with --gate, exit 1 when less well\n"
    "                      than it was\n"
    "  --rivals            with it, rules of the field on the same paths\n"
    "  --gate N            exit 1 when the first filter misses more than N goals, or decides,\n"
    "                      is right or holds the truth less often than adaptive did\n"
    "  --capture FILE      write the first run as pcap instead\n"
    "  --list              what there is\n";

static unsigned accuracy_number(const char *text, unsigned most)
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
    case 'c':
        options->chosen = true;
        choose_cases(options, optarg);
        break;
    case 'f': choose_filters(options, optarg); break;
    case 's': options->seeds = accuracy_number(optarg, 1000000); break;
    case 'S': options->first_seed = strtoull(optarg, NULL, 0); break;
    case 'H': options->first_seed = SIM_SEEDS_HELD_BACK; break;
    case 'j': options->threads = accuracy_number(optarg, THREADS_MAX); break;
    case 'w': options->window = accuracy_number(optarg, FILTER_WINDOW_MAX); break;
    case 'd': options->detail = true; break;
    case 't': options->trace = true; break;
    case 'x': options->wrongs = true; break;
    case 'p': options->trace = options->packets = true; break;
    case 'e': options->evidence = true; break;
    case 'F': options->following = true; break;
    case 'M': options->ramps = true; break;
    case 'R': options->restarts = true; break;
    case 'P': options->promised = true; break;
    case 'a':
        options->available = true;
        options->free_cases = optarg;
        break;
    case 'r': options->rivals = true; break;
    case 'T': options->twins = true; break;
    case 'C': options->capture = optarg; break;
    case 'g':
        options->gate = true;
        options->misses = accuracy_number(optarg, sim_case_count);
        break;
    case 'L': options->library = true; break;
    case 'l': list(); exit(0);
    case 'h': fputs(usage, stdout); exit(0);
    default: fputs(usage, stderr); exit(2);
    }
}

static void accuracy_set_defaults(struct options *options)
{
    if (options->promised && !options->chosen) {
        for (unsigned i = 0; promised_case(i); i++)
            add_case(options, promised_case(i));
    }
    if (options->case_count == 0)
        choose_case(options, "");
    if (options->filter_count == 0) {
        add_table(options, filter_table);
        add_table(options, rival_table);
    }
    if (options->seeds == 0)
        options->seeds = options->trace || options->evidence ? 1 : 100;
}

int main(int argc, char **argv)
{
    struct options options = {
        .first_seed = sim_seed(SIM_SEEDS_TUNING), .threads = 2, .window = FILTER_WINDOW_DEFAULT};
    int option, status = 0;

    options.cases = sim_allocate(sim_case_count, sizeof(*options.cases));
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
        take_option(&options, option);
    accuracy_set_defaults(&options);
    if (options.capture)
        status = write_capture(&options);
    else if (options.available)
        status = !free_report(&(struct free_wish){options.first_seed, options.seeds, options.window,
                                                  options.free_cases, options.rivals, options.gate});
    else if (options.following)
        status = !following_table(options.filters[0], options.window, options.first_seed, options.seeds);
    else if (options.ramps)
        status = !ramps_tables(options.filters[0], options.window, options.first_seed, options.seeds);
    else if (options.restarts)
        restarts_table(options.cases, options.case_count, options.first_seed, options.seeds, options.window);
    else if (options.evidence)
        trace_evidence(&options);
    else if (options.trace)
        trace(&options);
    else
        status = judge_all(&options);
    free(options.cases);
    return status;
}

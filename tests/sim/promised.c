/* SPDX-License-Identifier: BSD-3-Clause */
#include "promised.h"

#include "families.h"
#include "gate.h"
#include "score.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- How a promise is kept --- */

typedef bool promised_kept(const struct sim_config *config, const struct verdict_on_run *result);

static bool within(double bps, double truth_bps, double share)
{
    return fabs(bps / truth_bps - 1) <= share;
}

static bool is_right(const struct sim_config *config, const struct verdict_on_run *result)
{
    (void)config;
    return within(result->estimate.capacity_bps, result->truth_bps, JUDGE_WRONG);
}

static bool is_sure_and_right(const struct sim_config *config, const struct verdict_on_run *result)
{
    return judge_decided(&result->estimate) && is_right(config, result);
}

static bool is_never_wrong(const struct sim_config *config, const struct verdict_on_run *result)
{
    (void)config;
    return !result->ever_wrong;
}

static bool is_fair(const struct sim_config *config, const struct verdict_on_run *result)
{
    return result->estimate.state == STATE_FAIR && is_right(config, result)
        && within(result->estimate.share_bps, sim_case_share_bps(config), 0.1);
}

static bool is_policed(const struct sim_config *config, const struct verdict_on_run *result)
{
    return result->estimate.state == STATE_POLICED
        && within(result->estimate.policed_bps, sim_case_policed_bps(config), 0.05);
}

static bool is_not_policed(const struct sim_config *config, const struct verdict_on_run *result)
{
    return result->estimate.state != STATE_POLICED && is_never_wrong(config, result);
}

/* --- What is promised --- */
/* clang-format off */

/* 45 s of what pptrans sends without options. */
#define DEFAULT(NAME, TEXT, BUILD, LEAST, MOST)                                           \
    .row = {.family = "promised", .name = "promised-" NAME, .text = TEXT, .build = BUILD,  \
            .trains = 112, .narrow_bps = (LEAST) * MBPS, .most_bps = (MOST) * MBPS
#define FAIR(NAME, TEXT, FLOWS, QUANTUM)                                                  \
    DEFAULT("fair-" NAME, TEXT, sim_build_promised_fair, 5, 100), .sender_bps = 1 * GBPS,  \
    .flows = FLOWS, .factor = QUANTUM
#define POLICER(NAME, TEXT, LEAST, MOST)                                                  \
    DEFAULT("policer" NAME, TEXT, sim_build_promised_policer, 20, 1000),                   \
    .sender_bps = 10 * GBPS, .load = LEAST, .factor = MOST
#define TCP(NAME, TEXT, FLOWS)                                                            \
    DEFAULT("tcp-" NAME, TEXT, sim_build_promised_tcp, 5, 20), .sender_bps = 200 * MBPS,   \
    .flows = FLOWS

static const struct promise {
    struct sim_case row;
    const char *text;
    promised_kept *kept;
    double wanted;    /* of runs */
    unsigned reached; /* runs of seeds 1 to 200 */
} promises[] = {
    {FAIR("300", "fair queue of 5 to 100 Mbit/s, 1 to 4 greedy flows, quantum of 300", 4, 300)},
     "`fair`, capacity to 5 %, share to 10 %", is_fair, 0.8, 190},
    {FAIR("1514", "fair queue of 5 to 100 Mbit/s, 1 to 4 greedy flows, quantum of 1514", 4, 1514)},
     "`fair`, capacity to 5 %, share to 10 %", is_fair, 0.8, 198},
    {FAIR("trains", "fair queue, quantum of 1514, trains of 4 to 64", 4, 1514), .shortest = 4, .longest = 64},
     "never sure and wrong", is_never_wrong, 1, 199},
    {FAIR("pairs", "fair queue, quantum of 1514, pairs", 4, 1514), .shortest = 2, .longest = 2},
     "never sure and wrong", is_never_wrong, 1, 200},
    {FAIR("idle", "fair queue of 5 to 100 Mbit/s, nobody beside", 0, 1514)},
     "sure, right to 5 %", is_sure_and_right, 0.8, 200},
    {DEFAULT("fifo", "first in, first out, 5 to 100 Mbit/s, nobody beside", sim_build_promised_fifo, 5, 100),
     .sender_bps = 1 * GBPS},
     "sure, right to 5 %", is_sure_and_right, 0.8, 200},
    {POLICER("", "2 to 100 Mbit/s behind 20 to 1000, 12 to 100 kB; two packets and more of a train pass by rate", 2, INFINITY)},
     "`policed`, rate to 5 %", is_policed, 0.85, 179},
    {DEFAULT("queue", "2 to 100 Mbit/s, a queue of 4 to 48 packets that overflows, load to 0.6", sim_build_promised_queue, 2, 100),
     .load = 0.6, .sender_bps = 1 * GBPS},
     "never `policed`, never sure and wrong", is_not_policed, 1, 200},
    {.row = {.family = "promised", .name = "promised-ticks",
             .text = "ticks of 1 ms at 8 Mbit/s, 60 trains of 32 x 1000 bytes",
             .build = sim_build_promised_ticks, .trains = 60, .narrow_bps = 8 * MBPS,
             .most_bps = 8 * MBPS, .sender_bps = 1 * GBPS, .shortest = 32, .longest = 32},
     "sure, right to 5 %", is_sure_and_right, 0.8, 167},
    {TCP("1", "one TCP flow fills 5 to 20 Mbit/s, hosts at 200", 1)},
     "sure, right to 5 %", is_sure_and_right, 0.75, 160},
    {TCP("4", "four TCP flows fill 5 to 20 Mbit/s, hosts at 200", 4)},
     "sure, right to 5 %", is_sure_and_right, 0.75, 164},
};
/* clang-format on */

enum { PROMISES = sizeof(promises) / sizeof(promises[0]), REACHED_RUNS = 200 };

/* Of links that people have, if such trains can show them. */
static const struct promise on_links = {
    .text = "right to 5 %, a guess as well", .kept = is_right, .wanted = 0.75};

static bool is_link(const struct sim_case *row)
{
    return strncmp(row->name, "access-", 7) == 0 && !row->unknowable;
}

const struct sim_case *promised_case(unsigned index)
{
    if (index < PROMISES)
        return &promises[index].row;
    index -= PROMISES;
    for (unsigned i = 0; i < sim_case_count; i++)
        if (is_link(&sim_cases[i]) && index-- == 0)
            return &sim_cases[i];
    return NULL;
}

const struct sim_case *promised_find(const char *name)
{
    for (unsigned i = 0; i < PROMISES; i++)
        if (strcmp(promises[i].row.name, name) == 0)
            return &promises[i].row;
    return NULL;
}

static const struct promise *promise_of(const struct sim_case *row)
{
    for (unsigned i = 0; i < PROMISES; i++)
        if (row == &promises[i].row)
            return &promises[i];
    return is_link(row) ? &on_links : NULL;
}

/* --- The table --- */

static unsigned count_kept(const struct report *report, unsigned row, promised_kept *kept)
{
    const struct verdict_on_run *results = accuracy_results(report, row, 0);
    struct sim_config config;
    unsigned count = 0;

    for (unsigned i = 0; i < report->seeds; i++) {
        sim_case_config(report->cases[row], report->first_seed + i, &config);
        count += kept(&config, &results[i]);
    }
    return count;
}

static void print_promise(const struct report *report, unsigned row, const struct promise *promise,
                          unsigned kept)
{
    const struct verdict_on_run *results = accuracy_results(report, row, 0);
    unsigned ever_wrong = 0;
    struct score score;

    for (unsigned i = 0; i < report->seeds; i++)
        ever_wrong += results[i].ever_wrong;
    score_runs(results, report->seeds, &score);
    printf("| %s | %s | %s | %.0f %% | %u of %u%s | %u | %u | %u |\n", report->cases[row]->name,
           report->cases[row]->text, promise->text, 100 * promise->wanted, kept, report->seeds,
           kept < promise->wanted * report->seeds ? " x" : "", score.decided, score.wrong, ever_wrong);
}

/* But for chance; that none of so many was missed does not mean never. */
static bool as_reached(const struct promise *promise, unsigned kept, unsigned runs)
{
    return promise == &on_links || kept >= gate_least(runs, (promise->reached + 0.5) / (REACHED_RUNS + 1));
}

static void print_header(void)
{
    puts("What is promised, and in how many runs it is kept (x: in fewer than wanted); how many are sure at "
         "the end, sure and over 5 % off at the end, and sure and over 5 % off at some time:\n\n"
         "| case | path | promised | wanted | kept | sure | wrong | at some time |\n"
         "|---|---|---|---|---|---|---|---|");
}

bool promised_table(const struct report *report)
{
    bool all = true;

    print_header();
    for (unsigned row = 0; row < report->case_count; row++) {
        const struct promise *promise = promise_of(report->cases[row]);
        unsigned kept;

        if (promise == NULL)
            continue;
        kept = count_kept(report, row, promise->kept);
        print_promise(report, row, promise, kept);
        all = as_reached(promise, kept, report->seeds) && all;
    }
    printf("\ngate: promises are %s kept as often as they were\n", all ? "all" : "not all");
    return all;
}

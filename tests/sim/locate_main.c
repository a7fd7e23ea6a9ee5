/* SPDX-License-Identifier: BSD-3-Clause */
/* How often the narrow link is found: cases x seeds, a table in Markdown. */
#include "capture.h"
#include "cases.h"
#include "locate.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *cases;
    const char *capture; /* a file to write the first run to */
    unsigned seeds;
    uint64_t first_seed;
    bool detail, known, gate;
};

static const struct option long_options[] = {
    {"cases", required_argument, NULL, 'c'}, {"seeds", required_argument, NULL, 's'},
    {"held-back", no_argument, NULL, 'H'},   {"first-seed", required_argument, NULL, 'S'},
    {"detail", no_argument, NULL, 'd'},      {"known", no_argument, NULL, 'k'},
    {"gate", no_argument, NULL, 'g'},        {"capture", required_argument, NULL, 'C'},
    {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0},
};

static const char usage[] =
    "locate [OPTION]...\n"
    "  --cases NAME      what their names begin with (all)\n"
    "  --seeds N         runs of each case (100)\n"
    "  --first-seed N    (PP_SEED, or 1)\n"
    "  --held-back       the first seed is 1000000: not tuned on\n"
    "  --detail          every run, hop by hop\n"
    "  --known           beside it, how often one is right who knows the narrow rate,\n"
    "                    and that all other links are 1.5 times as fast\n"
    "  --capture FILE    write the first run as pcap instead\n"
    "  --gate            exit 1 when a case is worse than was reached\n";

static void show_run(const struct sim_config *config, uint64_t seed, const struct locate_result *result)
{
    static const char *const words[LOCATE_VERDICTS] = {"right", "range", "silent", "WRONG"};
    const char *why = pprec_hops_why_name(result->summary.why);

    printf("seed %llu: %s: %u-%u of %u, truth %u of %u; %s\n", (unsigned long long)seed,
           words[result->verdict], result->summary.narrow_hop, result->summary.narrow_hop_last,
           result->summary.hops_count, result->narrow, config->path.hops + 1, why ? why : "-");
    for (unsigned i = 0; i < result->summary.hops_told; i++) {
        const struct pprec_hop *hop = &result->hop[i];
        double truth = i == 0        ? (double)config->sender.rate_bps
            : i <= config->path.hops ? (double)sim_hop_capacity_bps(&config->path.hop[i - 1], 0)
                                     : 0;

        printf("    %2u  link %8.2f  told %8.2f %8.2f %8.2f %s (%u)\n", i + 1, truth / 1e6,
               hop->capacity_bps / 1e6, hop->low_bps / 1e6, hop->high_bps / 1e6,
               pprec_hop_state_name(hop->state), hop->trains);
    }
}

/* False when it is worse than was reached. */
static bool run_case(const struct options *options, const struct locate_case *row)
{
    unsigned of[LOCATE_VERDICTS] = {0}, told = 0, held = 0, bounds = 0, bounds_held = 0, off = 0, known = 0;
    double share;

    for (unsigned i = 0; i < options->seeds; i++) {
        struct sim_config config;
        struct locate_result result;
        double bps;

        locate_config(row, options->first_seed + i, &config);
        locate_run(&config, options->first_seed + i, &result);
        of[result.verdict]++;
        known += result.known == result.narrow;
        told += result.hops_told;
        held += result.hops_held;
        bounds += result.bounds;
        bounds_held += result.bounds_held;
        bps = result.summary.narrow_link_bps;
        off += result.verdict != LOCATE_SILENT
            && (bps < 0.95 * result.truth_bps || bps > 1.05 * result.truth_bps);
        if (options->detail)
            show_run(&config, options->first_seed + i, &result);
    }
    share = 100.0 / options->seeds;
    printf("| %s: %s | %.0f | %.0f | %.0f | %.1f | %.0f | %.1f (%u) | %.1f (%u) |\n", row->name, row->text,
           of[LOCATE_RIGHT] * share, of[LOCATE_RANGE] * share, of[LOCATE_SILENT] * share,
           of[LOCATE_WRONG] * share, off * share, told > 0 ? 100.0 * held / told : 0, told,
           bounds > 0 ? 100.0 * bounds_held / bounds : 0, bounds);
    if (options->known)
        printf("  known: %.0f %% right\n", known * share);
    fflush(stdout);
    return locate_passes(row->right, row->wrong, options->seeds, of);
}

static int locate_main_capture(const struct options *options, const struct locate_case *row)
{
    FILE *file = fopen(options->capture, "wb");
    struct sim_config config;
    struct sim_run run;
    int failed = -1;

    if (file != NULL) {
        locate_config(row, options->first_seed, &config);
        sim_run_init(&run, &config, options->first_seed);
        failed = sim_capture_write(&run, false, file);
        sim_run_fini(&run);
    }
    if (failed)
        perror(options->capture);
    return failed ? 1 : 0;
}

static bool is_wanted(const struct options *options, const struct locate_case *row)
{
    return strncmp(row->name, options->cases, strlen(options->cases)) == 0;
}

int main(int argc, char **argv)
{
    struct options options = {"", NULL, 100, sim_seed(SIM_SEEDS_TUNING), false, false, false};
    bool pass = true;
    int option;

    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        switch (option) {
        case 'c': options.cases = optarg; break;
        case 's': options.seeds = (unsigned)strtoul(optarg, NULL, 10); break;
        case 'S': options.first_seed = strtoull(optarg, NULL, 0); break;
        case 'H': options.first_seed = SIM_SEEDS_HELD_BACK; break;
        case 'd': options.detail = true; break;
        case 'k': options.known = true; break;
        case 'g': options.gate = true; break;
        case 'C': options.capture = optarg; break;
        case 'h': fputs(usage, stdout); return 0;
        default: fputs(usage, stderr); return 2;
        }
    }
    for (unsigned i = 0; options.capture != NULL && i < locate_case_count; i++)
        if (is_wanted(&options, &locate_cases[i]))
            return locate_main_capture(&options, &locate_cases[i]);
    printf("| case | right | range | silent | wrong | rate off by 5 %% | intervals that hold (of) | bounds "
           "that hold (of) |\n|---|---|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < locate_case_count && options.seeds > 0; i++)
        if (is_wanted(&options, &locate_cases[i]))
            pass = run_case(&options, &locate_cases[i]) && pass;
    return options.gate && !pass;
}

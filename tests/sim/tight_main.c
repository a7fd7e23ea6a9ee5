/* SPDX-License-Identifier: BSD-3-Clause */
/* How often the tight link is found: cases x seeds, a table in Markdown. */
#include "cases.h"
#include "tight.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *cases;
    unsigned seeds;
    uint64_t first_seed;
    bool detail, gate;
};

static const struct option long_options[] = {
    {"cases", required_argument, NULL, 'c'},
    {"seeds", required_argument, NULL, 's'},
    {"first-seed", required_argument, NULL, 'S'},
    {"detail", no_argument, NULL, 'd'},
    {"gate", no_argument, NULL, 'g'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static const char usage[] = "tight [OPTION]...\n"
                            "  --cases NAME      what their names begin with (all)\n"
                            "  --seeds N         runs of each case (100)\n"
                            "  --first-seed N    (PP_SEED, or 1)\n"
                            "  --detail          every run, hop by hop\n"
                            "  --gate            exit 1 when a case is worse than was reached\n";

static void tight_show_run(const struct sim_config *config, uint64_t seed, const struct tight_result *result)
{
    static const char *const words[LOCATE_VERDICTS] = {"right", "range", "silent", "WRONG"};
    static const char *const states[] = {"unknown", "tentative", "at_least", "converged"};
    const char *why = pprec_tight_why_name(result->summary.tight_why);

    printf("seed %llu: %s: %u-%u of %u, truth %u of %u, %.2f; %s; narrow %u-%u; free %.2f %.2f %.2f %s; C "
           "%.2f %s\n",
           (unsigned long long)seed, words[result->verdict], result->summary.tight_hop,
           result->summary.tight_hop_last, result->summary.hops_count, result->tight, config->path.hops + 1,
           result->summary.tight_link_bps / 1e6, why ? why : "-", result->summary.narrow_hop,
           result->summary.narrow_hop_last, result->available.available_bps / 1e6,
           result->available.low_bps / 1e6, result->available.high_bps / 1e6, states[result->available.state],
           result->capacity.capacity_bps / 1e6, pprec_state_name(result->capacity.state));
    for (unsigned i = 0; i < result->summary.hops_told && i <= config->path.hops; i++) {
        double link = i == 0 ? (double)config->sender.rate_bps
                             : (double)sim_hop_capacity_bps(&config->path.hop[i - 1], 0);

        printf("    %2u  link %8.2f  free %8.2f  told %8.2f %8.2f, narrow %8.2f %8.2f\n", i + 1, link / 1e6,
               result->free_bps[i] / 1e6, result->hop[i].available_bps / 1e6,
               result->hop[i].available_low_bps / 1e6, result->hop[i].low_bps / 1e6,
               result->hop[i].high_bps / 1e6);
    }
}

/* False when it is worse than was reached. */
static bool tight_run_case(const struct options *options, const struct tight_case *row)
{
    unsigned of[LOCATE_VERDICTS] = {0}, guesses = 0, near = 0, bounds = 0, bounds_held = 0;
    double share = 100.0 / options->seeds;

    for (unsigned i = 0; i < options->seeds; i++) {
        struct sim_config config;
        struct tight_result result;

        tight_config(row, options->first_seed + i, &config);
        tight_run(&config, options->first_seed + i, &result);
        of[result.verdict]++;
        guesses += result.guesses;
        near += result.near;
        bounds += result.bounds;
        bounds_held += result.bounds_held;
        if (options->detail)
            tight_show_run(&config, options->first_seed + i, &result);
    }
    printf("| %s: %s | %.0f | %.0f | %.0f | %.1f | %.1f (%u) | %.1f (%u) |\n", row->name, row->text,
           of[LOCATE_RIGHT] * share, of[LOCATE_RANGE] * share, of[LOCATE_SILENT] * share,
           of[LOCATE_WRONG] * share, guesses > 0 ? 100.0 * near / guesses : 0, guesses,
           bounds > 0 ? 100.0 * bounds_held / bounds : 0, bounds);
    fflush(stdout);
    return locate_passes(row->right, row->wrong, options->seeds, of);
}

int main(int argc, char **argv)
{
    struct options options = {"", 100, sim_seed(SIM_SEEDS_TUNING), false, false};
    bool pass = true;
    int option;

    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        switch (option) {
        case 'c': options.cases = optarg; break;
        case 's': options.seeds = (unsigned)strtoul(optarg, NULL, 10); break;
        case 'S': options.first_seed = strtoull(optarg, NULL, 0); break;
        case 'd': options.detail = true; break;
        case 'g': options.gate = true; break;
        case 'h': fputs(usage, stdout); return 0;
        default: fputs(usage, stderr); return 2;
        }
    }
    printf("| case | right | range | silent | wrong | guesses within 25 %% (of) | bounds that hold (of) |\n"
           "|---|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < tight_case_count && options.seeds > 0; i++)
        if (strncmp(tight_cases[i].name, options.cases, strlen(options.cases)) == 0)
            pass = tight_run_case(&options, &tight_cases[i]) && pass;
    return options.gate && !pass;
}

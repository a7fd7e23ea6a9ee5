/* SPDX-License-Identifier: BSD-3-Clause */
/* Video over RTP through a token bucket, and from senders that pace, pushed packet by packet:
 *
 *   media [RUNS [SEED]]
 *
 * A line a cell: of RUNS runs (20) of 20 s at 30 frames/s how many told the sustained rate within
 * 5 %, a bound that holds, a bound above it, a guess further off, and were sure and wrong. Of
 * pacing senders on a faster link: how many were told as such. Held: what lasts is within low and
 * high. Figures are of the last train. */
#include "tests/sim/media.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 20, CELLS_WIDE = 30 };

struct tally {
    unsigned right, bounds, above, guesses, wrong, none, sender, held;
    double worst; /* of the guesses and bounds: told over true */
};

static void media_count(struct tally *tally, const struct media_result *result, double true_bps)
{
    double ratio = result->capacity.capacity_bps / true_bps;
    enum pprec_state state = result->capacity.state;

    tally->held += result->capacity.low_bps <= true_bps
        && (result->capacity.high_bps >= true_bps || result->capacity.high_bps <= 0);
    tally->sender += state == PPREC_STATE_SENDER_LIMITED || result->capacity.why == PPREC_WHY_SENDER;
    if (state == PPREC_STATE_INSUFFICIENT)
        tally->none++;
    else if (fabs(ratio - 1) <= 0.05)
        tally->right++;
    else if (state == PPREC_STATE_SENDER_LIMITED && ratio <= 1)
        tally->bounds++;
    else if (state == PPREC_STATE_SENDER_LIMITED)
        tally->above++;
    else if (pprec_state_is_sure(state))
        tally->wrong++;
    else
        tally->guesses++;
    tally->worst = fmax(tally->worst, fmax(ratio, ratio > 0 ? 1 / ratio : 0));
}

static struct tally media_run_all(struct media_config config, unsigned runs, uint64_t seed)
{
    struct tally tally = {0};

    for (unsigned i = 0; i < runs; i++) {
        struct media_result result = media_run(&config, seed + i);

        media_count(&tally, &result, (double)config.rate_bps);
    }
    return tally;
}

static void media_print(const char *name, const struct tally *tally)
{
    printf("%-40s %5u %5u %5u %5u %5u %5u %7u %5u %7.1f\n", name, tally->right, tally->bounds, tally->above,
           tally->guesses, tally->wrong, tally->none, tally->sender, tally->held, tally->worst);
    fflush(stdout);
}

static void media_head(const char *what)
{
    printf("%-40s %5s %5s %5s %5s %5s %5s %7s %5s %7s\n", what, "right", "bound", "above", "guess", "wrong",
           "none", "sender", "held", "worst");
}

static void buckets(unsigned runs, uint64_t seed)
{
    static const uint64_t rates_bps[] = {2000000, 5000000, 20000000};
    static const uint32_t buckets_bytes[] = {1300, 2000, 4000, 15000};
    static const unsigned frames[][2] = {{3, 7}, {6, 14}};

    media_head("bucket");
    for (unsigned cell = 0; cell < 3 * 4 * 2 * 2; cell++) {
        struct media_config config = {
            .rate_bps = rates_bps[cell / 16],
            .bucket_bytes = buckets_bytes[cell / 4 % 4],
            .packets_least = frames[cell / 2 % 2][0],
            .packets_most = frames[cell / 2 % 2][1],
            .send_times = cell % 2,
        };
        struct tally tally = media_run_all(config, runs, seed);
        char name[64];

        snprintf(name, sizeof name, "%2" PRIu64 " Mbit/s %5u B, %u-%u packets%s", config.rate_bps / 1000000,
                 config.bucket_bytes, config.packets_least, config.packets_most,
                 config.send_times ? ", times" : "");
        media_print(name, &tally);
    }
}

/* A bucket behind a smaller one of a higher rate: one frame in 60 empties it. */
static void media_nested(unsigned runs, uint64_t seed)
{
    static const uint64_t rates_bps[] = {5000000, 10000000, 20000000};
    static const double times[] = {1.5, 2.2, 4};

    media_head("bucket of 15 kB behind one of 2 kB");
    for (unsigned cell = 0; cell < 3 * 3 * 2; cell++) {
        struct media_config config = {
            .rate_bps = rates_bps[cell / 6],
            .bucket_bytes = 15000,
            .before_bps = (uint64_t)(times[cell / 2 % 3] * (double)rates_bps[cell / 6]),
            .packets_least = 6,
            .packets_most = 14,
            .send_times = cell % 2,
        };
        struct tally tally = media_run_all(config, runs, seed);
        char name[64];

        snprintf(name, sizeof name, "%2" PRIu64 " Mbit/s behind %.1f times as many%s",
                 config.rate_bps / 1000000, times[cell / 2 % 3], config.send_times ? ", times" : "");
        media_print(name, &tally);
    }
}

/* A bucket that no frame empties, behind a link. */
static void media_fits(unsigned runs, uint64_t seed)
{
    static const uint64_t rates_bps[] = {2000000, 5000000, 10000000};
    static const uint64_t links_bps[] = {20000000, 100000000, 1000000000};

    media_head("bucket of 60 kB, which frames fit");
    for (unsigned cell = 0; cell < 3 * 3 * 2; cell++) {
        struct media_config config = {
            .rate_bps = rates_bps[cell / 2 % 3],
            .peak_bps = links_bps[cell / 6],
            .bucket_bytes = 60000,
            .packets_least = 3,
            .packets_most = 7,
            .send_times = cell % 2,
        };
        struct tally tally = media_run_all(config, runs, seed);
        char name[64];

        snprintf(name, sizeof name, "%2" PRIu64 " behind %4" PRIu64 " Mbit/s%s", config.rate_bps / 1000000,
                 config.peak_bps / 1000000, config.send_times ? ", times" : "");
        media_print(name, &tally);
    }
}

/* Frames split evenly: packets of one size in each, of another in the next. */
static void splits(unsigned runs, uint64_t seed)
{
    static const uint32_t buckets_bytes[] = {0, 2000, 4000};

    media_head("split evenly, 5 Mbit/s");
    for (unsigned cell = 0; cell < 3 * 3 * 2; cell++) {
        static const enum media_pacing pacings[] = {MEDIA_AT_ONCE, MEDIA_BY_SIZE, MEDIA_BY_CLOCK};
        static const char *const names[] = {"", ", paced 2.0 x by size", ", paced 2.0 x by the clock"};
        struct media_config config = {
            .rate_bps = 5000000,
            .bucket_bytes = buckets_bytes[cell / 6],
            .packets_least = 3,
            .packets_most = 7,
            .pacing = pacings[cell / 2 % 3],
            .pace = 2,
            .send_times = cell % 2,
            .split = true,
        };
        struct tally tally = media_run_all(config, runs, seed);
        char name[64];

        snprintf(name, sizeof name, "%5u B%s%s", config.bucket_bytes, names[cell / 2 % 3],
                 config.send_times ? ", times" : "");
        media_print(name, &tally);
    }
}

/* Nothing says that these left at once, but that nothing says that they did not. */
static void loaded_splits(unsigned runs, uint64_t seed)
{
    static const uint64_t rates_bps[] = {2500000, 5000000, 20000000};

    media_head("split evenly, at once, loaded");
    for (unsigned cell = 0; cell < 2 * 3 * 3; cell++) {
        struct media_config config = {
            .rate_bps = rates_bps[cell / 3 % 3],
            .load = 0.2 * (1 + cell % 3),
            .bucket_bytes = cell / 9 * 2000,
            .packets_least = 3,
            .packets_most = 7,
            .split = true,
        };
        struct tally tally = media_run_all(config, runs, seed);
        char name[64];

        snprintf(name, sizeof name, "%4.1f Mbit/s %5u B, load %.1f", (double)config.rate_bps / 1e6,
                 config.bucket_bytes, config.load);
        media_print(name, &tally);
    }
}

static void links(unsigned runs, uint64_t seed)
{
    static const uint64_t rates_bps[] = {3000000, 10000000, 50000000, 200000000, 1000000000};
    static const double loads[] = {0, 0.3};

    media_head("link");
    for (unsigned cell = 0; cell < 5 * 2 * 2; cell++) {
        struct media_config config = {
            .rate_bps = rates_bps[cell / 4],
            .load = loads[cell / 2 % 2],
            .packets_least = 3,
            .packets_most = 7,
            .send_times = cell % 2,
        };
        struct tally tally = media_run_all(config, runs, seed);
        char name[64];

        snprintf(name, sizeof name, "%4" PRIu64 " Mbit/s, load %.1f%s", config.rate_bps / 1000000,
                 config.load, config.send_times ? ", times" : "");
        media_print(name, &tally);
    }
}

/* Stamps are late by 1 to 30 % of the time that a packet takes: a host that has much else to do. */
static void late_stamps(unsigned runs, uint64_t seed)
{
    static const uint64_t rates_bps[] = {5000000, 20000000, 50000000};
    static const double shares[] = {0.01, 0.03, 0.1, 0.3};

    media_head("stamps late by a share of a packet's time");
    for (unsigned cell = 0; cell < 4 * 3 * 4; cell++) {
        struct media_config config = {
            .rate_bps = rates_bps[cell / 4 % 3],
            .bucket_bytes = cell / 12 % 3 * 4000,
            .packets_least = 6,
            .packets_most = 14,
            .pacing = cell < 36 ? MEDIA_AT_ONCE : MEDIA_BY_CLOCK,
            .pace = 1.5,
            .late_ns = (int64_t)(shares[cell % 4] * 10e12 / (double)rates_bps[cell / 4 % 3]),
        };
        struct tally tally = media_run_all(config, runs, seed);
        char name[64];

        snprintf(name, sizeof name, "%2" PRIu64 " Mbit/s %4u B, %2.0f %%%s", config.rate_bps / 1000000,
                 config.bucket_bytes, 100 * shares[cell % 4], cell < 36 ? "" : ", paced by the clock");
        media_print(name, &tally);
    }
}

static void pacers(unsigned runs, uint64_t seed)
{
    static const double factors[] = {1.1, 1.5, 2.5};
    static const unsigned links[] = {5, 20, 100}; /* Mbit/s: 1.5 are the media's */
    static const char *const kinds[] = {"by size", "by the clock", "every 5 ms"};

    media_head("pacer");
    for (unsigned cell = 0; cell < 3 * 3 * 3 * 2; cell++) {
        struct media_config config = {
            .rate_bps = links[cell / 18] * UINT64_C(1000000),
            .packets_least = 3,
            .packets_most = 7,
            .pacing = (enum media_pacing)(1 + cell / 6 % 3),
            .pace = factors[cell / 2 % 3],
            .send_times = cell % 2,
        };
        struct tally tally = media_run_all(config, runs, seed);
        char name[64];

        snprintf(name, sizeof name, "%3u Mbit/s, %.1f x %s%s", links[cell / 18], config.pace,
                 kinds[cell / 6 % 3], config.send_times ? ", times" : "");
        media_print(name, &tally);
    }
}

int main(int argc, char **argv)
{
    unsigned runs = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : RUNS;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;

    printf("runs %u, seed %" PRIu64 "\n", runs, seed);
    buckets(runs, seed);
    media_nested(runs, seed);
    media_fits(runs, seed);
    links(runs, seed);
    splits(runs, seed);
    loaded_splits(runs, seed);
    late_stamps(runs, seed);
    pacers(runs, seed);
    return 0;
}

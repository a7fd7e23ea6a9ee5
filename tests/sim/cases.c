/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

#include "families.h"
#include "parts.h"

#include <math.h>
#include <string.h>

/* --- The table --- */
/* clang-format off */

#define LOADED(NAME, TEXT, BUILD, LOAD, SENDER, TRAINS, TOLERANCE, SHARE)                  \
    {                                                                                     \
        .name = NAME, .text = TEXT, .build = BUILD, .trains = TRAINS,                     \
        .tolerance = TOLERANCE, .share = SHARE, .load = LOAD, .narrow_bps = 10 * MBPS,    \
        .sender_bps = SENDER                                                              \
    }

/* What a family has in common, then what tells its cases apart. */
#define COARSE_OF(BUILD)                                                                   \
    .family = "coarse stamps", .build = BUILD, .trains = 120, .load = 0.3,                 \
    .narrow_bps = 1 * MBPS, .most_bps = 100 * MBPS
#define COARSE COARSE_OF(sim_build_coarse)
#define SHIFTED COARSE_OF(sim_build_shifted)
#define JITTERY                                                                           \
    .family = "jittery stamps", .build = sim_build_jittery, .trains = 120, .load = 0.3,    \
    .narrow_bps = 10 * MBPS, .most_bps = 1 * GBPS
#define THROTTLE(FAMILY)                                                                  \
    .family = FAMILY, .build = sim_build_throttle, .trains = 120, .load = 0.5,         \
    .narrow_bps = 100 * MBPS, .most_bps = 2.5 * GBPS, .sender_bps = 10 * GBPS
#define SHAPER(FAMILY)                                                                    \
    .family = FAMILY, .trains = 80, .narrow_bps = 1 * MBPS, .most_bps = 100 * MBPS,        \
    .sender_bps = 1 * GBPS
#define CROSS(FAMILY)                                                                     \
    .family = FAMILY, .trains = 120, .narrow_bps = 2 * MBPS, .most_bps = 50 * MBPS
#define SENDER(NAME, TEXT, BUILD)                                                         \
    {CROSS("limited senders"), .name = NAME, .text = TEXT ", trains of 2 to 64",           \
     .build = BUILD, .load = 0.5, .deschedule = 0.2, .shortest = 2, .longest = 64},        \
    {CROSS("limited senders"), .name = NAME "-mix", .text = "the same, --mix",             \
     .build = BUILD, .load = 0.5, .deschedule = 0.2}
#define LONG_RUN(NAME, TEXT, BUILD)                                                       \
    {.family = "long runs", .name = NAME, .text = TEXT, .build = BUILD, .trains = 600,     \
     .tolerance = 0.02, .share = 0.9, .load = 0.5, .narrow_bps = 10 * MBPS,                \
     .sender_bps = 100 * MBPS}
#define BATCHES(FAMILY)                                                                   \
    .family = FAMILY, .build = sim_build_batches, .trains = 120, .narrow_bps = 20 * MBPS,  \
    .most_bps = 500 * MBPS, .sender_bps = 1 * GBPS
#define FIRST(NAME, TEXT, BUILD, LEAST, MOST, LOAD, COALESCE)                             \
    {.family = "first measurement", .name = "first-" NAME, .text = TEXT ", no options, 45 s", \
     .build = BUILD, .trains = 112, .narrow_bps = LEAST, .most_bps = MOST, .load = LOAD,   \
     .coalesce_ns = COALESCE}
/* Links that people have, probed as pptrans does without options, and by trains; or by pairs. */
#define OVER(KIND, BUILD, LEAST, MOST, LOAD, FACTOR)                                       \
    .family = "access: " KIND, .build = BUILD, .narrow_bps = (LEAST) * MBPS,               \
    .most_bps = (MOST) * MBPS, .sender_bps = 1 * GBPS, .load = LOAD, .factor = FACTOR
#define LINK(KIND, NAME, TEXT, BUILD, LEAST, MOST, LOAD, FACTOR, SHORTEST)                 \
    {OVER(KIND, BUILD, LEAST, MOST, LOAD, FACTOR), .trains = 200, .name = "access-" NAME,  \
     .text = TEXT},                                                                       \
    {OVER(KIND, BUILD, LEAST, MOST, LOAD, FACTOR), .trains = 100, .shortest = SHORTEST,    \
     .longest = 64, .name = "access-" NAME "-trains", .text = "the same, trains of up to 64"}
#define PAIRS(KIND, NAME, TEXT, BUILD, LEAST, MOST, LOAD, FACTOR)                          \
    OVER(KIND, BUILD, LEAST, MOST, LOAD, FACTOR), .trains = 200, .shortest = 2,            \
    .longest = 2, .name = "access-" NAME "-pairs", .text = TEXT ", pairs"
#define SIXTEEN(NAME, TEXT, BUILD, LEAST, MOST)                                           \
    OVER("cycles unseen", BUILD, LEAST, MOST, 0, 0), .trains = 100, .shortest = 16,        \
    .longest = 16, .name = "access-" NAME "-16", .text = TEXT ", trains of 16", .unknowable = true
#define BUCKET(NAME, TEXT, BUILD, LEAST, MOST)                                            \
    OVER("shapers", BUILD, LEAST, MOST, 0, 0), .name = "access-bucket-" NAME, .text = TEXT
#define RANDOM(FAMILY)                                                                    \
    .family = FAMILY, .build = sim_build_random, .trains = 20, .narrow_bps = 0.1 * MBPS,   \
    .most_bps = 10 * GBPS
#define CHAIN                                                                             \
    .family = "chain", .build = sim_build_chain, .trains = 100, .narrow_bps = 1 * MBPS,    \
    .most_bps = 1 * MBPS

const struct sim_case sim_cases[] = {
    {.name = "idle-100k", .text = "idle path, about 100 kbit/s", .build = sim_build_idle,
     .trains = 20, .tolerance = 0.01, .share = 1, .narrow_bps = 0.1 * MBPS},
    {.name = "idle-1M", .text = "idle path, about 1 Mbit/s", .build = sim_build_idle,
     .trains = 20, .tolerance = 0.01, .share = 1, .narrow_bps = 1 * MBPS},
    {.name = "idle-10M", .text = "idle path, about 10 Mbit/s", .build = sim_build_idle,
     .trains = 20, .tolerance = 0.01, .share = 1, .narrow_bps = 10 * MBPS},
    {.name = "idle-100M", .text = "idle path, about 100 Mbit/s", .build = sim_build_idle,
     .trains = 20, .tolerance = 0.01, .share = 1, .narrow_bps = 100 * MBPS},
    {.name = "idle-1G", .text = "idle path, about 1 Gbit/s", .build = sim_build_idle,
     .trains = 20, .tolerance = 0.02, .share = 0.9, .narrow_bps = 1 * GBPS},
    {.name = "idle-10G", .text = "idle path, about 10 Gbit/s", .build = sim_build_idle,
     .trains = 20, .tolerance = 0.02, .share = 0.9, .narrow_bps = 10 * GBPS},

    LOADED("loaded-0.5-100M", "one loaded link, sender 100 Mbit/s", sim_build_loaded,
           0.5, 100 * MBPS, 30, 0.02, 0.9),
    LOADED("loaded-0.8-100M", "the same, more load", sim_build_loaded,
           0.8, 100 * MBPS, 60, 0.02, 0.7),
    LOADED("loaded-0.9-100M", "the same, more load", sim_build_loaded,
           0.9, 100 * MBPS, 120, 0.05, 0.5),
    LOADED("loaded-0.5-1G", "one loaded link, sender 1 Gbit/s", sim_build_loaded,
           0.5, 1 * GBPS, 30, 0.02, 0.9),
    LOADED("loaded-0.8-1G", "the same, more load", sim_build_loaded,
           0.8, 1 * GBPS, 60, 0.02, 0.7),
    LOADED("loaded-0.9-1G", "the same, more load", sim_build_loaded,
           0.9, 1 * GBPS, 120, 0.05, 0.5),
    LOADED("twice-0.8", "one loaded link, sender of only twice its capacity", sim_build_twice,
           0.8, 1 * GBPS, 120, 0.02, 0.6),
    LOADED("twice-0.9", "the same, more load", sim_build_twice, 0.9, 1 * GBPS, 240, 0.05, 0.5),
    LOADED("after-0.5", "load on a link after the narrow one", sim_build_after,
           0.5, 0, 60, 0.02, 0.8),
    LOADED("after-0.8", "the same, more load", sim_build_after, 0.8, 0, 120, 0.02, 0.7),
    LOADED("after-0.9", "the same, more load", sim_build_after, 0.9, 0, 240, 0.05, 0.4),
    {.name = "three-0.5", .text = "three loaded hops", .build = sim_build_hops, .trains = 120,
     .tolerance = 0.02, .share = 0.6, .load = 0.5, .narrow_bps = 10 * MBPS, .hops = 3},
    {.name = "six-0.5", .text = "six loaded hops, --mix", .build = sim_build_hops,
     .trains = 400, .tolerance = 0.05, .share = 0.5, .load = 0.5, .narrow_bps = 10 * MBPS,
     .hops = 6},

    {.name = "pareto", .text = "Pareto bursts, load 0.5 to 0.6", .build = sim_build_pareto,
     .trains = 120, .tolerance = 0.02, .share = 0.7, .narrow_bps = 10 * MBPS},
    {.name = "cross-64", .text = "cross traffic of 64 bytes, 0.5 to 0.6",
     .build = sim_build_sizes, .trains = 120, .tolerance = 0.02, .share = 0.7,
     .narrow_bps = 10 * MBPS, .mix = SIM_MIX_64},
    {.name = "cross-1500", .text = "cross traffic of 1500 bytes, 0.5 to 0.6",
     .build = sim_build_sizes, .trains = 120, .tolerance = 0.02, .share = 0.7,
     .narrow_bps = 10 * MBPS, .mix = SIM_MIX_1500},

    {.name = "bucket", .text = "token bucket of 2 to 40 packets", .build = sim_build_bucket,
     .trains = 60, .tolerance = 0.02, .share = 0.9, .sender_bps = 1 * GBPS},
    {.name = "tick", .text = "tick shaper of 0.1 to 10 ms", .build = sim_build_tick,
     .trains = 60, .tolerance = 0.03, .share = 0.8, .sender_bps = 1 * GBPS},
    {.name = "coalesce-60us", .text = "1 Gbit/s, interrupts coalesced, load 0.3",
     .build = sim_build_coalescing, .trains = 80, .tolerance = 0.02, .share = 0.7, .load = 0.3,
     .narrow_bps = 1 * GBPS, .train_length = 128, .coalesce_ns = 60000},
    {.name = "coalesce-125us", .text = "the same, longer", .build = sim_build_coalescing,
     .trains = 80, .tolerance = 0.02, .share = 0.7, .load = 0.3, .narrow_bps = 1 * GBPS,
     .train_length = 128, .coalesce_ns = 125000},
    {.name = "loss", .text = "5 % of packets lost, trains of 8, load 0.3",
     .build = sim_build_loss, .trains = 80, .tolerance = 0.02, .share = 0.8, .load = 0.3,
     .narrow_bps = 10 * MBPS, .train_length = 8},
    {.name = "disorder", .text = "5 % reordered, 5 % doubled, trains of 8, load 0.3",
     .build = sim_build_disorder, .trains = 80, .tolerance = 0.02, .share = 0.8, .load = 0.3,
     .narrow_bps = 10 * MBPS, .train_length = 8},
    LOADED("skew", "loaded-0.5-100M, clocks 100 ppm apart", sim_build_skew,
           0.5, 100 * MBPS, 30, 0.02, 0.9),
    LOADED("step", "loaded-0.5-100M, a clock step of 1 s", sim_build_step,
           0.5, 100 * MBPS, 30, 0.02, 0.9),
    {.name = "halved", .text = "the rate halves 20 trains before the end, load 0.3",
     .build = sim_build_change, .trains = 80, .tolerance = 0.02, .share = 0.9, .load = 0.3,
     .narrow_bps = 10 * MBPS, .sender_bps = 100 * MBPS, .factor = 0.5},
    {.name = "doubled", .text = "the rate doubles 20 trains before the end, load 0.3",
     .build = sim_build_change, .trains = 80, .tolerance = 0.02, .share = 0.9, .load = 0.3,
     .narrow_bps = 10 * MBPS, .sender_bps = 100 * MBPS, .factor = 2},

    /* Beyond the table of goals: what is decided must still be right. */
    {.name = "halved-idle", .text = "the rate halves, no load", .build = sim_build_change,
     .trains = 80, .tolerance = 0.02, .share = 0.9, .narrow_bps = 10 * MBPS,
     .sender_bps = 100 * MBPS, .factor = 0.5},
    {.name = "doubled-idle", .text = "the rate doubles, no load", .build = sim_build_change,
     .trains = 80, .tolerance = 0.02, .share = 0.9, .narrow_bps = 10 * MBPS,
     .sender_bps = 100 * MBPS, .factor = 2},
    {.name = "reroute", .text = "the delay changes, the rate does not",
     .build = sim_build_reroute, .trains = 80, .tolerance = 0.02, .share = 0.9,
     .load = 0.3, .narrow_bps = 10 * MBPS, .sender_bps = 100 * MBPS, .factor = 1},
    LOADED("steady", "loaded-0.5-100M for long: false resets", sim_build_loaded,
           0.5, 100 * MBPS, 1000, 0, 0),
    {.name = "three-0.8", .text = "three loaded hops, hard", .build = sim_build_hops,
     .trains = 120, .load = 0.8, .narrow_bps = 10 * MBPS, .hops = 3},
    {.name = "through-0.5", .text = "three hops, load from end to end",
     .build = sim_build_through, .trains = 120, .load = 0.5, .narrow_bps = 10 * MBPS,
     .hops = 3},
    {.name = "bucket-0.3", .text = "token bucket shared with a load of 0.3",
     .build = sim_build_bucket, .trains = 60, .load = 0.3, .sender_bps = 1 * GBPS},
    LOADED("slow-sender", "a sender slower than the path", sim_build_slow_sender,
           0.3, 0, 60, 0, 0),
    {.name = "busy-sender", .text = "descheduled before one packet in twenty",
     .build = sim_build_busy_sender, .trains = 60, .load = 0.5, .narrow_bps = 10 * MBPS,
     .deschedule = 0.05},
    {.name = "tiny", .text = "pairs of 64 bytes", .build = sim_build_tiny, .trains = 120,
     .load = 0.3, .narrow_bps = 10 * MBPS, .train_length = 2},
    LOADED("classic", "no send times", sim_build_classic, 0.5, 0, 120, 0, 0),
    {.name = "tcp-4", .text = "four TCP flows across one link", .build = sim_build_tcp,
     .trains = 120, .narrow_bps = 10 * MBPS, .flows = 4},
    {.name = "paper-1248", .text = "the paper's V = 1, 2, 4, 8, 20 FTP",
     .build = sim_build_paper, .trains = 100, .narrow_bps = 1 * MBPS,
     .sender_bps = 10 * MBPS, .factor = 2, .flows = 20, .propagation_ns = 1000000},
    {.name = "paper-8421", .text = "the paper's V = 8, 4, 2, 1, 20 FTP",
     .build = sim_build_paper, .trains = 100, .narrow_bps = 1 * MBPS,
     .sender_bps = 10 * MBPS, .factor = 0.5, .flows = 20, .propagation_ns = 1000000},
    {.name = "paper-1248-100ms", .text = "the same as the first, 100 ms per link",
     .build = sim_build_paper, .trains = 100, .narrow_bps = 1 * MBPS,
     .sender_bps = 10 * MBPS, .factor = 2, .flows = 20, .propagation_ns = 100000000},
    {.name = "any", .text = "whatever comes: 1 to 6 hops, loads, sizes, lengths, loss",
     .build = sim_build_any, .trains = 120},

    /* Families that mislead: what is decided must still be right. */
    {COARSE, .name = "coarse-pairs", .text = "stamps of 10 us to 10 ms, load up to 0.3",
     .shortest = 2, .longest = 2},
    {COARSE, .name = "coarse-trains", .text = "the same, trains of 4 to 64",
     .shortest = 4, .longest = 64},
    {COARSE, .name = "coarse-mix", .text = "the same, --mix"},
    {SHIFTED, .name = "shifted-pairs", .text = "coarse stamps that somebody shifted", .shortest = 2, .longest = 2},
    {SHIFTED, .name = "shifted-trains", .text = "the same, trains of 4 to 64", .shortest = 4, .longest = 64},
    {SHIFTED, .name = "shifted-mix", .text = "the same, --mix"},
    {JITTERY, .name = "jittery-pairs", .text = "stamps late by 20 to 200 us, load up to 0.3",
     .shortest = 2, .longest = 2},
    {JITTERY, .name = "jittery-16", .text = "the same, trains of 16", .shortest = 16,
     .longest = 16},
    {JITTERY, .name = "jittery-64", .text = "the same, trains of 64", .tolerance = 0.05,
     .share = 0.5, .shortest = 64, .longest = 64},
    {JITTERY, .name = "jittery-mix", .text = "the same, --mix"},
    {THROTTLE("throttle"), .name = "throttle-short",
     .text = "interrupts held back by 20 to 250 us, trains of 4 to 16",
     .shortest = 4, .longest = 16},
    {THROTTLE("throttle"), .name = "throttle-long", .text = "the same, trains of 32 to 128",
     .tolerance = 0.05, .share = 0.7, .shortest = 32, .longest = 128},
    {THROTTLE("throttle"), .name = "throttle-mix", .text = "the same, --mix"},
    {THROTTLE("throttle unseen"), .unknowable = true, .name = "throttle-pairs",
     .text = "the same, pairs: one gap, that of the adapter", .shortest = 2, .longest = 2},

    {SHAPER("tick"), .name = "tick-pairs", .text = "tick shaper of 0.1 to 10 ms, pairs",
     .build = sim_build_tick_drawn, .shortest = 2, .longest = 2},
    {SHAPER("tick"), .name = "tick-short", .text = "the same, trains of 4 to 16",
     .build = sim_build_tick_drawn, .shortest = 4, .longest = 16},
    {SHAPER("tick"), .name = "tick-mix", .text = "the same, --mix that lasts for 12 ticks",
     .build = sim_build_tick_drawn, .factor = 12},
    {SHAPER("tick"), .name = "tick-mix-any", .text = "the same, --mix",
     .build = sim_build_tick_drawn},
    {SHAPER("bucket"), .name = "bucket-short",
     .text = "token bucket that trains of 4 to 16 empty",
     .build = sim_build_bucket_shown, .shortest = 4, .longest = 16},
    {SHAPER("bucket"), .name = "bucket-long",
     .text = "token bucket that trains of 16 to 64 empty",
     .build = sim_build_bucket_shown, .tolerance = 0.02, .share = 0.9, .shortest = 16,
     .longest = 64},
    {SHAPER("bucket"), .name = "bucket-mix", .text = "token bucket that --mix empties",
     .build = sim_build_bucket_shown, .tolerance = 0.02, .share = 0.9},
    {SHAPER("bucket"), .name = "bucket-shallow",
     .text = "room for 1.05 to 2 frames, trains of 4 to 64",
     .build = sim_build_bucket_shallow, .shortest = 4, .longest = 64},
    {SHAPER("bucket"), .name = "bucket-shallow-mix", .text = "the same, --mix",
     .build = sim_build_bucket_shallow},
    {SHAPER("bucket"), .name = "bucket-frame-mix", .text = "room for one frame, --mix",
     .build = sim_build_bucket_frame},
    {SHAPER("bucket unseen"), .unknowable = true, .name = "bucket-shallow-pairs",
     .text = "the same, pairs",
     .build = sim_build_bucket_shallow, .shortest = 2, .longest = 2},
    {SHAPER("bucket unseen"), .unknowable = true, .name = "bucket-blind",
     .text = "token bucket that trains of 2 to 16 leave full",
     .build = sim_build_bucket_blind, .shortest = 2, .longest = 16},
    {SHAPER("bucket unseen"), .unknowable = true, .name = "bucket-blind-mix",
     .text = "token bucket that --mix leaves full",
     .build = sim_build_bucket_blind},

    {CROSS("two narrow"), .name = "two-narrow-pairs",
     .text = "two links within 15 %, loads 0.3 to 0.8",
     .build = sim_build_two_narrow, .load = 0.8, .shortest = 2, .longest = 2},
    {CROSS("two narrow"), .name = "two-narrow-mix", .text = "the same, --mix",
     .build = sim_build_two_narrow, .load = 0.8},
    {CROSS("two narrow"), .name = "two-narrow-idle",
     .text = "the same, no load, trains of 8 to 64",
     .build = sim_build_two_narrow, .tolerance = 0.02, .share = 0.9, .shortest = 8,
     .longest = 64},
    {CROSS("constant"), .name = "constant-pairs",
     .text = "constant-rate traffic of 0.2 to 0.8",
     .build = sim_build_constant, .load = 0.8, .shortest = 2, .longest = 2},
    {CROSS("constant"), .name = "constant-8", .text = "the same, trains of 8",
     .build = sim_build_constant, .load = 0.8, .shortest = 8, .longest = 8},
    {CROSS("constant"), .name = "constant-32", .text = "the same, trains of 32",
     .build = sim_build_constant, .load = 0.8, .shortest = 32, .longest = 32},
    {CROSS("constant"), .name = "constant-mix", .text = "the same, --mix",
     .build = sim_build_constant, .load = 0.8},
    {CROSS("constant joins"), .name = "constant-joins-mix",
     .text = "a constant flow of 0.1 to 0.6 that joins behind a faster first link, --mix",
     .build = sim_build_constant_joins, .load = 0.6},
    {CROSS("constant joins"), .name = "constant-joins-32", .text = "the same, trains of 32",
     .build = sim_build_constant_joins, .load = 0.6, .shortest = 32, .longest = 32},
    {CROSS("twice, 64 bytes"), .name = "twice-64-pairs",
     .text = "64-byte traffic of 0.5 to 0.9, sender of 1.5 to 3 times",
     .build = sim_build_twice_small, .load = 0.9, .shortest = 2, .longest = 2},
    {CROSS("twice, 64 bytes"), .name = "twice-64-trains",
     .text = "the same, trains of 4 to 32",
     .build = sim_build_twice_small, .load = 0.9, .shortest = 4, .longest = 32},
    {CROSS("twice, 64 bytes"), .name = "twice-64-mix", .text = "the same, --mix",
     .build = sim_build_twice_small, .load = 0.9},
    {CROSS("fluid"), .unknowable = true, .name = "fluid-pairs",
     .text = "64-byte traffic of 0.2 to 0.8 at a constant rate",
     .build = sim_build_fluid, .load = 0.8, .shortest = 2, .longest = 2},
    {CROSS("fluid"), .unknowable = true, .name = "fluid-mix", .text = "the same, --mix",
     .build = sim_build_fluid, .load = 0.8},
    {CROSS("bursts after"), .name = "bursts-after-pairs",
     .text = "Pareto or constant traffic of 0.3 to 0.9 after the narrow link",
     .build = sim_build_after_bursts, .load = 0.9, .shortest = 2, .longest = 2},
    {CROSS("bursts after"), .name = "bursts-after-8", .text = "the same, trains of 8",
     .build = sim_build_after_bursts, .load = 0.9, .shortest = 8, .longest = 8},
    {CROSS("bursts after"), .name = "bursts-after-32", .text = "the same, trains of 32",
     .build = sim_build_after_bursts, .load = 0.9, .shortest = 32, .longest = 32},
    {CROSS("bursts after"), .name = "bursts-after-mix", .text = "the same, --mix",
     .build = sim_build_after_bursts, .load = 0.9},
    {CROSS("transfers after"), .name = "transfers-after-mix",
     .text = "transfers that come and go, to a load of 0.4, after the narrow link, --mix",
     .build = sim_build_after_transfers, .load = 0.4},
    {CROSS("transfers after"), .name = "transfers-after-8", .text = "the same, trains of 8",
     .build = sim_build_after_transfers, .load = 0.4, .shortest = 8, .longest = 8},
    {CHAIN, .name = "chain-1248-pairs",
     .text = "V = 1, 2, 4, 8 as in ns-3: 5 to 40 FTP, sizes",
     .factor = 2, .shortest = 2, .longest = 2},
    {CHAIN, .name = "chain-1248-trains", .text = "the same, trains of 8 to 32", .factor = 2,
     .shortest = 8, .longest = 32},
    {CHAIN, .name = "chain-8421-pairs",
     .text = "the same, V = 8, 4, 2, 1, pairs", .factor = 0.5,
     .shortest = 2, .longest = 2},
    {CHAIN, .name = "chain-8421-trains", .text = "the same, trains of 8 to 32", .factor = 0.5,
     .shortest = 8, .longest = 32},
    {CROSS("hardly loaded"), .name = "quiet-mix", .text = "load of 0.01 to 0.05, --mix",
     .build = sim_build_quiet, .tolerance = 0.02, .share = 0.9, .load = 0.05},
    {CROSS("hardly loaded"), .name = "episode-pairs",
     .text = "a load of 0.9 for one third of the run", .build = sim_build_episode,
     .load = 0.9, .shortest = 2, .longest = 2},
    {CROSS("hardly loaded"), .name = "episode-trains", .text = "the same, trains of 4 to 32",
     .build = sim_build_episode, .load = 0.9, .shortest = 4, .longest = 32},
    {CROSS("hardly loaded"), .name = "episode-mix", .text = "the same, --mix",
     .build = sim_build_episode, .load = 0.9},

    SENDER("handed", "adapter of 0.2 to 2 times the path, hand-over told", sim_build_handed),
    SENDER("untold", "the same, no departure told", sim_build_untold),
    SENDER("noisy-span", "the same, departure told with noise", sim_build_noisy_departure),
    SENDER("short-head", "2 to 4 packets back to back, then slowly", sim_build_short_head),
    SENDER("descheduled", "0.1 to 5 ms lost before one packet in five",
           sim_build_descheduled),
    LONG_RUN("wander", "600 trains, a clock that wanders", sim_build_wander),
    LONG_RUN("slew", "the same, and slews by 500 ppm for a while", sim_build_slew),
    LONG_RUN("rerouted", "a clock that wanders, and another delay", sim_build_rerouted),

    FIRST("100k", "100 to 300 kbit/s", sim_build_first, 0.1 * MBPS, 0.3 * MBPS, 0, 0),
    FIRST("1M", "0.3 to 3 Mbit/s", sim_build_first, 0.3 * MBPS, 3 * MBPS, 0, 0),
    FIRST("10M", "3 to 30 Mbit/s", sim_build_first, 3 * MBPS, 30 * MBPS, 0, 0),
    FIRST("100M", "30 to 300 Mbit/s", sim_build_first, 30 * MBPS, 300 * MBPS, 0, 0),
    FIRST("loaded-1M", "0.3 to 3 Mbit/s, load 0.5", sim_build_first, 0.3 * MBPS, 3 * MBPS, 0.5, 0),
    FIRST("loaded-10M", "3 to 30 Mbit/s, load 0.5", sim_build_first, 3 * MBPS, 30 * MBPS, 0.5, 0),
    FIRST("loaded-100M", "30 to 300 Mbit/s, load 0.5", sim_build_first, 30 * MBPS, 300 * MBPS, 0.5, 0),
    FIRST("bucket-1M", "0.3 to 3 Mbit/s, buckets to 40 kB", sim_build_first_bucket, 0.3 * MBPS, 3 * MBPS, 0, 0),
    FIRST("bucket-10M", "3 to 30 Mbit/s, buckets to 40 kB", sim_build_first_bucket, 3 * MBPS, 30 * MBPS, 0, 0),
    FIRST("bucket-100M", "30 to 300 Mbit/s, buckets to 40 kB", sim_build_first_bucket, 30 * MBPS, 300 * MBPS, 0, 0),
    FIRST("busy-1M", "0.3 to 3 Mbit/s, buckets to 40 kB, busy hosts", sim_build_first_busy, 0.3 * MBPS, 3 * MBPS, 0, 0),
    FIRST("busy-10M", "3 to 30 Mbit/s, buckets to 40 kB, busy hosts", sim_build_first_busy, 3 * MBPS, 30 * MBPS, 0, 0),
    FIRST("busy-100M", "30 to 300 Mbit/s, buckets to 40 kB, busy hosts", sim_build_first_busy, 30 * MBPS, 300 * MBPS, 0, 0),
    FIRST("tick-1M", "0.3 to 3 Mbit/s, ticks of 1 ms", sim_build_first_tick, 0.3 * MBPS, 3 * MBPS, 0, 0),
    FIRST("tick-10M", "3 to 30 Mbit/s, ticks of 1 ms", sim_build_first_tick, 3 * MBPS, 30 * MBPS, 0, 0),
    FIRST("tick-100M", "30 to 300 Mbit/s, ticks of 1 ms", sim_build_first_tick, 30 * MBPS, 300 * MBPS, 0, 0),
    FIRST("held-1M", "0.3 to 3 Mbit/s, interrupts held back 1 ms", sim_build_first, 0.3 * MBPS, 3 * MBPS, 0, 1000000),
    FIRST("held-10M", "3 to 30 Mbit/s, interrupts held back 1 ms", sim_build_first, 3 * MBPS, 30 * MBPS, 0, 1000000),
    FIRST("held-100M", "30 to 300 Mbit/s, interrupts held back 1 ms", sim_build_first, 30 * MBPS, 300 * MBPS, 0, 1000000),

    {CROSS("two links unseen"), .unknowable = true, .name = "parallel-pairs",
     .text = "two links of half the rate by turns, pairs",
     .build = sim_build_parallel, .shortest = 2, .longest = 2},
    {CROSS("two links by turns"), .name = "parallel-trains",
     .text = "two links of half the rate by turns, trains of 4 to 64",
     .build = sim_build_parallel, .shortest = 4, .longest = 64},
    {CROSS("two links by turns"), .name = "parallel-mix", .text = "the same, --mix",
     .build = sim_build_parallel},
    {BATCHES("batches"), .name = "batches-trains",
     .text = "Wi-Fi's batches, trains of four or more of them",
     .shortest = 16, .longest = 128},
    {BATCHES("batches"), .name = "batches-mix", .text = "the same, --mix"},
    {BATCHES("batches unseen"), .unknowable = true, .name = "batches-blind",
     .text = "Wi-Fi's batches, trains that fit in one", .shortest = 2, .longest = 32},
    {CROSS("fair share"), .unknowable = true, .name = "fair-pairs",
     .text = "fair queueing with 1 to 8 greedy flows, pairs", .build = sim_build_turns,
     .shortest = 2, .longest = 2},
    {CROSS("fair share"), .unknowable = true, .name = "fair-trains",
     .text = "the same, trains of 4 to 32", .build = sim_build_turns, .shortest = 4,
     .longest = 32},
    {CROSS("fair share"), .unknowable = true, .name = "fair-mix", .text = "the same, --mix",
     .build = sim_build_turns},

    LINK("Wi-Fi", "wifi-24", "Wi-Fi, multicast at 18 to 36 Mbit/s",
         sim_build_multicast, 18, 36, 0, 0, 32),
    {PAIRS("Wi-Fi", "wifi-24", "the same", sim_build_multicast, 18, 36, 0, 0)},
    LINK("Wi-Fi", "wifi-54", "Wi-Fi, multicast at 48 to 54 Mbit/s",
         sim_build_multicast, 48, 54, 0, 0, 32),
    {PAIRS("Wi-Fi", "wifi-54", "the same", sim_build_multicast, 48, 54, 0, 0)},
    LINK("Wi-Fi", "wifi-65", "Wi-Fi, single frames at 52 to 65 Mbit/s, acknowledged",
         sim_build_single_frames, 52, 65, 0, 0, 32),
    {PAIRS("Wi-Fi", "wifi-65", "the same", sim_build_single_frames, 52, 65, 0, 0)},
    LINK("Wi-Fi", "wifi-coarse", "Wi-Fi, multicast at 6 to 54 Mbit/s, stamps of 2 to 60 us",
         sim_build_multicast_coarse, 6, 54, 0, 0, 32),
    LINK("Wi-Fi, busy hosts", "wifi-busy", "Wi-Fi, multicast at 6 to 54 Mbit/s, busy hosts",
         sim_build_multicast_busy, 6, 54, 0, 0, 32),
    LINK("few batches", "wifi-aggregates-few", "Wi-Fi, aggregates of 36 to 60 packets, the first one alone",
         sim_build_aggregates_few, 50, 300, 0, 0, 64),
    LINK("blocks", "wifi-wired", "Wi-Fi, aggregates of 8 to 64 packets, then a wire of 1.1 to 12 times the rate",
         sim_build_aggregates_wired, 20, 300, 0, 0, 64),
    LINK("grants", "grants", "cycles of 0.125 to 2 ms, 5 to 15 % assured, reports of 1 to 2 ms",
         sim_build_grants, 50, 400, 0, 0.1, 64),
    LINK("grants", "reports", "the same, nothing assured",
         sim_build_grants, 50, 400, 0, 0, 64),
    LINK("grants", "pon", "cycles of 0.5 to 2 ms, all that is there goes along",
         sim_build_cycles, 100, 500, 0, 0, 64),
    LINK("grants, few a train", "grants-few", "cycles that trains take 0.6 to 2.4 of, 5 to 15 % assured",
         sim_build_grants_few, 20, 300, 0, 0.1, 64),
    LINK("grants that expect", "pon-expects", "cycles, 10 to 30 % assured, which are to carry the end of each train",
         sim_build_grants_expecting, 50, 400, 0, 0.2, 64),
    LINK("TTIs", "lte", "TTIs of 1 ms",
         sim_build_tti, 10, 150, 0, 0, 64),
    LINK("TTIs", "lte-behind", "the same, a link of 1 Gbit/s behind",
         sim_build_tti_behind, 10, 150, 0, 0, 64),
    LINK("radio", "lte-radio", "TTIs of 1 ms, blocks again after 8, a rate that varies by up to 25 %",
         sim_build_lte_radio, 1, 150, 0, 0.25, 64),
    LINK("radio", "lte-slow", "TTIs of 1 ms, one to eight a packet, blocks again after 8, a rate that varies by up to 12 %",
         sim_build_lte_radio, 1.5, 12, 0, 0.12, 64),
    LINK("radio", "nr-radio", "TTIs of 0.5 ms, blocks again after 2 to 5, the same",
         sim_build_nr_radio, 20, 250, 0, 0.25, 64),
    LINK("overtaken packets", "overtaken", "bucket of 3 to 32 kB before TTIs of 3 to 15 times, blocks again, a tenth to a half overtaken",
         sim_build_overtaken, 2, 60, 0, 0, 64),
    LINK("open in part", "gate", "open for 25 to 80 % of each cycle of 1 to 10 ms",
         sim_build_gate, 3, 150, 0, 0, 64),
    LINK("open in part", "gate-long", "the same share of cycles that trains take 0.6 to 2.4 of",
         sim_build_gate_long, 20, 300, 0, 0, 64),
    LINK("open in part", "gate-seldom", "shut for 10 to 25 % of cycles as long, a faster link behind",
         sim_build_gate_seldom, 20, 300, 0, 0, 64),
    LINK("open in part", "gate-loaded", "the same, load 0.1 to 0.3",
         sim_build_gate_loaded, 3, 150, 0.3, 0, 64),
    LINK("grants beside others", "grants-loaded", "cycles, 5 to 15 % assured, load 0.1 to 0.5 in them",
         sim_build_grants_loaded, 50, 400, 0.5, 0.1, 64),
    LINK("grants beside others", "pon-loaded", "cycles, all that is there, the same load",
         sim_build_cycles_loaded, 100, 500, 0.5, 0, 64),
    LINK("grants beside others", "lte-loaded", "TTIs of 1 ms, the same load",
         sim_build_tti_loaded, 10, 150, 0.5, 0, 64),
    LINK("two links", "bonded", "two links by packet, one 1 to 6 ms longer",
         sim_build_bonded, 20, 200, 0, 0, 32),
    LINK("a loaded link behind a pause", "grants-before", "cycles, 5 to 15 % assured, then a link of 0.2 to 0.85, load 0.1 to 0.7",
         sim_build_grants_before, 50, 400, 0.7, 0.1, 64),
    LINK("a loaded link behind a pause", "bonded-before", "two links, one longer, then a link of 0.2 to 0.85, load 0.1 to 0.7",
         sim_build_bonded_before, 20, 200, 0.7, 0, 64),
    {PAIRS("cycles unseen", "grants", "cycles, 5 to 15 % assured", sim_build_grants, 50, 400, 0, 0.1),
     .unknowable = true},
    {PAIRS("cycles unseen", "reports", "the same, nothing assured", sim_build_grants, 50, 400, 0, 0),
     .unknowable = true},
    {PAIRS("cycles unseen", "pon", "the same, all that is there", sim_build_cycles, 100, 500, 0, 0),
     .unknowable = true},
    {PAIRS("cycles unseen", "lte", "TTIs of 1 ms", sim_build_tti, 10, 150, 0, 0),
     .unknowable = true},
    {PAIRS("cycles unseen", "lte-behind", "the same, a link behind", sim_build_tti_behind, 10, 150, 0, 0),
     .unknowable = true},
    {SIXTEEN("pon", "cycles, all that is there", sim_build_cycles, 100, 500)},
    {SIXTEEN("lte", "TTIs of 1 ms", sim_build_tti, 10, 150)},
    {SIXTEEN("lte-behind", "the same, a link behind", sim_build_tti_behind, 10, 150)},
    {SIXTEEN("docsis", "bucket of 30 to 50 kB, then maps of 2 ms", sim_build_docsis, 20, 80)},
    {SIXTEEN("docsis-late", "the same, late first stamps", sim_build_docsis_late, 20, 80)},
    {PAIRS("cycles unseen", "bonded", "two links, one longer", sim_build_bonded, 20, 200, 0, 0),
     .unknowable = true},
    LINK("fair queue", "fair", "fq_codel, 1, 2 or 4 greedy flows beside",
         sim_build_fair, 10, 200, 0, 0, 32),
    LINK("fair queue", "cake", "the same, CAKE's quantum",
         sim_build_cake, 2, 100, 0, 0, 32),
    LINK("fair queue, seen badly", "fair-slow", "fq_codel, a sender 1.1 to 10 times as fast, half of them untold",
         sim_build_fair_slow, 5, 100, 0, 0, 8),
    LINK("fair queue, seen badly", "fair-coarse", "fq_codel, stamps of 1 to 25 % of a packet",
         sim_build_fair_coarse, 5, 100, 0, 0, 8),
    LINK("fair queue, seen badly", "fair-small", "fq_codel, packets of ours of 200 to 700 bytes",
         sim_build_fair_small, 5, 100, 0, 0, 32),
    LINK("fair queue, seen badly", "fair-resting", "fq_codel, the others come and go",
         sim_build_fair_resting, 5, 100, 0, 0, 32),
    LINK("fair queue, seen badly", "fair-busy", "fq_codel, busy hosts",
         sim_build_fair_busy, 5, 100, 0, 0, 32),
    LINK("fair queue, seen badly", "fair-held", "fq_codel, interrupts held back, 8 to 400 us",
         sim_build_fair_held, 5, 200, 0, 0, 32),
    LINK("hosts that hold interrupts", "held", "an idle link, an interrupt each half a gap to four",
         sim_build_held, 5, 500, 0, 0, 8),
    LINK("fair queue, idle flows wait", "fair-waits", "packet by packet in turn, or WFQ, 1, 2 or 4 greedy flows beside",
         sim_build_fair_waits, 5, 100, 0, 0, 32),
    LINK("fair queue behind a slower link", "fair-after", "a link, then fq_codel of 1.1 to 3 times its rate",
         sim_build_fair_after, 5, 50, 0, 0, 32),
    LINK("fair queue before slots", "fair-slots", "fq_codel, 1 to 3 greedy flows beside, then slots of 1 to 5 ms",
         sim_build_fair_slots, 10, 60, 0, 1.06, 32),
    LINK("fair queue, others pause", "fair-sparse", "fq_codel or DRR, of 1 to 4 others some have no packet now and then",
         sim_build_fair_sparse, 5, 100, 0, 0, 8),
    LINK("fair queue in a shaper", "fair-bucket", "fq_codel behind a bucket of 1.6 to 60 kB, one other or two that rest",
         sim_build_fair_bucket, 5, 100, 0, 0, 32),
    LINK("fair queue, idle flows wait in line", "drr", "quanta of 300 to 3036 bytes, 1 to 4 greedy flows beside",
         sim_build_drr, 5, 100, 0, 0, 32),
    LINK("fair queue, idle flows wait in line", "drr-others", "the same, their packets of 100 to 1518 bytes, half of them fq_codel",
         sim_build_drr_others, 5, 100, 0, 0, 32),
    LINK("fair queue, unequal weights", "wfq-weights", "WFQ or quanta, ours 0.4 to 2.5 times as much",
         sim_build_wfq_weights, 5, 100, 0, 0, 32),
    LINK("fair queue, short packets of others", "fair-short", "fq_codel, the others' packets of 100 to 400 bytes",
         sim_build_fair_short, 5, 100, 0, 0, 8),
    LINK("fair queue behind a cell", "fair-behind", "fq_codel, behind a cell where others send aggregates",
         sim_build_fair_behind, 5, 50, 0, 0, 32),
    LINK("idle fair queue", "fair-idle", "fq_codel, nobody beside",
         sim_build_fair_idle, 10, 200, 0, 0, 32),
    {PAIRS("idle fair queue", "fair-idle", "the same", sim_build_fair_idle, 10, 200, 0, 0)},
    {PAIRS("fair queue unseen", "fair", "fq_codel", sim_build_fair, 10, 200, 0, 0),
     .unknowable = true},
    {PAIRS("fair queue unseen", "cake", "CAKE's quantum", sim_build_cake, 2, 100, 0, 0),
     .unknowable = true},
    LINK("rate varies", "varies", "a rate drawn anew every 5, 20 or 100 ms, within 5 to 10 %",
         sim_build_varied, 10, 200, 0, 0, 32),
    {PAIRS("rate varies", "varies", "the same", sim_build_varied, 10, 200, 0, 0)},
    LINK("rate varies by turns", "varies-turns", "two rates by turns of 0.5 to 50 ms, 6 to 30 % off, half with a load to 0.3",
         sim_build_varied_turns, 5, 200, 0.3, 0, 32),
    LINK("rate varies, busy hosts", "varies-busy", "a rate drawn anew every 5, 20 or 100 ms, busy hosts",
         sim_build_varied_busy, 10, 200, 0, 0, 32),
    LINK("late first stamps", "late", "first stamps late by 2 to 20 us, load 0.3",
         sim_build_late_first, 50, 600, 0.3, 0, 64),
    {PAIRS("late unseen", "late", "the same", sim_build_late_first, 50, 600, 0.3, 0),
     .unknowable = true},
    LINK("shapers", "docsis", "bucket of 30 to 50 kB, then maps of 2 ms, load 0.3",
         sim_build_docsis, 20, 80, 0.3, 0, 64),
    LINK("shapers", "behind", "bucket of 20 kB behind a link of 3 to 7 times, load 0.4",
         sim_build_behind, 20, 120, 0.4, 5, 64),
    LINK("shapers", "behind-near", "the same, 1.5 to 3 times, load 0.3",
         sim_build_behind, 20, 120, 0.3, 2.25, 64),
    LINK("shapers", "two-shapers", "two buckets of 20 kB, one of 2 to 3 times, loads 0.3",
         sim_build_two_shapers, 40, 160, 0.3, 0, 64),
    {BUCKET("tail", "a bucket that ends in the last packets of trains of 32", sim_build_bucket_tail,
            0.5, 5), .trains = 60, .shortest = 32, .longest = 32},
    {BUCKET("coarse", "20 kB, stamps in steps of 1 ms, trains of 64", sim_build_bucket_coarse,
            5, 20), .trains = 100, .shortest = 64, .longest = 64},
    {BUCKET("ticks", "the same, released on ticks of 1 ms", sim_build_bucket_ticks,
            5, 20), .trains = 100, .shortest = 64, .longest = 64},
    {BUCKET("mix", "3 to 6 kB, 23 trains of --mix", sim_build_bucket_mix,
            1, 10), .trains = 23},
    LINK("shapers before ticks", "bucket-ticked", "8 to 20 frames, ticks of 1 to 10 ms, a packet at most of them",
         sim_build_bucket_ticked, 1, 12, 0, 0, 64),
    LINK("shapers, the second late", "bucket-second-late", "8 to 16 kB at 1.5 to 2.2 times, then one that 74 to 88 kB empty",
         sim_build_bucket_second_late, 5, 50, 0, 0, 64),
    LINK("shapers, uneven hosts", "bucket-uneven", "12 to 40 kB, hosts now faster, now slower",
         sim_build_bucket_uneven, 5, 300, 0, 0, 64),
    LINK("shapers, hardly emptied", "bucket-end", "such hosts, and a bucket that trains of 64 empty with their last packets",
         sim_build_bucket_end, 2, 50, 0, 0, 64),
    {OVER("shapers unseen", sim_build_bucket_over, 2, 50, 0, 0), .trains = 200, .unknowable = true,
     .name = "access-bucket-over", .text = "such hosts, and a bucket that no train empties"},
    LINK("shared shapers", "constant", "bucket of 1.5 to 20 kB behind a link of 1.3 to 20 times, one constant flow of 0.1 to 0.7",
         sim_build_constant_bucket, 5, 120, 0.7, 0, 64),
    LINK("shared shapers", "constant-beyond", "bucket of 1.5 to 20 kB, then a link of 1.05 to 1.6 times that constant flows fill",
         sim_build_constant_beyond, 5, 120, 0, 1.6, 64),
    LINK("shared shapers", "bucket-turns", "bucket of 2 to 4 frames, then a link of 2 to 5 times, six constant flows of 0.3 to 0.5",
         sim_build_bucket_turns, 2, 60, 0.5, 0, 64),
    LINK("shared shapers", "bucket-turns-before", "the same, that link before the bucket",
         sim_build_bucket_turns_before, 2, 60, 0.5, 0, 64),
    LINK("shared media", "constant-grants", "cycles, 20 to 60 % assured, the same link before and flow",
         sim_build_constant_grants, 20, 100, 0.6, 0.4, 64),
    LINK("shared media", "constant-lte", "TTIs of 1 ms, the same", sim_build_constant_tti, 10, 100, 0.6, 0, 64),
    LINK("shared media", "constant-bonded", "two links by packet, one 1 to 6 ms longer, the same",
         sim_build_constant_bonded, 10, 100, 0.6, 0, 64),
    LINK("policer", "policer", "policed to 1/4 to 1/20, 20 to 30 kB",
         sim_build_policer, 50, 300, 0, 0, 64),
    {PAIRS("policer", "policer", "the same", sim_build_policer, 50, 300, 0, 0)},
    LINK("short queue", "short-queue", "drop tail after 8 to 32 packets, load to 0.6 in half of the runs",
         sim_build_short_queue, 2, 100, 0.6, 0, 64),
    {OVER("full queue", sim_build_full_queue, 5, 20, 0, 0), .trains = 100, .flows = 1,
     .name = "access-tcp", .text = "one TCP flow that fills a drop-tail queue, 40 s"},
    {PAIRS("full queue", "tcp", "the same", sim_build_full_queue, 5, 20, 0, 0), .flows = 1},

    {RANDOM("random prior"), .name = "random-trains",
     .text = "any path whose answer can be known, trains, --mix or default"},
    {RANDOM("random pairs"), .name = "random-pairs", .text = "the same, pairs", .shortest = 2,
     .longest = 2},
    {RANDOM("random unseen"), .unknowable = true, .name = "random-blind",
     .text = "any path whose answer cannot be known, trains"},
    {RANDOM("random unseen"), .unknowable = true, .name = "random-blind-pairs",
     .text = "the same, pairs", .shortest = 2, .longest = 2},
};
/* clang-format on */

const unsigned sim_case_count = sizeof(sim_cases) / sizeof(sim_cases[0]);

const struct sim_case *sim_case_find(const char *name)
{
    for (unsigned i = 0; i < sim_case_count; i++)
        if (strcmp(sim_cases[i].name, name) == 0)
            return &sim_cases[i];
    return NULL;
}

static uint64_t hash_name(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325U; /* FNV-1a: a stream of draws for each case */

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3U;
    return hash;
}

void sim_case_config(const struct sim_case *row, uint64_t seed, struct sim_config *config)
{
    struct sim_rng rng;

    *config = (struct sim_config){0};
    sim_rng_init(&rng, seed, hash_name(row->name));
    config->sender.trains = row->trains;
    row->build(row, &rng, config);
    sim_space_trains(config);
}

double sim_case_truth_bps(const struct sim_config *config)
{
    const struct sim_sender_config *sender = &config->sender;
    double path_bps = (double)sim_path_capacity_bps(&config->path, (sender->trains + 1) * sender->delay_ns);

    if (sender->departure == SIM_DEPARTURE_WIRE || sender->rate_bps == 0)
        return path_bps;
    return fmin(path_bps, (double)sender->rate_bps);
}

double sim_case_share_bps(const struct sim_config *config)
{
    double least_bps = INFINITY;

    for (unsigned h = 0; h < config->path.hops; h++) {
        const struct sim_hop_config *hop = &config->path.hop[h];
        if (hop->shaper == SIM_SHAPER_FAIR)
            least_bps = fmin(least_bps, (double)hop->rate_bps / (hop->rivals + 1));
    }
    return least_bps;
}

double sim_case_policed_bps(const struct sim_config *config)
{
    double least_bps = INFINITY;

    for (unsigned h = 0; h < config->path.hops; h++) {
        const struct sim_hop_config *hop = &config->path.hop[h];
        if (hop->shaper == SIM_SHAPER_POLICER)
            least_bps = fmin(least_bps, (double)hop->shaper_rate_bps);
    }
    return least_bps;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/sim_fixture.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct sim_config sim_fixture_plain(unsigned trains, uint16_t length, uint32_t bytes, uint64_t rate_bps)
{
    struct sim_config config = {
        .sender = {.rate_bps = FAST_BPS,
                   .delay_ns = 1000000000,
                   .trains = trains,
                   .pattern_length = 1,
                   .pattern = {{.length = length, .bytes = bytes}},
                   .departure = SIM_DEPARTURE_WIRE},
        .path = {.hops = 1, .hop = {{.rate_bps = rate_bps, .propagation_ns = 1000000}}},
        .receiver = {.epoch_ns = EPOCH_NS},
    };

    return config;
}

int64_t sim_fixture_gap_ps(const struct sim_run *run, size_t probe)
{
    return run->probes[probe].arrived_ps - run->probes[probe - 1].arrived_ps;
}

uint64_t sim_fixture_seed(const char *test)
{
    uint64_t seed = sim_seed(20240611);

    printf("%s: PP_SEED=%" PRIu64 "\n", test, seed);
    return seed;
}

void sim_fixture_cross(struct sim_config *config, enum sim_source source, enum sim_mix mix, double rate_bps)
{
    config->path.traffic[config->path.traffics++] =
        (struct sim_traffic_config){.source = source, .mix = mix, .rate_bps = rate_bps, .leave = 1};
}

void sim_fixture_check_count(size_t count, size_t trials, double share)
{
    double expected = (double)trials * share;
    double deviation = sqrt(expected * (1 - share));

    ck_assert_double_le(fabs((double)count - expected), 5 * deviation);
}

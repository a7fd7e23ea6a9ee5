/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/stages.h"

#include "filters/access.h"
#include "filters/denial.h"
#include "filters/observe.h"

#include <stdlib.h>

struct readings *readings;
struct scratch scratch;
struct noise noise;
struct shapes shapes;

static void stages_setup(void)
{
    readings = malloc(readings_bytes(ROOM));
    scratch = (struct scratch){.numbers = malloc(FLOOR_NUMBERS * ROOM * sizeof(double)),
                               .keys = malloc(ROOM * sizeof(struct sort_key)),
                               .room = ROOM};
    readings_init(readings, ROOM, false);
    noise = noise_prior();
    shapes = (struct shapes){0};
}

static void stages_teardown(void)
{
    free(readings);
    free(scratch.numbers);
    free(scratch.keys);
}

struct reading *stages_push(double gap_us, double delay_us)
{
    struct reading reading = {.at_s = readings->count,
                              .delay_ns = delay_us * US,
                              .gap_ns = (float)(gap_us * US),
                              .last_ns = NAN,
                              .bytes = BYTES};

    readings_push(readings, &reading);
    return readings_at(readings, readings->count - 1);
}

void stages_push_many(unsigned count, double gap_us, double delay_us)
{
    while (count-- > 0)
        stages_push(gap_us, delay_us);
}

struct witness stages_witness(void)
{
    return witness_read(readings, readings->count, &noise, &scratch);
}

struct evidence stages_denial(void)
{
    struct witness all = stages_witness();

    return denial_read(readings, 0, &noise, &all.floors, 400 * US);
}

uint32_t bit(enum reason reason)
{
    return 1U << reason;
}

struct curve curve_of_packets(unsigned packets, double (*gap_us)(unsigned i))
{
    struct sample_packet of[ROOM];
    struct sample sample = {.time_ns = 5000000,
                            .departure_span_ns = SAMPLE_UNKNOWN_NS,
                            .sent = (uint16_t)packets,
                            .received = (uint16_t)packets,
                            .packet_bytes = BYTES,
                            .packets = of};
    struct curve curve;
    double at_us = 0;

    for (unsigned i = 0; i < packets; i++) {
        at_us += i > 0 ? gap_us(i) : 0;
        of[i] = (struct sample_packet){
            .offset_ns = (int64_t)(at_us * US), .bytes = BYTES, .position = (uint16_t)i, .follows = i > 0};
    }
    ck_assert(curve_read(&sample, &noise, &curve));
    return curve;
}

struct statistics stages_of_trains(double sigma_us)
{
    struct statistic mean = {570 * US, sigma_us * US, 40};

    return (struct statistics){.bytes = BYTES,
                               .pair = mean,
                               .waits = 40,
                               .train = mean,
                               .tail = mean,
                               .last = mean,
                               .least_ns = 500 * US,
                               .middle_ns = 570 * US,
                               .idle = 1,
                               .varies = 1,
                               .tail_packets = 48,
                               .batch = 1,
                               .told = true,
                               .at_once = true};
}

struct seen seen_of_no_pairs(void)
{
    return (struct seen){.pairs = readings, .longs = readings, .noise = noise};
}

struct proposal deny(const struct statistics *s)
{
    struct seen seen = seen_of_no_pairs();

    return access_deny(&seen, s, &(struct witness){.candidate = {.gap_ns = 400 * US, .bytes = BYTES}});
}

void stages_add_settled(unsigned count, float ratio)
{
    for (unsigned i = 0; i < count; i++) {
        struct shape *shape = &shapes.at[shapes.count];

        *shape = (struct shape){.bytes = BYTES,
                                .sent = 65,
                                .packets = 65,
                                .departed = shape_share_of(0.1),
                                .variance_ns2 = 100e6F,
                                .ratio = ratio,
                                .short_share = shape_share_of(0.25)};
        for (unsigned q = 0; q < CURVE_QUARTERS; q++)
            shape->quarter_ns[q] = (float)((q == 0 ? 300 : 400 + i) * 16 * US);
        shapes_hold(&shapes, shapes.count + 1U);
    }
}

void stages_add(Suite *suite, const char *name, const TTest *const *tests, unsigned count)
{
    TCase *tcase = tcase_create(name);

    tcase_add_checked_fixture(tcase, stages_setup, stages_teardown);
    for (unsigned i = 0; i < count; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
}

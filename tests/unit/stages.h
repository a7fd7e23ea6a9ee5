/* SPDX-License-Identifier: BSD-3-Clause */
/* What the suites of filter adaptive's stages share. Values made by hand: packets of 1000 bytes, 400 us apart, are 20 Mbit/s. */
#ifndef TESTS_UNIT_STAGES_H
#define TESTS_UNIT_STAGES_H

#include "filters/access.h"
#include "filters/candidate.h"
#include "filters/columns.h"
#include "filters/curve.h"
#include "filters/evidence.h"
#include "filters/noise.h"
#include "filters/readings.h"
#include "filters/seen.h"
#include "filters/shape.h"
#include "filters/statistics.h"
#include "filters/witness.h"

#include <check.h>

enum { ROOM = 64, BYTES = 1000 };
#define US 1e3
#define NEAR 1e-6

/* Anew for each test. */
extern struct readings *readings;
extern struct scratch scratch;
extern struct noise noise;
extern struct shapes shapes;

/* A pair a second. */
struct reading *stages_push(double gap_us, double delay_us);
void stages_push_many(unsigned count, double gap_us, double delay_us);

struct witness stages_witness(void);
struct evidence stages_denial(void);
uint32_t bit(enum reason reason);

/* A train whose gaps are told one by one. */
struct curve curve_of_packets(unsigned packets, double (*gap_us)(unsigned i));

/* Of a train's statistics, in which gaps are 570 us. */
struct statistics stages_of_trains(double sigma_us);
struct seen seen_of_no_pairs(void);

/* What statistics of enough trains say. */
struct proposal deny(const struct statistics *s);

/* Trains of 64 that left in a tenth of the time they took, with such a ratio, 400 us a gap and 1 us
 * more from train to train. */
void stages_add_settled(unsigned count, float ratio);

#define STAGES_ADD(suite, name, ...)                                                                         \
    stages_add(suite, name, (const TTest *const[]){__VA_ARGS__},                                             \
               sizeof((const TTest *const[]){__VA_ARGS__}) / sizeof(const TTest *))
void stages_add(Suite *suite, const char *name, const TTest *const *tests, unsigned count);

#endif

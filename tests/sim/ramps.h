/* SPDX-License-Identifier: BSD-3-Clause */
/* What a filter says while the rate of a path drifts away. */
#ifndef TESTS_SIM_RAMPS_H
#define TESTS_SIM_RAMPS_H

#include "filters/filter.h"

#include <stdbool.h>
#include <stdint.h>

/* Prints a table of how many trains in a row it is sure of what the path was, and returns whether that
 * is seldom long. */
bool ramps_tables(const struct filter *filter, unsigned window, uint64_t first_seed, unsigned seeds);

#endif

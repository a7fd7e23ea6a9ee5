/* SPDX-License-Identifier: BSD-3-Clause */
/* How soon a filter follows a path whose rate changes. */
#ifndef TESTS_SIM_FOLLOWING_H
#define TESTS_SIM_FOLLOWING_H

#include "filters/filter.h"

#include <stdbool.h>
#include <stdint.h>

/* Prints a table of the trains that it takes, and returns whether enough runs follow within 30 of
 * them, a second of video. */
bool following_table(const struct filter *filter, unsigned window, uint64_t first_seed, unsigned seeds);

#endif

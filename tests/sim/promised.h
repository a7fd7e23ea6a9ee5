/* SPDX-License-Identifier: BSD-3-Clause */
/* What is promised of links that people have, and how often it is kept: accuracy --promised. */
#ifndef TESTS_SIM_PROMISED_H
#define TESTS_SIM_PROMISED_H

#include "report.h"

#include <stdbool.h>

/* The cases that the table needs; NULL beyond the last. */
const struct sim_case *promised_case(unsigned index);

/* Of those that are not in cases.h; NULL when there is none of that name. */
const struct sim_case *promised_find(const char *name);

/* Prints a line for each case of which something is promised, by the first filter. Whether each promise is kept as
 * often as was reached, but for chance. */
bool promised_table(const struct report *report);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules of the field, to be measured beside ours: test code, each as its source
 * describes it, on the same samples. A rule that always has an answer and never
 * doubts it says converged as soon as it has one. */
#ifndef TESTS_SIM_RIVALS_H
#define TESTS_SIM_RIVALS_H

#include "filters/filter.h"

/* NULL-terminated. */
extern const struct filter *const rival_table[];

#endif

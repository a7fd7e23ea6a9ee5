/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of filter_table: each is defined in the file of its name. */
#ifndef FILTERS_ROWS_H
#define FILTERS_ROWS_H

#include "filters/filter.h"

extern const struct filter filter_adaptive;
extern const struct filter filter_median;
extern const struct filter filter_mean;
extern const struct filter filter_last;
extern const struct filter filter_mode;
extern const struct filter filter_mindelay;
extern const struct filter filter_union;

#endif

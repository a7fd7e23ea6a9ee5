/* SPDX-License-Identifier: BSD-3-Clause */
/* By how much the values of one sample are greater than those of another. */
#ifndef FILTERS_SHIFT_H
#define FILTERS_SHIFT_H

/* Ascending, both. */
struct shift_samples {
    const double *less, *more;
    unsigned less_count, more_count;
};

/* At the most so much, by Wilcoxon's test of two samples, so many deviations from chance; of several
 * pairs that say the same (van Elteren). INFINITY: there are too few values to say. */
double shift_most(const struct shift_samples *pairs, unsigned count, double deviations);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Where values lie closest together. */
#ifndef FILTERS_MODE_H
#define FILTERS_MODE_H

/* Half-sample mode of sorted values: the densest half, of that the densest half,
 * and so on (Robertson and Cryer 1974; Bickel and Fruehwirth 2006). It needs no
 * bandwidth. count >= 1; O(count). */
double mode_half_sample(const double *sorted, unsigned count);

/* The first of the `part` neighbouring values that span least; 1 <= part <= count. */
unsigned mode_densest(const double *sorted, unsigned count, unsigned part);

#endif

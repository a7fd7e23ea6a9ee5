/* SPDX-License-Identifier: BSD-3-Clause */
/* A shaper whose flows take turns behind one bucket: what a train of ours goes on with is its share. */
#ifndef FILTERS_TURNS_BUCKET_H
#define FILTERS_TURNS_BUCKET_H

#include "filters/statistics.h"

/* The shaper's rate, bit/s, where trains go on with told_bps behind a bucket, and those that find it empty begin with a whole
 * number of times that. 0: nothing says so. */
double turns_bucket_bps(const struct seen *seen, const struct statistics *s, double told_bps);

#endif

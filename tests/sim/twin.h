/* SPDX-License-Identifier: BSD-3-Clause */
/* What nobody can know: a path has a twin if another one, with less in it and of a capacity over 5 %
 * away, gives arrivals that cannot be told from its own. No filter has a say in that. */
#ifndef TESTS_SIM_TWIN_H
#define TESTS_SIM_TWIN_H

#include "sim.h"

/* Whether the path has a twin, for a run of such trains. Twins are the same path with
 *
 * - less of one source of traffic, by one or more of the packets that come between two of ours,
 *   up to all, and every link on which it stretched trains as much slower: at the rate R they leave a
 *   link of C that carries f with R C / (R + f), for any C / (R + f) alike;
 * - or a token bucket taken away: its link sends at the peak rate.
 *
 * Two runs of each with the same seeds are compared by first gaps, last gaps, halves and wholes of
 * trains, and by how first packets' delays change from one to the next, everything by length and
 * size: two-sample tests of Kolmogorov and Smirnov, at 1 % for all of them together. What a size's
 * delays have in common counts for nothing, because clocks and other links may make it. */
bool twin_exists(const struct sim_config *config, uint64_t seed);

/* As a share of all, and at what share of chance: for its test. */
double twin_distance(const double *a, size_t a_count, const double *b, size_t b_count);
double twin_chance(double distance, size_t a_count, size_t b_count);

#endif

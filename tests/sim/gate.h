/* SPDX-License-Identifier: BSD-3-Clause */
/* What the gate of make check lets pass: what is reached, and what chance adds to it. */
#ifndef TESTS_SIM_GATE_H
#define TESTS_SIM_GATE_H

/* Binomial counts of trials at that rate: in 99.9 % of draws no more, or no fewer. (A sum over
 * cases of unlike rates scatters less.) */
unsigned gate_most(unsigned trials, double rate);
unsigned gate_least(unsigned trials, double rate);

#endif

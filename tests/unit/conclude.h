/* SPDX-License-Identifier: BSD-3-Clause */
/* A filter that concludes what a test says, for tests of whoever carries estimates on. */
#ifndef TESTS_UNIT_CONCLUDE_H
#define TESTS_UNIT_CONCLUDE_H

#include "filters/estimate.h"
#include "pprec/pprec.h"

/* The estimate after the next train, and after all that follow. */
extern struct estimate conclude_next;

/* The handle's streams conclude so; before its first packet. */
void conclude_in(struct pprec *pprec);

#endif

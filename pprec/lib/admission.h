/* SPDX-License-Identifier: BSD-3-Clause */
/* Which streams a handle has: who comes in, and who goes for it. */
#ifndef PPREC_LIB_ADMISSION_H
#define PPREC_LIB_ADMISSION_H

#include "pprec/core.h"

/* Pushes the arrival into its stream, which is added if need be: then another may end. As
 * stream_push(), or PPREC_EREFUSED, counted by reason: there is no room for it. */
int admission_take(struct pprec *pprec, const struct pprec_arrival *arrival);

/* Ends the streams that have been idle for too long. */
void admission_end_idle(struct pprec *pprec);

#endif

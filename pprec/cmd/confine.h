/* SPDX-License-Identifier: BSD-3-Clause */
/* Once everything is open, pprec needs few system calls: those it keeps. */
#ifndef PPREC_CMD_CONFINE_H
#define PPREC_CMD_CONFINE_H

#include "common/error.h"

#include <stdbool.h>

/* What becomes of others: AUTO: they fail as if the kernel had none of them, where it can filter
 * calls at all; KILL: they end pprec. */
enum { CONFINE_AUTO, CONFINE_KILL, CONFINE_OFF };

/* For good, for the calling thread, or for all that there are by now. 0, or -1 with the error's text set where
 * this build or this kernel cannot. */
int confine(int how, bool threads, struct error *error);

#endif

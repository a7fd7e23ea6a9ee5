/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening may take privileges; measuring takes none. */
#ifndef PPREC_CMD_PRIVILEGES_H
#define PPREC_CMD_PRIVILEGES_H

#include "common/error.h"

#include <stdbool.h>

/* Becomes the user for good; NULL: stays who it is. Then it keeps no capability, save
 * CAP_NET_RAW where a socket is to be bound to its interface again, and of root
 * CAP_DAC_OVERRIDE: rights says in words what root keeps, NULL of anyone else. 0, or -1 with the
 * error's text set. */
int privileges_drop(const char *user, bool bind_again, const char **rights, struct error *error);

#endif

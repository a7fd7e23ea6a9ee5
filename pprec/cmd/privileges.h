/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening may take privileges; measuring takes none. */
#ifndef PPREC_CMD_PRIVILEGES_H
#define PPREC_CMD_PRIVILEGES_H

#include "common/error.h"

#include <stdbool.h>

/* Becomes the user for good; NULL: stays who it is. Whoever is not root then keeps
 * no capability, save CAP_NET_RAW where a socket is to be bound to its interface
 * again. 0, or -1 with the error's text set. */
int privileges_drop(const char *user, bool bind_again, struct error *error);

#endif

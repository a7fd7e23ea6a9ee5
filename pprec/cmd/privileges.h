/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening may take privileges; measuring takes none. */
#ifndef PPREC_CMD_PRIVILEGES_H
#define PPREC_CMD_PRIVILEGES_H

#include "common/error.h"

#include <stdbool.h>

/* What is done again later. */
struct privileges_again {
    bool open; /* of files, wherever they are */
    bool bind; /* of a socket to its interface */
};

/* Becomes the user for good; NULL: stays who it is. Then it keeps no capability, save
 * CAP_NET_RAW to bind again, and of root CAP_DAC_OVERRIDE to open again: rights says in words
 * what root keeps, NULL of nothing, and of anyone else. 0, or -1 with the error's text set. */
int privileges_drop(const char *user, struct privileges_again again, const char **rights,
                    struct error *error);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The captures that names stand for: a file for itself, a directory for the captures in it and below
 * it, sorted by name. */
#ifndef PPREC_CMD_NAMES_H
#define PPREC_CMD_NAMES_H

#include "common/error.h"
#include "pprec/cmd/options.h"

#include <stdbool.h>
#include <stddef.h>

struct names {
    char **all; /* ends with NULL */
    size_t count, room;
    size_t others; /* files in directories that are no captures: passed over */
};

/* Those of the options, -r first, in the order given; inside a directory as strverscmp() has it, for
 * rotated files are numbered: 9 comes before 10. What is hidden, and symbolic links to directories,
 * are passed over. What cannot be read stays in the list, for whoever reads it to say why. 0, or -1
 * with the error's text set. */
int names_find(struct names *names, const struct options *options, struct error *error);
void names_free(struct names *names);

#endif

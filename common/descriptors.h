/* SPDX-License-Identifier: BSD-3-Clause */
/* Standard input, output and error, which whoever starts a program may have closed. */
#ifndef COMMON_DESCRIPTORS_H
#define COMMON_DESCRIPTORS_H

#include "error.h"

/* Opens /dev/null as each of the three that is closed. Before anything else is opened: a socket or
 * a file would take its number, and then what is printed. */
int descriptors_fill(struct error *error);

#endif

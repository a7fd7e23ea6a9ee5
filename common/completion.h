/* SPDX-License-Identifier: BSD-3-Clause */
/* What shells complete, written from the table of options. */
#ifndef COMMON_COMPLETION_H
#define COMMON_COMPLETION_H

#include "option.h"

#include <stdio.h>

/* Writes the completion for a shell, "bash" or "zsh", as it is installed. False
 * for any other shell. */
bool completion_write(const struct option_program *program, const char *shell, FILE *out);

#endif

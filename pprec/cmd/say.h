/* SPDX-License-Identifier: BSD-3-Clause */
/* A line on standard error, which nobody may be reading either. */
#ifndef PPREC_CMD_SAY_H
#define PPREC_CMD_SAY_H

/* Says "pprec: ", the text and a newline. Whoever reads it has a tenth of a second to take it:
 * nothing is held up by a message. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

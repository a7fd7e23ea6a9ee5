/* SPDX-License-Identifier: BSD-3-Clause */
/* The terminal on standard output, taken over for a view and given back as it was, however
 * the program ends (but for SIGKILL).
 *
 * No ncurses: the view only ever writes whole screens, and asks for no keys. What it needs
 * from a terminal are six sequences that all of them share; and endwin() may not be called
 * from a signal handler, where a crash has to be cleaned up after. */
#ifndef PPREC_CMD_SCREEN_H
#define PPREC_CMD_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

/* Standard output is a terminal that can do more than print lines. */
bool screen_possible(void);

/* Takes signals that stop or end the program, so that the terminal is given back first.
 * The screen itself is taken with the first screen_show(). */
void screen_open(void);

void screen_size(unsigned *rows, unsigned *columns);

/* The terminal shows UTF-8; colours are wanted. */
bool screen_utf8(void);
bool screen_coloured(void);

/* What was shown may be gone, since the last call: the program had been stopped. */
bool screen_lost(void);

/* Shows a frame. It does not wait for a terminal that takes nothing: the frame is
 * dropped then, and false returned, as when there is no terminal any more. */
bool screen_show(const char *text, size_t bytes);

/* It failed for good, as when the terminal was closed; errno tells. */
bool screen_gone(void);

/* Gives the terminal back; again is harmless. */
void screen_close(void);

#endif

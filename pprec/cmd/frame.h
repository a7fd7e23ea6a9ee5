/* SPDX-License-Identifier: BSD-3-Clause */
/* A screenful of text under construction, in fixed memory: rows that are cut at the
 * terminal's width, with what colours and clears them for any terminal that speaks
 * ECMA-48. */
#ifndef PPREC_CMD_FRAME_H
#define PPREC_CMD_FRAME_H

#include <stdbool.h>
#include <stddef.h>

enum { FRAME_ROWS_MAX = 200, FRAME_COLUMNS_MAX = 400, FRAME_BYTES = 1 << 16 };

enum frame_style { FRAME_PLAIN, FRAME_BOLD, FRAME_DIM, FRAME_GOOD, FRAME_FAIR, FRAME_BAD, FRAME_STYLES };

struct frame {
    unsigned rows, columns; /* of the terminal, at most those above */
    bool utf8;              /* it shows more than ASCII */
    bool coloured;
    unsigned row, column; /* where the next character goes */
    size_t bytes;
    char text[FRAME_BYTES];
};

/* Empties the frame; the fields of the terminal stay as they are. */
void frame_begin(struct frame *frame);

/* Text, of which only printable ASCII is shown as it is. What does not fit is cut. */
void frame_add(struct frame *frame, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One character: UTF-8 where the terminal shows it. */
void frame_glyph(struct frame *frame, const char *utf8, char ascii);

void frame_style(struct frame *frame, enum frame_style style);

/* Blanks up to that column. */
void frame_to(struct frame *frame, unsigned column);

/* Ends the row: the rest of it is blank. */
void frame_next(struct frame *frame);

/* Rows that are left. */
unsigned frame_left(const struct frame *frame);

/* The rest of the screen is blank. */
void frame_end(struct frame *frame);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "frame.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What frame_next() and frame_end() need always has room. */
enum { RESERVED_BYTES = 16 * FRAME_ROWS_MAX };

/* Each undoes the one before. */
static const char *const styles[FRAME_STYLES] = {
    [FRAME_PLAIN] = "\033[0m",   [FRAME_BOLD] = "\033[0;1m",  [FRAME_DIM] = "\033[0;2m",
    [FRAME_GOOD] = "\033[0;32m", [FRAME_FAIR] = "\033[0;33m", [FRAME_BAD] = "\033[0;31m",
};

static bool frame_put(struct frame *frame, const char *text, size_t bytes, size_t reserved)
{
    if (frame->bytes + bytes + reserved > sizeof frame->text)
        return false;
    memcpy(frame->text + frame->bytes, text, bytes);
    frame->bytes += bytes;
    return true;
}

static void control(struct frame *frame, const char *sequence)
{
    frame_put(frame, sequence, strlen(sequence), 0);
}

void frame_begin(struct frame *frame)
{
    frame->row = frame->column = 0;
    frame->bytes = 0;
    control(frame, "\033[H");
}

unsigned frame_left(const struct frame *frame)
{
    return frame->rows - frame->row;
}

static bool frame_fits(const struct frame *frame)
{
    return frame->row < frame->rows && frame->column < frame->columns;
}

void frame_add(struct frame *frame, const char *format, ...)
{
    char text[FRAME_COLUMNS_MAX + 1];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (const char *c = text; *c != '\0' && frame_fits(frame); c++)
        if (frame_put(frame, *c >= ' ' && *c <= '~' ? c : "?", 1, RESERVED_BYTES))
            frame->column++;
}

void frame_glyph(struct frame *frame, const char *utf8, char ascii)
{
    bool whole = frame->utf8;

    if (frame_fits(frame)
        && frame_put(frame, whole ? utf8 : &ascii, whole ? strlen(utf8) : 1, RESERVED_BYTES))
        frame->column++;
}

void frame_style(struct frame *frame, enum frame_style style)
{
    if (frame->coloured || style <= FRAME_DIM)
        frame_put(frame, styles[style], strlen(styles[style]), RESERVED_BYTES);
}

void frame_to(struct frame *frame, unsigned column)
{
    while (frame->column < column && frame->column < frame->columns)
        frame_add(frame, " ");
}

/* After the last column a terminal waits with the wrap, and would clear that column. */
void frame_next(struct frame *frame)
{
    if (frame->row >= frame->rows)
        return;
    control(frame, styles[FRAME_PLAIN]);
    if (frame->column < frame->columns)
        control(frame, "\033[K");
    frame->row++;
    frame->column = 0;
    if (frame->row < frame->rows)
        control(frame, "\r\n");
}

void frame_end(struct frame *frame)
{
    if (frame->row < frame->rows)
        control(frame, "\033[J");
    control(frame, "\033[H");
}

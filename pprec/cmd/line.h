/* SPDX-License-Identifier: BSD-3-Clause */
/* A line of output under construction, in fixed memory. */
#ifndef PPREC_CMD_LINE_H
#define PPREC_CMD_LINE_H

#include <stddef.h>
#include <stdint.h>

struct line {
    size_t bytes;
    char text[8192]; /* a train of 256, packet by packet */
};

/* Appends; what does not fit is cut. */
void line_add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends "9.98 Mbit/s", "-" for 0. */
void line_add_rate(struct line *line, double bps);

/* Appends seconds with all nine decimals. */
void line_add_time(struct line *line, int64_t ns);

/* Appends "803.1 us" in a unit that suits. */
void line_add_span(struct line *line, int64_t ns);

#endif

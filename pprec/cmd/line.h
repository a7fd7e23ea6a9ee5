/* SPDX-License-Identifier: BSD-3-Clause */
/* A line of output under construction, in fixed memory. */
#ifndef PPREC_CMD_LINE_H
#define PPREC_CMD_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line {
    size_t bytes;
    char text[16384]; /* a train of 256, packet by packet, and the name of its file */
};

/* Whether a figure is one: for every sink, 0 and what is not finite say that nothing is
 * known. */
bool line_known(double figure);

/* Appends; what does not fit is cut. */
void line_add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same without a format, for what is written for every train: a character, a text, a whole
 * number, eight hexadecimal digits, a number with one decimal. */
void line_add_char(struct line *line, char c);
void line_add_text(struct line *line, const char *text);
void line_add_count(struct line *line, uint64_t count);
void line_add_hex(struct line *line, uint32_t number);
void line_add_decimal(struct line *line, double number);
void line_add_thousandths(struct line *line, double number); /* three decimals */

/* A text from outside, such as the name of a file: with '?' for what moves a terminal's cursor; as
 * it stands inside a string of JSON, with U+FFFD for what is no UTF-8; as a whole field of CSV. */
void line_add_printable(struct line *line, const char *text);
void line_add_json(struct line *line, const char *text);
void line_add_csv(struct line *line, const char *text);

/* Appends "9.98 Mbit/s", "-" for what is unknown. */
void line_add_rate(struct line *line, double bps);

/* The same of a figure that may be none: "0 bit/s" of a link that is full. */
void line_add_free(struct line *line, double bps);

/* Appends " (low to high)"; nothing where the upper end is not known. The lower end may be none. */
void line_add_interval(struct line *line, double low_bps, double high_bps);

/* Appends seconds with all nine decimals. */
void line_add_time(struct line *line, int64_t ns);

/* Appends "10:14:35.356", the time of day here. */
void line_add_clock(struct line *line, int64_t ns);

/* Appends "803.1 us" in a unit that suits. */
void line_add_span(struct line *line, int64_t ns);

#endif

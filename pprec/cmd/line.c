/* SPDX-License-Identifier: BSD-3-Clause */
#include "line.h"

#include "common/stamp.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

bool line_known(double figure)
{
    return figure > 0 && isfinite(figure);
}

void line_add(struct line *line, const char *format, ...)
{
    size_t room = sizeof line->text - line->bytes;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(line->text + line->bytes, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        line->bytes += (size_t)length < room ? (size_t)length : room - 1;
}

static void add_bytes(struct line *line, const char *bytes, size_t count)
{
    size_t room = sizeof line->text - 1 - line->bytes;

    count = count < room ? count : room;
    memcpy(line->text + line->bytes, bytes, count);
    line->bytes += count;
    line->text[line->bytes] = '\0';
}

void line_add_text(struct line *line, const char *text)
{
    add_bytes(line, text, strlen(text));
}

static void add_digits(struct line *line, uint64_t number, unsigned base, unsigned least)
{
    char digits[20];
    size_t first = sizeof digits;

    while (number > 0 || first > sizeof digits - least) {
        digits[--first] = "0123456789abcdef"[number % base];
        number /= base;
    }
    add_bytes(line, digits + first, sizeof digits - first);
}

void line_add_count(struct line *line, uint64_t count)
{
    add_digits(line, count, 10, 1);
}

void line_add_hex(struct line *line, uint32_t number)
{
    add_digits(line, number, 16, 8);
}

/* Beyond any rate tenths would not be exact any more: the long way. */
void line_add_decimal(struct line *line, double number)
{
    uint64_t tenths;

    if (!(number >= 0 && number < 1e12)) {
        line_add(line, "%.1f", number);
        return;
    }
    tenths = (uint64_t)(number * 10 + 0.5);
    add_digits(line, tenths / 10, 10, 1);
    add_bytes(line, ".", 1);
    add_digits(line, tenths % 10, 10, 1);
}

void line_add_time(struct line *line, int64_t ns)
{
    uint64_t size_ns = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

    line_add_text(line, ns < 0 ? "-" : "");
    add_digits(line, size_ns / STAMP_NS_PER_S, 10, 1);
    add_bytes(line, ".", 1);
    add_digits(line, size_ns % STAMP_NS_PER_S, 10, 9);
}

void line_add_clock(struct line *line, int64_t ns)
{
    int64_t rest_ns = (ns % STAMP_NS_PER_S + STAMP_NS_PER_S) % STAMP_NS_PER_S; /* before 1970, too */
    time_t seconds = ns / STAMP_NS_PER_S - (ns % STAMP_NS_PER_S < 0);
    struct tm local;

    localtime_r(&seconds, &local);
    line_add(line, "%02d:%02d:%02d.%03d", local.tm_hour, local.tm_min, local.tm_sec,
             (int)(rest_ns / STAMP_NS_PER_MS));
}

void line_add_rate(struct line *line, double bps)
{
    static const char *const units[] = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s"};
    size_t unit = 0;

    if (!line_known(bps)) {
        line_add(line, "-");
        return;
    }
    while (bps >= 999.95 && unit + 1 < sizeof units / sizeof units[0]) {
        bps /= 1000;
        unit++;
    }
    line_add(line, bps < 9.995 ? "%.3f %s" : bps < 99.95 ? "%.2f %s" : "%.1f %s", bps,
             units[unit]);
}

void line_add_span(struct line *line, int64_t ns)
{
    if (ns < 1000000)
        line_add(line, "%.1f us", (double)ns / 1e3);
    else if (ns < 1000000000)
        line_add(line, "%.3f ms", (double)ns / 1e6);
    else
        line_add(line, "%.3f s", (double)ns / 1e9);
}

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

void line_add_char(struct line *line, char c)
{
    if (line->bytes + 1 >= sizeof line->text)
        return;
    line->text[line->bytes++] = c;
    line->text[line->bytes] = '\0';
}

void line_add_text(struct line *line, const char *text)
{
    add_bytes(line, text, strlen(text));
}

/* --- From outside --- */

/* Bytes of the character that begins here, in UTF-8 (RFC 3629); 0: it is none. */
static size_t character_bytes(const uint8_t *at)
{
    size_t bytes = at[0] < 0x80 ? 1
        : at[0] < 0xc2          ? 0
        : at[0] < 0xe0          ? 2
        : at[0] < 0xf0          ? 3
        : at[0] < 0xf5          ? 4
                                : 0;

    for (size_t i = 1; i < bytes; i++)
        if ((at[i] & 0xc0) != 0x80) /* nor does it go on past the end */
            return 0;
    if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) || (at[0] == 0xf0 && at[1] < 0x90)
        || (at[0] == 0xf4 && at[1] > 0x8f))
        return 0; /* longer than need be, half of a pair, beyond the last */
    return bytes;
}

static bool moves_cursor(const uint8_t *at, size_t bytes)
{
    return (bytes == 1 && (*at < 0x20 || *at == 0x7f)) || (bytes == 2 && at[0] == 0xc2 && at[1] < 0xa0);
}

void line_add_printable(struct line *line, const char *text)
{
    for (const uint8_t *at = (const uint8_t *)text; *at != '\0';) {
        size_t bytes = character_bytes(at);
        bool shown = bytes > 0 && !moves_cursor(at, bytes);

        add_bytes(line, shown ? (const char *)at : "?", shown ? bytes : 1);
        at += bytes > 0 ? bytes : 1;
    }
}

void line_add_json(struct line *line, const char *text)
{
    for (const uint8_t *at = (const uint8_t *)text; *at != '\0';) {
        size_t bytes = character_bytes(at);

        if (bytes == 0)
            line_add_text(line, "\\ufffd");
        else if (*at < 0x20 || *at == 0x7f)
            line_add(line, "\\u%04x", *at);
        else if (*at == '"' || *at == '\\')
            line_add(line, "\\%c", *at);
        else
            add_bytes(line, (const char *)at, bytes);
        at += bytes > 0 ? bytes : 1;
    }
}

/* RFC 4180; a line of it stays one. */
void line_add_csv(struct line *line, const char *text)
{
    bool quoted = strpbrk(text, ",\"") != NULL;

    line_add_text(line, quoted ? "\"" : "");
    for (; *text != '\0'; text++) {
        if (*text == '"')
            line_add_text(line, "\"");
        add_bytes(line, *text == '\n' || *text == '\r' ? "?" : text, 1);
    }
    line_add_text(line, quoted ? "\"" : "");
}

static void add_digits(struct line *line, uint64_t number, unsigned least)
{
    char digits[20];
    size_t first = sizeof digits;

    while (number > 0 || first > sizeof digits - least) {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    }
    add_bytes(line, digits + first, sizeof digits - first);
}

void line_add_count(struct line *line, uint64_t count)
{
    add_digits(line, count, 1);
}

void line_add_hex(struct line *line, uint32_t number)
{
    char digits[8];

    for (size_t i = sizeof digits; i-- > 0; number >>= 4)
        digits[i] = "0123456789abcdef"[number & 0xf];
    add_bytes(line, digits, sizeof digits);
}

/* Beyond any rate or time the parts would not be exact any more: the long way. */
static void add_parts(struct line *line, double number, unsigned decimals, unsigned parts)
{
    uint64_t count;

    if (!(number >= 0 && number < 1e12)) {
        line_add(line, "%.*f", (int)decimals, number);
        return;
    }
    count = (uint64_t)(number * parts + 0.5);
    add_digits(line, count / parts, 1);
    line_add_char(line, '.');
    add_digits(line, count % parts, decimals);
}

void line_add_decimal(struct line *line, double number)
{
    add_parts(line, number, 1, 10);
}

void line_add_thousandths(struct line *line, double number)
{
    add_parts(line, number, 3, 1000);
}

void line_add_time(struct line *line, int64_t ns)
{
    uint64_t size_ns = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

    if (ns < 0)
        line_add_char(line, '-');
    add_digits(line, size_ns / STAMP_NS_PER_S, 1);
    line_add_char(line, '.');
    add_digits(line, size_ns % STAMP_NS_PER_S, 9);
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
    line_add(line, bps < 9.995 ? "%.3f %s" : bps < 99.95 ? "%.2f %s" : "%.1f %s", bps, units[unit]);
}

void line_add_free(struct line *line, double bps)
{
    if (line_known(bps) || !isfinite(bps))
        line_add_rate(line, bps);
    else
        line_add(line, "0 bit/s");
}

void line_add_interval(struct line *line, double low_bps, double high_bps)
{
    if (!(high_bps > 0))
        return;
    line_add(line, " (");
    line_add_free(line, low_bps);
    line_add(line, " to ");
    line_add_rate(line, high_bps);
    line_add(line, ")");
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

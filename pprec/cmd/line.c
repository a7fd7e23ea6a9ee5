/* SPDX-License-Identifier: BSD-3-Clause */
#include "line.h"

#include "common/stamp.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

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

void line_add_time(struct line *line, int64_t ns)
{
    uint64_t size_ns = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

    line_add(line, "%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "", size_ns / STAMP_NS_PER_S,
             size_ns % STAMP_NS_PER_S);
}

void line_add_clock(struct line *line, int64_t ns)
{
    time_t seconds = ns / STAMP_NS_PER_S;
    struct tm local;

    localtime_r(&seconds, &local);
    line_add(line, "%02d:%02d:%02d.%03d", local.tm_hour, local.tm_min, local.tm_sec,
             (int)(ns % STAMP_NS_PER_S / STAMP_NS_PER_MS));
}

void line_add_rate(struct line *line, double bps)
{
    static const char *const units[] = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s"};
    size_t unit = 0;

    if (bps <= 0) {
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

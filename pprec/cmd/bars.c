/* SPDX-License-Identifier: BSD-3-Clause */
#include "bars.h"

#include "pprec/cmd/line.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUTTER = 6, EIGHTHS = 8 };

struct bars {
    struct frame *frame;
    unsigned columns;
    double log_low, log_span; /* of the axis */
    unsigned counts[FRAME_COLUMNS_MAX];
    unsigned most;
    unsigned mark, mark_low, mark_high; /* columns of the estimate; columns: none */
    bool below, above;                  /* the outermost columns hold what is beyond the axis */
};

static int bars_by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static double bars_least(double a, double b)
{
    return b > 0 && b < a ? b : a;
}

/* All but 5 % on each side, and at least one, which go into the outermost columns: a few far out would leave
 * the others one column. And the estimate. Never narrower than 10 % each way, so that the noise of a clean
 * link looks as small as it is. */
static void choose_axis(struct bars *bars, const double *sorted, size_t count,
                        const struct pprec_capacity *capacity)
{
    size_t out = count > 2 ? (count + 19) / 20 : 0;
    double low = sorted[out];
    double high = sorted[count - 1 - out];
    double middle;

    low = bars_least(bars_least(low, capacity->capacity_bps), capacity->low_bps);
    high = fmax(fmax(high, capacity->capacity_bps), capacity->high_bps);
    middle = sqrt(low * high);
    low = fmin(low * 0.98, middle / 1.1);
    high = fmax(high * 1.02, middle * 1.1);
    bars->log_low = log(low);
    bars->log_span = log(high) - log(low);
    bars->below = sorted[0] < low;
    bars->above = sorted[count - 1] > high;
}

static unsigned column_of(const struct bars *bars, double bps)
{
    double column = (log(bps) - bars->log_low) / bars->log_span * bars->columns;

    return column < 0 ? 0 : column >= bars->columns ? bars->columns - 1 : (unsigned)column;
}

static void count_all(struct bars *bars, const double *rates, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned *here = &bars->counts[column_of(bars, rates[i])];

        if (++*here > bars->most)
            bars->most = *here;
    }
}

static void place_marks(struct bars *bars, const struct pprec_capacity *capacity)
{
    bars->mark = bars->mark_low = bars->mark_high = bars->columns;
    if (capacity->capacity_bps <= 0)
        return;
    bars->mark = bars->mark_low = bars->mark_high = column_of(bars, capacity->capacity_bps);
    if (capacity->low_bps > 0)
        bars->mark_low = column_of(bars, capacity->low_bps);
    if (capacity->high_bps > 0)
        bars->mark_high = column_of(bars, capacity->high_bps);
}

static bool in_interval(const struct bars *bars, unsigned column)
{
    return column >= bars->mark_low && column <= bars->mark_high;
}

static void put_cell(struct frame *frame, unsigned eighths)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char ascii[] = " ....:::#";

    frame_glyph(frame, blocks[eighths], ascii[eighths]);
}

/* The row whose lower end is so many rows above the axis. */
static void draw_row(struct bars *bars, unsigned above, unsigned rows)
{
    struct frame *frame = bars->frame;
    bool marked = false;

    frame_style(frame, FRAME_DIM);
    if (above == rows - 1)
        frame_add(frame, "%*u", GUTTER - 1, bars->most);
    frame_to(frame, GUTTER);
    frame_style(frame, FRAME_PLAIN);
    for (unsigned i = 0; i < bars->columns; i++) {
        unsigned full = (bars->counts[i] * rows * EIGHTHS + bars->most - 1) / bars->most;
        unsigned below = above * EIGHTHS;

        if (in_interval(bars, i) != marked)
            frame_style(frame, (marked = !marked) ? FRAME_GOOD : FRAME_PLAIN);
        put_cell(frame, full <= below ? 0 : full - below < EIGHTHS ? full - below : EIGHTHS);
    }
    frame_next(frame);
}

static void draw_axis(struct bars *bars)
{
    struct frame *frame = bars->frame;

    frame_to(frame, GUTTER);
    for (unsigned i = 0; i < bars->columns; i++) {
        frame_style(frame, in_interval(bars, i) ? FRAME_GOOD : FRAME_DIM);
        if (i == bars->mark)
            frame_glyph(frame, "▲", '^');
        else if (i == 0 && bars->below)
            frame_glyph(frame, "◀", '<');
        else if (i == bars->columns - 1 && bars->above)
            frame_glyph(frame, "▶", '>');
        else if (in_interval(bars, i))
            frame_glyph(frame, "━", '=');
        else
            frame_glyph(frame, "─", '-');
    }
    frame_next(frame);
}

static void rate_text(struct line *line, double bps)
{
    line->bytes = 0;
    line_add_rate(line, bps);
}

/* Both ends, and the estimate where it does not cover them. */
static void draw_labels(struct bars *bars, double capacity_bps)
{
    struct frame *frame = bars->frame;
    struct line left, right, middle = {.bytes = 0};
    unsigned right_at, at = GUTTER + bars->mark;

    rate_text(&left, exp(bars->log_low));
    rate_text(&right, exp(bars->log_low + bars->log_span));
    right_at = bars->columns > right.bytes ? GUTTER + bars->columns - (unsigned)right.bytes : 0;
    if (bars->mark < bars->columns)
        rate_text(&middle, capacity_bps);
    at -= at > middle.bytes / 2 ? (unsigned)middle.bytes / 2 : at;
    frame_style(frame, FRAME_DIM);
    frame_to(frame, GUTTER);
    if (GUTTER + left.bytes < right_at)
        frame_add(frame, "%.*s", (int)left.bytes, left.text);
    if (middle.bytes > 0 && at > frame->column && at + middle.bytes < right_at) {
        frame_to(frame, at);
        frame_style(frame, FRAME_GOOD);
        frame_add(frame, "%.*s", (int)middle.bytes, middle.text);
        frame_style(frame, FRAME_DIM);
    }
    frame_to(frame, right_at);
    frame_add(frame, "%.*s", (int)right.bytes, right.text);
    frame_next(frame);
}

void bars_draw(struct frame *frame, unsigned rows, double *rates, size_t count,
               const struct pprec_capacity *capacity)
{
    struct bars bars = {.frame = frame};

    if (rows < BARS_ROWS_LEAST || count == 0 || frame->columns < 2 * GUTTER)
        return;
    bars.columns = frame->columns - GUTTER - 1;
    qsort(rates, count, sizeof *rates, bars_by_size);
    choose_axis(&bars, rates, count, capacity);
    count_all(&bars, rates, count);
    place_marks(&bars, capacity);
    for (unsigned above = rows - 2; above-- > 0;)
        draw_row(&bars, above, rows - 2);
    draw_axis(&bars);
    draw_labels(&bars, capacity->capacity_bps);
}

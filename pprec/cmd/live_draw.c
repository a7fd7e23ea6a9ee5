/* SPDX-License-Identifier: BSD-3-Clause */
/* What the view looks like. */
#include "common/stamp.h"
#include "pprec/cmd/bars.h"
#include "pprec/cmd/each.h"
#include "pprec/cmd/line.h"
#include "pprec/cmd/live.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    ROOMY_ROWS = 20,
    DOUBT_ROWS = 12,
    WIDE_COLUMNS = 76,
    OTHERS_MAX = 8,
    BARS_ROWS_MOST = 16,
    NARROW_RATE_COLUMN = 12
};

/* A stream that was silent so much longer than another one is not looked at. */
#define SILENT_NS (30 * STAMP_NS_PER_S)

/* What a frame is made from. */
struct view {
    struct live *live;
    struct frame *frame;
    size_t streams;
    struct pprec_summary shown;              /* the stream that is looked at */
    struct pprec_summary others[OTHERS_MAX]; /* most to go by first */
    size_t others_count;
};

/* --- Which stream --- */

static bool live_draw_better(const struct pprec_summary *a, const struct pprec_summary *b)
{
    bool silent = a->last_ns < b->last_ns - SILENT_NS;

    if (silent != (b->last_ns < a->last_ns - SILENT_NS))
        return !silent;
    if (a->counts.usable != b->counts.usable)
        return a->counts.usable > b->counts.usable;
    return a->counts.packets > b->counts.packets;
}

static void insert(struct view *view, const struct pprec_summary *summary)
{
    size_t at = view->others_count;

    if (at < OTHERS_MAX)
        view->others_count++;
    else if (!live_draw_better(summary, &view->others[--at]))
        return;
    for (; at > 0 && live_draw_better(summary, &view->others[at - 1]); at--)
        view->others[at] = view->others[at - 1];
    view->others[at] = *summary;
}

static void live_draw_choose(struct view *view, const struct pprec *pprec)
{
    struct pprec_summary summary;

    for (size_t i = 0; each_summary(pprec, i, &summary); i++) {
        if (view->streams++ == 0) {
            view->shown = summary;
        } else if (live_draw_better(&summary, &view->shown)) {
            insert(view, &view->shown);
            view->shown = summary;
        } else {
            insert(view, &summary);
        }
    }
}

/* --- Parts --- */

static void add_line(struct frame *frame, const struct line *line)
{
    frame_add(frame, "%.*s", (int)line->bytes, line->text);
}

static void add_rate(struct frame *frame, double bps)
{
    struct line line = {.bytes = 0};

    line_add_rate(&line, bps);
    add_line(frame, &line);
}

/* "at least 10.00 Mbit/s" */
static void live_draw_add_capacity(struct frame *frame, const struct pprec_capacity *capacity)
{
    frame_add(frame, format_is_bound(capacity) ? "at least " : "");
    add_rate(frame, capacity->capacity_bps);
}

static void draw_title(const struct view *view, double share, int64_t now_ns)
{
    struct frame *frame = view->frame;
    const struct format_run *run = view->live->run;
    int64_t s = (now_ns - view->live->begun_ns) / STAMP_NS_PER_S;
    struct line right = {.bytes = 0}, settings = {.bytes = 0};

    if (share >= 0)
        line_add(&right, "%.0f %%  ", 100 * share);
    line_add(&right, "%02" PRId64 ":%02d:%02d", s / 3600, (int)(s / 60 % 60), (int)(s % 60));
    frame_style(frame, FRAME_BOLD);
    frame_add(frame, "pprec");
    frame_style(frame, FRAME_DIM);
    frame_add(frame, "  %s", view->live->input);
    line_add(&settings, "  layer %s, filter %s, timestamps %s", run->layer, run->filter, run->timestamps);
    if (frame->columns > frame->column + settings.bytes + right.bytes)
        add_line(frame, &settings);
    if (frame->columns > frame->column + right.bytes) {
        frame_to(frame, frame->columns - (unsigned)right.bytes);
        add_line(frame, &right);
    }
    frame_next(frame);
}

static enum frame_style style_of_state(enum pprec_state state)
{
    if (pprec_state_is_sure(state))
        return FRAME_GOOD;
    return state == PPREC_STATE_INSUFFICIENT ? FRAME_DIM : FRAME_FAIR;
}

static enum frame_style style_of_verdict(enum pprec_verdict verdict)
{
    if (verdict == PPREC_VERDICT_OK)
        return FRAME_GOOD;
    if (verdict == PPREC_VERDICT_LATE || verdict >= PPREC_VERDICT_FOREIGN_SIZE)
        return FRAME_BAD;
    return FRAME_FAIR;
}

static const char *meaning(enum pprec_state state)
{
    static const char *const meanings[] = {
        [PPREC_STATE_INSUFFICIENT] = "no estimate yet",
        [PPREC_STATE_TENTATIVE] = "a best guess, not to be shown as fact",
        [PPREC_STATE_CONVERGED] = "a 95 % interval",
        [PPREC_STATE_SHAPED] = "a token bucket: this rate lasts",
        [PPREC_STATE_AMBIGUOUS] = "several candidates that the data cannot separate",
        [PPREC_STATE_SENDER_LIMITED] = "a lower bound",
        [PPREC_STATE_FAIR] = "other flows take turns with ours: the capacity of the link",
        [PPREC_STATE_POLICED] = "a policer drops what its bucket does not hold",
        [PPREC_STATE_VARYING] = "rates that each hold for a time: this is the newest",
    };

    return (size_t)state < sizeof meanings / sizeof meanings[0] ? meanings[state] : "";
}

static void draw_name(const struct view *view)
{
    struct frame *frame = view->frame;
    char source[64];

    if (view->streams == 0) {
        frame_add(frame, "nothing has come yet");
        frame_next(frame);
        return;
    }
    pprec_endpoint_text(&view->shown.source, source, sizeof source);
    frame_add(frame, "%s  ", source);
    frame_style(frame, FRAME_DIM);
    frame_add(frame, "%s %08" PRIx32, pprec_kind_name(view->shown.kind), view->shown.stream);
    if (view->streams > 1)
        frame_add(frame, "  1 of %zu streams", view->streams);
    frame_next(frame);
}

/* In the same row, or where that is too narrow in one of its own, or not at all: a number that is cut would be
 * another one. */
static void add_beside(struct frame *frame, const struct line *line)
{
    if (frame->column + line->bytes > frame->columns) {
        if (frame->rows < DOUBT_ROWS)
            return;
        frame_next(frame);
    }
    add_line(frame, line);
}

/* In the same row, or not at all. */
static void add_whole(struct frame *frame, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_whole(struct frame *frame, const char *format, ...)
{
    char text[96];
    va_list arguments;
    int bytes;

    va_start(arguments, format);
    bytes = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (bytes >= 0 && frame->column + (unsigned)bytes <= frame->columns)
        frame_add(frame, "%s", text);
}

/* What is between, beside a link. */
static void draw_path(struct frame *frame, const struct pprec_capacity *capacity)
{
    struct line line = {.bytes = 0};

    if (capacity->peak_bps > 0) {
        line_add(&line, "  bucket %.0f bytes at ", capacity->burst_bytes);
        line_add_rate(&line, capacity->peak_bps);
    }
    if (capacity->share_bps > 0) {
        line_add(&line, "  ");
        format_share(&line, capacity);
    }
    if (capacity->policed_bps > 0) {
        line_add(&line, "  policed to ");
        line_add_rate(&line, capacity->policed_bps);
    }
    if (capacity->policed_burst_bytes > 0)
        line_add(&line, ", bucket %.0f bytes", capacity->policed_burst_bytes);
    add_beside(frame, &line);
}

static void draw_estimate(const struct view *view)
{
    struct frame *frame = view->frame;
    const struct pprec_capacity *capacity = &view->shown.capacity;
    struct line interval = {.bytes = 0};

    frame_style(frame, FRAME_BOLD);
    live_draw_add_capacity(frame, capacity);
    frame_style(frame, style_of_state(capacity->state));
    frame_add(frame, "  %s", pprec_state_name(capacity->state));
    frame_style(frame, FRAME_PLAIN);
    if (capacity->high_bps > 0) {
        line_add(&interval, "  ");
        line_add_rate(&interval, capacity->low_bps);
        line_add(&interval, " to ");
        line_add_rate(&interval, capacity->high_bps);
        add_beside(frame, &interval);
    }
    draw_path(frame, capacity);
    frame_next(frame);
}

static enum frame_style style_of_available(enum pprec_available_state state)
{
    return state == PPREC_AVAILABLE_CONVERGED ? FRAME_GOOD : FRAME_FAIR;
}

/* "available at least 6.200 Mbit/s at_least  queue ..." of streams that tell when they send. */
static void draw_available(const struct view *view)
{
    const struct pprec_available *available = &view->shown.available;
    struct frame *frame = view->frame;
    struct line figure = {.bytes = 0}, queue = {.bytes = 0};

    format_available(&figure, &view->shown);
    format_queue(&queue, &view->shown);
    if (figure.bytes == 0)
        return;
    frame_add(frame, "available ");
    frame_style(frame, style_of_available(available->state));
    add_line(frame, &figure);
    frame_style(frame, FRAME_DIM);
    if (queue.bytes > 0 && frame->column + 2 + queue.bytes <= frame->columns) {
        frame_add(frame, "  ");
        add_line(frame, &queue);
    }
    frame_next(frame);
}

static void draw_meaning(const struct view *view)
{
    frame_style(view->frame, FRAME_DIM);
    frame_add(view->frame, "%s", meaning(view->shown.capacity.state));
    frame_next(view->frame);
}

/* Two rows where one is too narrow: the second half says what to do. */
static void draw_doubt(const struct view *view)
{
    const struct pprec_summary *shown = &view->shown;
    struct frame *frame = view->frame;
    struct line line = {.bytes = 0};
    const char *text = line.text + 1; /* without the blank in front */
    size_t half;

    format_doubt(&line, &shown->capacity, false);
    if (line.bytes == 0)
        return;
    half = strcspn(text, ";");
    frame_style(frame, FRAME_FAIR);
    if (line.bytes - 1 > frame->columns && text[half] == ';') {
        frame_add(frame, "%.*s;", (int)half, text);
        frame_next(frame);
        frame_style(frame, FRAME_FAIR);
        text += half + 1;
    }
    frame_add(frame, "%s", text);
    frame_next(frame);
}

static size_t live_draw_rates_of(const struct view *view, double rates[LIVE_TRAINS])
{
    const struct live *live = view->live;
    size_t kept = live->trains < LIVE_TRAINS ? (size_t)live->trains : LIVE_TRAINS;
    size_t count = 0;

    for (size_t i = 0; i < kept; i++)
        if (live->last[i].stream == view->shown.stream && live->last[i].rate_bps > 0
            && tally_same_source(&live->last[i].source, &view->shown.source))
            rates[count++] = live->last[i].rate_bps;
    return count;
}

static void draw_verdicts(const struct view *view)
{
    const struct pprec_summary *shown = &view->shown;
    const struct tally_place *place = tally_find(view->live->tally, &shown->source, shown->stream);
    struct frame *frame = view->frame;

    frame_add(frame, "%" PRIu64 " train%s", shown->counts.trains, shown->counts.trains == 1 ? "" : "s");
    for (int i = 0; place != NULL && i < TALLY_VERDICTS; i++) {
        if (place->verdicts[i] == 0)
            continue;
        frame_style(frame, style_of_verdict((enum pprec_verdict)i));
        add_whole(frame, "  %" PRIu64 " %s", place->verdicts[i], pprec_verdict_name((enum pprec_verdict)i));
    }
    frame_next(frame);
}

static void draw_losses(const struct view *view)
{
    const struct pprec_counts *counts = &view->shown.counts;
    uint64_t all = counts->packets - counts->late + counts->lost;
    struct frame *frame = view->frame;
    struct line jitter = {.bytes = 0};

    frame_add(frame, "%" PRIu64 " packets", counts->packets);
    frame_style(frame, counts->lost > 0 ? FRAME_BAD : FRAME_PLAIN);
    add_whole(frame, "  %" PRIu64 " lost", counts->lost);
    if (counts->lost > 0 && all > 0)
        add_whole(frame, " (%.2g %%)", 100 * (double)counts->lost / (double)all);
    frame_style(frame, view->shown.dropped_here > 0 ? FRAME_BAD : FRAME_PLAIN);
    add_whole(frame, "  %" PRIu64 " dropped here", view->shown.dropped_here);
    frame_style(frame, FRAME_PLAIN);
    if (counts->reordered > 0)
        add_whole(frame, "  %" PRIu64 " reordered", counts->reordered);
    if (counts->duplicate > 0)
        add_whole(frame, "  %" PRIu64 " duplicate", counts->duplicate);
    if (view->shown.jitter_ns != PPREC_UNKNOWN_NS) {
        line_add_span(&jitter, view->shown.jitter_ns);
        add_whole(frame, "  jitter %.*s", (int)jitter.bytes, jitter.text);
    }
    frame_next(frame);
}

static void draw_other(struct frame *frame, const struct pprec_summary *other)
{
    char source[64];

    pprec_endpoint_text(&other->source, source, sizeof source);
    frame_style(frame, FRAME_DIM);
    frame_add(frame, "%s %08" PRIx32 "  ", source, other->stream);
    frame_style(frame, FRAME_PLAIN);
    live_draw_add_capacity(frame, &other->capacity);
    frame_style(frame, style_of_state(other->capacity.state));
    frame_add(frame, "  %s", pprec_state_name(other->capacity.state));
    frame_style(frame, FRAME_DIM);
    frame_add(frame, "  %" PRIu64 " train%s", other->counts.trains, other->counts.trains == 1 ? "" : "s");
    if (format_is_numbered(other->kind))
        frame_add(frame, ", %" PRIu64 " lost", other->counts.lost);
    frame_next(frame);
}

static void draw_train(const struct view *view, const struct pprec_train *train)
{
    struct frame *frame = view->frame;
    bool wide = frame->columns >= WIDE_COLUMNS;
    struct line time = {.bytes = 0}, span = {.bytes = 0}, rate = {.bytes = 0};

    line_add_clock(&time, train->time_ns);
    line_add_rate(&rate, train->rate_bps);
    if (train->dispersion_ns != PPREC_UNKNOWN_NS)
        line_add_span(&span, train->dispersion_ns);
    frame_style(frame, FRAME_DIM);
    if (wide)
        frame_add(frame, "%.*s ", (int)time.bytes, time.text);
    if (wide && view->streams > 1)
        frame_add(frame, "%08" PRIx32 " ", train->stream);
    frame_add(frame, "#%-5" PRIu32 " ", train->train);
    frame_style(frame, train->received < train->sent ? FRAME_BAD : FRAME_DIM);
    frame_add(frame, wide ? "%3" PRIu32 "/%-3" PRIu32 : "%" PRIu32 "/%" PRIu32, train->received, train->sent);
    frame_style(frame, FRAME_DIM);
    if (wide && view->streams <= 1)
        frame_add(frame, " %5" PRIu32 " B", train->size_bytes);
    if (wide)
        frame_add(frame, "%11.*s", (int)span.bytes, span.text);
    else
        frame_to(frame, NARROW_RATE_COLUMN);
    frame_style(frame, FRAME_PLAIN);
    frame_add(frame, " %12.*s ", (int)rate.bytes, rate.text);
    frame_style(frame, style_of_verdict(train->verdict));
    frame_add(frame, "%s", pprec_verdict_name(train->verdict));
    frame_next(frame);
}

/* The newest first. */
static void draw_trains(const struct view *view, unsigned rows)
{
    const struct live *live = view->live;

    for (uint64_t back = 1; back <= rows && back <= live->trains && back <= LIVE_TRAINS; back++)
        draw_train(view, &live->last[(live->trains - back) % LIVE_TRAINS]);
}

/* --- The whole --- */

static unsigned live_draw_min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Other streams get up to a quarter of what is left if there is much, trains a third, the
 * histogram the rest; what none of them wants, trains get. */
static void draw_body(struct view *view, unsigned rows)
{
    static double rates[LIVE_TRAINS];
    bool roomy = view->frame->rows >= ROOMY_ROWS;
    unsigned gaps = roomy ? 2 : 0;
    unsigned left = rows > 2 + gaps ? rows - 2 - gaps : 0; /* but for the counts */
    unsigned others = roomy ? live_draw_min((unsigned)view->others_count, left / 4) : 0;
    unsigned bars = live_draw_min(left - others - left / 3, BARS_ROWS_MOST);
    size_t count = live_draw_rates_of(view, rates);

    if (bars < BARS_ROWS_LEAST || count == 0)
        bars = 0;
    if (bars > 0)
        bars_draw(view->frame, bars, rates, count, &view->shown.capacity);
    if (roomy)
        frame_next(view->frame);
    draw_verdicts(view);
    draw_losses(view);
    if (roomy)
        frame_next(view->frame);
    for (unsigned i = 0; i < others; i++)
        draw_other(view->frame, &view->others[i]);
    draw_trains(view, left - others - bars);
}

void live_draw(struct live *live, const struct pprec *pprec, double share, int64_t now_ns)
{
    struct frame *frame = &live->frame;
    struct view view = {.live = live, .frame = frame};
    unsigned footer = live->said[0] != '\0' ? 1 : 0;

    frame_begin(frame);
    live_draw_choose(&view, pprec);
    draw_title(&view, share, now_ns);
    if (frame->rows >= ROOMY_ROWS)
        frame_next(frame);
    draw_name(&view);
    if (view.streams > 0) {
        draw_estimate(&view);
        if (frame->rows >= DOUBT_ROWS)
            draw_available(&view);
        if (frame->rows >= ROOMY_ROWS)
            draw_meaning(&view);
        if (frame->rows >= DOUBT_ROWS)
            draw_doubt(&view);
        if (frame->rows >= ROOMY_ROWS)
            frame_next(frame);
        if (frame_left(frame) > footer)
            draw_body(&view, frame_left(frame) - footer);
    }
    if (footer > 0 && frame_left(frame) > 0) {
        frame_style(frame, FRAME_BAD);
        frame_add(frame, "%s", live->said);
        frame_next(frame);
    }
    frame_end(frame);
}

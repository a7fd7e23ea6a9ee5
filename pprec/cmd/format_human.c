/* SPDX-License-Identifier: BSD-3-Clause */
/* For a person at a terminal. */
#include "pprec/cmd/format.h"

#include <inttypes.h>
#include <math.h>

/* A policer may be told where the link behind it is too fast to be. */
bool format_is_bound(const struct pprec_capacity *capacity)
{
    return capacity->state == PPREC_STATE_SENDER_LIMITED
        || (capacity->state == PPREC_STATE_POLICED && capacity->high_bps <= 0);
}

bool format_is_numbered(enum pprec_kind kind)
{
    return kind != PPREC_KIND_FLOW;
}

static void format_human_add_capacity(struct line *line, const struct pprec_capacity *capacity)
{
    if (format_is_bound(capacity))
        line_add(line, "at least ");
    line_add_rate(line, capacity->capacity_bps);
    line_add_interval(line, capacity->low_bps, capacity->high_bps);
    line_add(line, " %s", pprec_state_name(capacity->state));
}

/* What has no figure lacks one for this: docs/available.md has a row for each. */
static const char *lack_of_available(const struct pprec_capacity *capacity)
{
    if (!(capacity->capacity_bps > 0))
        return "no capacity yet";
    switch (capacity->state) {
    case PPREC_STATE_SHAPED: return "behind a bucket only trains twice as long tell";
    case PPREC_STATE_FAIR: return "no share yet";
    default: return "too few readings";
    }
}

void format_available(struct line *line, const struct pprec_summary *summary)
{
    const struct pprec_available *available = &summary->available;

    if (available->state == PPREC_AVAILABLE_UNKNOWN) {
        if (available->trains > 0)
            line_add(line, "%s (%s)", pprec_available_state_name(available->state),
                     lack_of_available(&summary->capacity));
        return;
    }
    if (available->state == PPREC_AVAILABLE_AT_LEAST)
        line_add(line, "at least ");
    line_add_free(line, available->available_bps);
    line_add_interval(line, available->low_bps, available->high_bps);
    line_add(line, " %s", pprec_available_state_name(available->state));
}

void format_share(struct line *line, const struct pprec_capacity *capacity)
{
    line_add(line, "share ");
    line_add_rate(line, capacity->share_bps);
    if (capacity->flows > 0)
        line_add(line, " beside %" PRIu32 " flow%s", capacity->flows, capacity->flows == 1 ? "" : "s");
}

/* Bytes are a time times the capacity: a guess's are no bound. That no train was seen to lose for want of room does not
 * say that there was more. */
static const char *word_of_buffer(const struct pprec_summary *summary)
{
    if (!pprec_state_is_sure(summary->capacity.state))
        return summary->available.buffer_full ? "full at some" : "holds some";
    return summary->available.buffer_full ? "full at" : "holds at least";
}

void format_queue(struct line *line, const struct pprec_summary *summary)
{
    const struct pprec_available *available = &summary->available;
    const char *before = "";

    if (available->queue_ns != PPREC_UNKNOWN_NS) {
        line_add(line, "queue ");
        line_add_span(line, available->queue_ns);
        before = "; ";
    }
    if (available->queue_ns != PPREC_UNKNOWN_NS && available->queue_p95_ns != PPREC_UNKNOWN_NS) {
        line_add(line, ", 95 %% below ");
        line_add_span(line, available->queue_p95_ns);
    }
    if (line_known(available->buffer_bytes)) {
        line_add(line, "%sbuffer %s %.0f bytes", before, word_of_buffer(summary), available->buffer_bytes);
        before = "; ";
    }
    if (available->lossless_train > 0)
        line_add(line, "%slongest train without loss %" PRIu32, before, available->lossless_train);
}

uint32_t format_lost(const struct pprec_train *train)
{
    enum { MARKERS = 2 };

    if (train->load_hops != 0 && train->received <= MARKERS)
        return MARKERS - train->received;
    return train->sent - train->received;
}

/* Two sentences leave open what a sure state does not. */
static const char *text_of_why(const struct pprec_capacity *capacity)
{
    if (!pprec_state_is_sure(capacity->state))
        return pprec_why_text(capacity->why);
    switch (capacity->why) {
    case PPREC_WHY_FAIR_QUEUE: return "others take turns with ours";
    case PPREC_WHY_RATE_VARIES: return "each of several rates held for a time";
    default: return pprec_why_text(capacity->why);
    }
}

/* What pptrans's longest trains come to, or nearly. */
enum { LONGEST_BYTES = 256 * 1000 };

/* Below a bound of the sender's as well, unless its bursts emptied the bucket. A bound of media is what they brought, or
 * has advice. */
static void add_hidden(struct line *line, const struct pprec_capacity *capacity)
{
    if (capacity->state != PPREC_STATE_SENDER_LIMITED || capacity->why != PPREC_WHY_SENDER
        || capacity->advice != PPREC_ADVICE_NONE || capacity->seen_bytes == 0)
        return;
    line_add(line, ", or a bucket that %.0f kB do not empty hides a slower link", capacity->seen_bytes / 1e3);
    if (capacity->seen_bytes < LONGEST_BYTES)
        line_add(line, "; pptrans --mix -n 256 looks further");
}

void format_doubt(struct line *line, const struct pprec_capacity *capacity, bool ended)
{
    const char *text = text_of_why(capacity);
    const char *help = pprec_advice_text(capacity->advice);

    if (ended && capacity->advice == PPREC_ADVICE_WAIT)
        help = "measure for longer, or send more trains";
    if (text == NULL && help == NULL)
        return;
    line_add(line, " (%s", text != NULL ? text : "");
    add_hidden(line, capacity);
    line_add(line, "%s%s)", text != NULL && help != NULL ? "; " : "", help != NULL ? help : "");
}

static bool says_more(const struct pprec_capacity *capacity)
{
    return capacity->why != PPREC_WHY_NONE || capacity->advice != PPREC_ADVICE_NONE;
}

bool format_doubt_is_new(const struct pprec_change *change)
{
    const struct pprec_capacity *now = &change->capacity, *was = &change->was;

    return says_more(now) && (now->state != was->state || now->why != was->why || now->advice != was->advice);
}

bool format_doubt_is_over(const struct pprec_change *change)
{
    return !says_more(&change->capacity) && says_more(&change->was);
}

void format_usable(struct line *line, const struct pprec_summary *summary)
{
    const struct pprec_counts *counts = &summary->counts;

    line_add(line, "%" PRIu64 " usable train%s of %" PRIu64, counts->usable, counts->usable == 1 ? "" : "s",
             counts->trains);
    format_doubt(line, &summary->capacity, true);
}

/* Below its train. */
static void format_human_doubt(struct line *line, const struct pprec_change *change)
{
    line_add(line, " ");
    format_doubt(line, &change->capacity, false);
}

static void format_human_add_train(struct line *line, const struct record *record)
{
    const struct pprec_train *train = record->train;
    char source[64];

    pprec_endpoint_text(&train->source, source, sizeof source);
    line_add_clock(line, record->time_ns);
    line_add(line, " %s %08x #%u %u/%u x %u B ", source, train->stream, train->train, train->received,
             train->sent, train->size_bytes);
    if (train->dispersion_ns == PPREC_UNKNOWN_NS)
        line_add(line, "-");
    else
        line_add_span(line, train->dispersion_ns);
    line_add(line, " ");
    line_add_rate(line, train->rate_bps);
    line_add(line, " %s | ", pprec_verdict_name(train->verdict));
    format_human_add_capacity(line, &train->capacity);
}

static void format_human_add_counts(struct line *line, const struct pprec_summary *summary)
{
    const struct pprec_counts *counts = &summary->counts;

    line_add(line, "%" PRIu64 " train%s, %" PRIu64 " usable; %" PRIu64 " packet%s", counts->trains,
             counts->trains == 1 ? "" : "s", counts->usable, counts->packets,
             counts->packets == 1 ? "" : "s");
    if (format_is_numbered(summary->kind))
        line_add(line, ", %" PRIu64 " lost, %" PRIu64 " duplicate, %" PRIu64 " reordered, %" PRIu64 " late",
                 counts->lost, counts->duplicate, counts->reordered, counts->late);
}

/* Its time stands apart from that column of the trains, which says when they came: one that came before the
 * interval's end is told after it, when the next has said how it left. */
static void add_interval(struct line *line, const struct record *record)
{
    struct line available = {.bytes = 0};
    char source[64];

    pprec_endpoint_text(&record->summary->source, source, sizeof source);
    line_add(line, "%s %08x, %.3g s to ", source, record->summary->stream, record->interval_s);
    line_add_clock(line, record->time_ns);
    line_add_text(line, ": ");
    if (record->summary->counts.packets == 0 && record->summary->counts.trains == 0)
        line_add(line, "nothing came"); /* the estimate is of before */
    else
        format_human_add_counts(line, record->summary);
    line_add(line, " | ");
    format_human_add_capacity(line, &record->summary->capacity);
    format_doubt(line, &record->summary->capacity, false);
    if (record->summary->capacity.share_bps > 0) {
        line_add(line, " | ");
        format_share(line, &record->summary->capacity);
    }
    format_available(&available, record->summary);
    if (available.bytes > 0)
        line_add(line, " | available %s", available.text);
}

static void add_fair(struct line *line, const struct pprec_capacity *capacity)
{
    line_add(line, "\n  fair queueing: ");
    if (capacity->flows > 0)
        line_add(line, "%" PRIu32 " other flow%s; ", capacity->flows, capacity->flows == 1 ? "" : "s");
    line_add(line, "a long train got ");
    line_add_rate(line, capacity->share_bps);
}

static void add_policer(struct line *line, const struct pprec_capacity *capacity)
{
    line_add(line, "\n  policed");
    if (capacity->policed_bps > 0) {
        line_add(line, " to ");
        line_add_rate(line, capacity->policed_bps);
    } else {
        line_add(line, ", no arrival tells to what rate");
    }
    if (line_known(capacity->policed_burst_bytes))
        line_add(line, ", bucket of %.0f bytes", capacity->policed_burst_bytes);
}

static void add_varying(struct line *line, const struct pprec_capacity *capacity)
{
    line_add(line, "\n  varying: from ");
    line_add_rate(line, capacity->low_bps);
    line_add(line, " to ");
    line_add_rate(line, capacity->high_bps);
    line_add(line, ", each rate for a time; capacity is the newest");
}

/* Where C is told, with a bucket of b bytes if it is a shaper's, another shaper of rate r < C, before it or behind, shows only
 * in trains that empty its bucket: S bytes empty less than S (1 - r / C) + b r / C. */
static double hides_slower_bytes(const struct pprec_capacity *capacity)
{
    return 0.1 * capacity->seen_bytes + 0.9 * (line_known(capacity->burst_bytes) ? capacity->burst_bytes : 0);
}

/* Of an answer. Where trains lose packets, or load the link by themselves, longer ones do more so. */
static void add_slower(struct line *line, const struct pprec_summary *summary)
{
    const struct pprec_capacity *capacity = &summary->capacity;

    if (!pprec_state_is_sure(capacity->state) || capacity->seen_bytes == 0)
        return;
    line_add(line,
             "\n  bursts of up to %.0f kB came: a shaper 10 %% slower with a bucket of over %.1f kB would "
             "not show",
             capacity->seen_bytes / 1e3, hides_slower_bytes(capacity) / 1e3);
    if (capacity->seen_bytes < LONGEST_BYTES && summary->kind == PPREC_KIND_PROBE
        && capacity->why != PPREC_WHY_LOSSES && capacity->why != PPREC_WHY_OWN_LOAD)
        line_add(line, "; pptrans --mix -n 256 looks further");
}

/* What is between, beside a link. */
static void add_path(struct line *line, const struct pprec_summary *summary)
{
    const struct pprec_capacity *capacity = &summary->capacity;

    if (line_known(capacity->peak_bps) && line_known(capacity->burst_bytes)) {
        line_add(line, "\n  token bucket of %.0f bytes; trains begin at ", capacity->burst_bytes);
        line_add_rate(line, capacity->peak_bps);
    }
    if (capacity->share_bps > 0)
        add_fair(line, capacity);
    if (capacity->policed_bps > 0 || capacity->policed_burst_bytes > 0)
        add_policer(line, capacity);
    if (capacity->state == PPREC_STATE_VARYING)
        add_varying(line, capacity);
    add_slower(line, summary);
}

static void add_rates(struct line *line, const struct pprec_summary *summary)
{
    line_add(line, "\n  rates: 5 %% ");
    line_add_rate(line, summary->rate_p05_bps);
    line_add(line, ", median ");
    line_add_rate(line, summary->rate_p50_bps);
    line_add(line, ", 95 %% ");
    line_add_rate(line, summary->rate_p95_bps);
    if (summary->adr_bps > 0) {
        line_add(line, "; asymptotic dispersion rate ");
        line_add_rate(line, summary->adr_bps);
    }
    add_path(line, summary);
}

/* What is free, and what queues; nothing of streams that do not tell when they send. */
static void add_available(struct line *line, const struct pprec_summary *summary)
{
    struct line figure = {.bytes = 0}, queue = {.bytes = 0};

    format_available(&figure, summary);
    format_queue(&queue, summary);
    if (figure.bytes > 0)
        line_add(line, "\n  available %s", figure.text);
    if (queue.bytes > 0)
        line_add(line, "\n  %s", queue.text);
}

void format_refused(struct line *line, const char *before, const struct pprec *pprec)
{
    for (unsigned i = 0; pprec != NULL && i < PPREC_REASONS; i++) {
        uint64_t count = pprec_refused(pprec, (enum pprec_reason)i);

        if (count == 0)
            continue;
        line_add(line, "%s%" PRIu64 " %s", before, count, pprec_reason_name((enum pprec_reason)i));
        before = ", ";
    }
}

static void add_files(struct line *line, const struct record *record)
{
    const struct pprec *pprec = record->run->pprec;
    uint32_t first = record->summary->first_file, last = record->summary->last_file;
    const char *name = pprec != NULL ? pprec_capture_name(pprec, first) : NULL;

    if (name == NULL)
        return;
    line_add_text(line, ", from ");
    line_add_printable(line, name);
    if (last == first)
        return;
    line_add_text(line, " to ");
    line_add_printable(line, pprec_capture_name(pprec, last));
}

static void add_summary(struct line *line, const struct record *record)
{
    const struct pprec_summary *summary = record->summary;
    char text[64];

    pprec_endpoint_text(&summary->source, text, sizeof text);
    line_add(line, "%s", text);
    if (summary->destination.ip != 0) {
        pprec_endpoint_text(&summary->destination, text, sizeof text);
        line_add(line, " > %s %s", text, pprec_kind_name(summary->kind));
    }
    line_add(line, " stream %08x: capacity ", summary->stream);
    format_human_add_capacity(line, &summary->capacity);
    if (summary->capacity.state == PPREC_STATE_INSUFFICIENT) {
        line_add(line, ": ");
        format_usable(line, summary);
    } else {
        format_doubt(line, &summary->capacity, true);
    }
    line_add(line, "\n  layer %s, filter %s, timestamps %s", record->run->layer, record->run->filter,
             pprec_timestamps_name(summary->timestamps));
    add_files(line, record);
    line_add(line, "\n  ");
    format_human_add_counts(line, summary);
    line_add(line, "\n  dropped here %" PRIu64 ", foreign datagrams %" PRIu64, summary->dropped_here,
             summary->foreign);
    if (record->run->unlogged > 0)
        line_add(line, "; %" PRIu64 " train%s of all streams not in the log", record->run->unlogged,
                 record->run->unlogged == 1 ? "" : "s");
    if (record->run->unshown > 0)
        line_add(line, "; %" PRIu64 " record%s not shown", record->run->unshown,
                 record->run->unshown == 1 ? "" : "s");
    if (summary->jitter_ns != PPREC_UNKNOWN_NS) {
        line_add(line, "; jitter ");
        line_add_span(line, summary->jitter_ns);
    }
    format_refused(line, "\n  refused ", record->run->pprec);
    add_rates(line, summary);
    add_available(line, summary);
    if (record->hops != NULL)
        hops_add_bars(line, record->hops);
}

static void format_human_record(struct line *line, const struct record *record)
{
    if (record->kind == RECORD_TRAIN)
        format_human_add_train(line, record);
    else if (record->kind == RECORD_INTERVAL)
        add_interval(line, record);
    else
        add_summary(line, record);
}

const struct format format_human = {.record = format_human_record, .doubt = format_human_doubt};

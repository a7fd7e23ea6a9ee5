/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON Lines and CSV from one table of fields. Keys are a contract: new ones may
 * come, none may go or change. */
#include "pprec/cmd/format.h"

#include <math.h>
#include <stdbool.h>

enum { ALL = RECORD_TRAIN | RECORD_INTERVAL | RECORD_SUMMARY, SUMS = RECORD_INTERVAL | RECORD_SUMMARY };

/* Writes the value; false when it is unknown, and nothing is written. */
struct field {
    const char *key;
    unsigned kinds;
    bool text; /* quoted in JSON */
    bool (*put)(struct line *line, const struct record *record);
    /* or: a text from outside, which each form writes in its own way; NULL: unknown */
    const char *(*outside)(const struct record *record);
};

static bool format_fields_put_rate(struct line *line, double bps)
{
    if (line_known(bps))
        line_add_decimal(line, bps);
    return line_known(bps);
}

static bool put_bytes(struct line *line, double bytes)
{
    if (line_known(bytes))
        line_add(line, "%.0f", bytes);
    return line_known(bytes);
}

static bool format_fields_put_ns(struct line *line, int64_t ns)
{
    if (ns != PPREC_UNKNOWN_NS && ns < 0)
        line_add_text(line, "-");
    if (ns != PPREC_UNKNOWN_NS)
        line_add_count(line, ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns);
    return ns != PPREC_UNKNOWN_NS;
}

static bool put_known(struct line *line, uint64_t count)
{
    if (count > 0)
        line_add_count(line, count);
    return count > 0;
}

static bool format_fields_put_count(struct line *line, uint64_t count)
{
    line_add_count(line, count);
    return true;
}

/* NULL: unknown */
static bool format_fields_put_text(struct line *line, const char *text)
{
    if (text != NULL)
        line_add_text(line, text);
    return text != NULL;
}

/* Of a full link nothing is free, and that is known. */
static bool put_free(struct line *line, const struct record *r, double bps)
{
    bool known = r->summary->available.state != PPREC_AVAILABLE_UNKNOWN && isfinite(bps);

    if (known)
        line_add_decimal(line, bps);
    return known;
}

/* What trains and summaries both tell. */
#define OF(r, field) (*((r)->kind == RECORD_TRAIN ? &(r)->train->field : &(r)->summary->field))

/* A field is a name, and an expression of the record r in one of the forms. */
#define PUT(name, form, ...)                                                                                 \
    static bool name(struct line *line, const struct record *r)                                              \
    {                                                                                                        \
        return form(line, __VA_ARGS__);                                                                      \
    }

PUT(why, format_fields_put_text, pprec_why_name(OF(r, capacity.why)))
PUT(advice, format_fields_put_text, pprec_advice_name(OF(r, capacity.advice)))
PUT(format_fields_seen, put_known, OF(r, capacity.seen_bytes))
PUT(verdict, format_fields_put_text, pprec_verdict_name(r->train->verdict))
PUT(state, format_fields_put_text, pprec_state_name(OF(r, capacity).state))
PUT(kind, format_fields_put_text, pprec_kind_name(r->summary->kind))
PUT(format_fields_layer, format_fields_put_text, r->run->layer)
PUT(format_fields_filter, format_fields_put_text, r->run->filter)
PUT(timestamps, format_fields_put_text, pprec_timestamps_name(r->summary->timestamps))
PUT(train_number, format_fields_put_count, r->train->train)
PUT(size, format_fields_put_count, r->train->size_bytes)
PUT(sent, format_fields_put_count, r->train->sent)
PUT(received, format_fields_put_count, r->train->received)
PUT(dispersion, format_fields_put_ns, r->train->dispersion_ns)
PUT(departure, format_fields_put_ns, r->train->departure_span_ns)
PUT(delay, format_fields_put_ns, r->train->delay_ns)
PUT(rate, format_fields_put_rate, r->train->rate_bps)
PUT(trains, format_fields_put_count, r->summary->counts.trains)
PUT(format_fields_usable, format_fields_put_count, r->summary->counts.usable)
PUT(format_fields_packets, format_fields_put_count, r->summary->counts.packets)
PUT(format_fields_foreign, format_fields_put_count, r->summary->foreign)
PUT(format_fields_dropped_here, format_fields_put_count, r->summary->dropped_here)
PUT(unlogged, format_fields_put_count, r->run->unlogged)
PUT(format_fields_unshown, format_fields_put_count, r->run->unshown)
PUT(format_fields_jitter, format_fields_put_ns, r->summary->jitter_ns)
PUT(format_fields_capacity_bps, format_fields_put_rate, OF(r, capacity).capacity_bps)
PUT(format_fields_low, format_fields_put_rate, OF(r, capacity).low_bps)
PUT(format_fields_high, format_fields_put_rate, OF(r, capacity).high_bps)
PUT(format_fields_peak, format_fields_put_rate, OF(r, capacity).peak_bps)
PUT(burst, put_bytes, OF(r, capacity).burst_bytes)
PUT(format_fields_share, format_fields_put_rate, OF(r, capacity).share_bps)
PUT(flows, put_known, OF(r, capacity).flows)
PUT(format_fields_policed, format_fields_put_rate, OF(r, capacity).policed_bps)
PUT(policed_burst, put_bytes, OF(r, capacity).policed_burst_bytes)
PUT(available_state, format_fields_put_text, pprec_available_state_name(r->summary->available.state))
PUT(format_fields_available, put_free, r, r->summary->available.available_bps)
PUT(format_fields_available_low, put_free, r, r->summary->available.low_bps)
PUT(format_fields_available_high, format_fields_put_rate, r->summary->available.high_bps)
PUT(format_fields_queue, format_fields_put_ns, r->summary->available.queue_ns)
PUT(format_fields_queue_p95, format_fields_put_ns, r->summary->available.queue_p95_ns)
PUT(format_fields_buffer, put_bytes, r->summary->available.buffer_bytes)
PUT(lossless_train, put_known, r->summary->available.lossless_train)
PUT(format_fields_adr, format_fields_put_rate, r->summary->adr_bps)
PUT(p05, format_fields_put_rate, r->summary->rate_p05_bps)
PUT(p50, format_fields_put_rate, r->summary->rate_p50_bps)
PUT(p95, format_fields_put_rate, r->summary->rate_p95_bps)

static bool type(struct line *line, const struct record *r)
{
    return format_fields_put_text(line,
                                  r->kind == RECORD_TRAIN          ? "train"
                                      : r->kind == RECORD_INTERVAL ? "interval"
                                                                   : "summary");
}

/* It grows when keys are added. */
static bool schema(struct line *line, const struct record *r)
{
    (void)r;
    return format_fields_put_count(line, 4);
}

static bool buffer_full(struct line *line, const struct record *r)
{
    const struct pprec_available *available = &r->summary->available;

    return line_known(available->buffer_bytes)
        && format_fields_put_text(line, available->buffer_full ? "true" : "false");
}

static bool time_s(struct line *line, const struct record *r)
{
    line_add_time(line, r->time_ns);
    return true;
}

static bool interval_s(struct line *line, const struct record *r)
{
    line_add(line, "%.3f", r->interval_s);
    return true;
}

static bool source(struct line *line, const struct record *r)
{
    char text[64];

    pprec_endpoint_text(&OF(r, source), text, sizeof text);
    return format_fields_put_text(line, text);
}

static bool destination(struct line *line, const struct record *r)
{
    char text[64];

    if (r->summary->destination.ip == 0)
        return false;
    pprec_endpoint_text(&r->summary->destination, text, sizeof text);
    return format_fields_put_text(line, text);
}

static bool stream(struct line *line, const struct record *r)
{
    line_add_hex(line, OF(r, stream));
    return true;
}

static bool put_numbered(struct line *line, const struct record *r, uint64_t count)
{
    return format_is_numbered(OF(r, kind)) && format_fields_put_count(line, count);
}

static bool format_fields_duplicate(struct line *line, const struct record *r)
{
    return put_numbered(line, r, r->summary->counts.duplicate);
}

static bool format_fields_reordered(struct line *line, const struct record *r)
{
    return put_numbered(line, r, r->summary->counts.reordered);
}

static bool format_fields_late(struct line *line, const struct record *r)
{
    return put_numbered(line, r, r->summary->counts.late);
}

static bool format_fields_lost(struct line *line, const struct record *r)
{
    return put_numbered(line, r, r->kind == RECORD_TRAIN ? format_lost(r->train) : r->summary->counts.lost);
}

static bool time_to_converge(struct line *line, const struct record *r)
{
    int64_t ns = r->summary->time_to_converge_ns;

    if (ns != PPREC_UNKNOWN_NS)
        line_add(line, "%.3f", (double)ns / 1e9);
    return ns != PPREC_UNKNOWN_NS;
}

static const struct pprec_hops_summary no_hops;

static const struct pprec_hops_summary *format_fields_hops_of(const struct record *r)
{
    return r->hops != NULL ? &r->hops->summary : &no_hops;
}

PUT(load_hops, put_known, r->train->load_hops)
PUT(hops_count, put_known, format_fields_hops_of(r)->hops_count)
PUT(narrow_hop, put_known, format_fields_hops_of(r)->narrow_hop)
PUT(narrow_hop_last, put_known, format_fields_hops_of(r)->narrow_hop_last)
PUT(narrow_link, format_fields_put_rate,
    format_fields_hops_of(r)->narrow_hop != 0 ? format_fields_hops_of(r)->narrow_link_bps : 0)
PUT(hops_why, format_fields_put_text, pprec_hops_why_name(format_fields_hops_of(r)->why))
PUT(tight_hop, put_known, format_fields_hops_of(r)->tight_hop)
PUT(tight_hop_last, put_known, format_fields_hops_of(r)->tight_hop_last)
PUT(tight_link, format_fields_put_rate,
    format_fields_hops_of(r)->tight_hop != 0 ? format_fields_hops_of(r)->tight_link_bps : 0)
PUT(tight_why, format_fields_put_text, pprec_tight_why_name(format_fields_hops_of(r)->tight_why))

static uint64_t format_fields_refused(const struct record *r, enum pprec_reason reason)
{
    return r->run->pprec != NULL ? pprec_refused(r->run->pprec, reason) : 0;
}

PUT(untagged, format_fields_put_count, format_fields_refused(r, PPREC_REASON_UNTAGGED))
PUT(bad_tag, format_fields_put_count, format_fields_refused(r, PPREC_REASON_BAD_TAG))
PUT(replayed, format_fields_put_count, format_fields_refused(r, PPREC_REASON_REPLAYED))
PUT(stale, format_fields_put_count, format_fields_refused(r, PPREC_REASON_STALE))
PUT(unlisted, format_fields_put_count, format_fields_refused(r, PPREC_REASON_SOURCE))
PUT(stranger, format_fields_put_count, format_fields_refused(r, PPREC_REASON_STRANGER))
PUT(crowd, format_fields_put_count, format_fields_refused(r, PPREC_REASON_CROWD))
PUT(room, format_fields_put_count, format_fields_refused(r, PPREC_REASON_ROOM))
PUT(format_fields_memory, format_fields_put_count, format_fields_refused(r, PPREC_REASON_MEMORY))

static const char *name_of(const struct record *r, uint32_t number)
{
    return r->run->pprec != NULL ? pprec_capture_name(r->run->pprec, number) : NULL;
}

static const char *file(const struct record *r)
{
    return name_of(r, r->kind == RECORD_TRAIN ? r->train->file : r->summary->first_file);
}

static const char *last_file(const struct record *r)
{
    return name_of(r, r->summary->last_file);
}

static const struct field fields[] = {
    {"type", ALL, true, type, NULL},
    {"time", ALL, false, time_s, NULL},
    {"source", ALL, true, source, NULL},
    {"stream", ALL, true, stream, NULL},
    {"destination", SUMS, true, destination, NULL},
    {"kind", SUMS, true, kind, NULL},
    {"train", RECORD_TRAIN, false, train_number, NULL},
    {"size", RECORD_TRAIN, false, size, NULL},
    {"sent", RECORD_TRAIN, false, sent, NULL},
    {"received", RECORD_TRAIN, false, received, NULL},
    {"interval_s", RECORD_INTERVAL, false, interval_s, NULL},
    {"layer", SUMS, true, format_fields_layer, NULL},
    {"filter", SUMS, true, format_fields_filter, NULL},
    {"timestamps", SUMS, true, timestamps, NULL},
    {"trains", SUMS, false, trains, NULL},
    {"usable", SUMS, false, format_fields_usable, NULL},
    {"packets", SUMS, false, format_fields_packets, NULL},
    {"lost", ALL, false, format_fields_lost, NULL},
    {"duplicate", SUMS, false, format_fields_duplicate, NULL},
    {"reordered", SUMS, false, format_fields_reordered, NULL},
    {"late", SUMS, false, format_fields_late, NULL},
    {"foreign", SUMS, false, format_fields_foreign, NULL},
    {"dropped_here", SUMS, false, format_fields_dropped_here, NULL},
    {"jitter_ns", SUMS, false, format_fields_jitter, NULL},
    {"dispersion_ns", RECORD_TRAIN, false, dispersion, NULL},
    {"departure_ns", RECORD_TRAIN, false, departure, NULL},
    {"delay_ns", RECORD_TRAIN, false, delay, NULL},
    {"rate_bps", RECORD_TRAIN, false, rate, NULL},
    {"verdict", RECORD_TRAIN, true, verdict, NULL},
    {"capacity_bps", ALL, false, format_fields_capacity_bps, NULL},
    {"low_bps", ALL, false, format_fields_low, NULL},
    {"high_bps", ALL, false, format_fields_high, NULL},
    {"state", ALL, true, state, NULL},
    {"peak_bps", SUMS, false, format_fields_peak, NULL},
    {"burst_bytes", SUMS, false, burst, NULL},
    {"adr_bps", SUMS, false, format_fields_adr, NULL},
    {"rate_p05_bps", SUMS, false, p05, NULL},
    {"rate_p50_bps", SUMS, false, p50, NULL},
    {"rate_p95_bps", SUMS, false, p95, NULL},
    {"time_to_converge_s", SUMS, false, time_to_converge, NULL},
    {"unlogged", SUMS, false, unlogged, NULL},
    {"refused_untagged", SUMS, false, untagged, NULL},
    {"refused_bad_tag", SUMS, false, bad_tag, NULL},
    {"refused_replayed", SUMS, false, replayed, NULL},
    {"refused_stale", SUMS, false, stale, NULL},
    {"refused_source", SUMS, false, unlisted, NULL},
    {"why", ALL, true, why, NULL},
    {"advice", ALL, true, advice, NULL},
    {"seen_bytes", ALL, false, format_fields_seen, NULL},
    {"schema", ALL, false, schema, NULL},
    {"share_bps", ALL, false, format_fields_share, NULL},
    {"flows", ALL, false, flows, NULL},
    {"policed_bps", ALL, false, format_fields_policed, NULL},
    {"policed_burst_bytes", ALL, false, policed_burst, NULL},
    {"refused_stranger", SUMS, false, stranger, NULL},
    {"refused_crowd", SUMS, false, crowd, NULL},
    {"refused_room", SUMS, false, room, NULL},
    {"refused_memory", SUMS, false, format_fields_memory, NULL},
    {"unshown", SUMS, false, format_fields_unshown, NULL},
    {"available_state", SUMS, true, available_state, NULL},
    {"available_bps", SUMS, false, format_fields_available, NULL},
    {"available_low_bps", SUMS, false, format_fields_available_low, NULL},
    {"available_high_bps", SUMS, false, format_fields_available_high, NULL},
    {"queue_ns", SUMS, false, format_fields_queue, NULL},
    {"queue_p95_ns", SUMS, false, format_fields_queue_p95, NULL},
    {"buffer_bytes", SUMS, false, format_fields_buffer, NULL},
    {"buffer_full", SUMS, false, buffer_full, NULL},
    {"lossless_train", SUMS, false, lossless_train, NULL},
    {"load_hops", RECORD_TRAIN, false, load_hops, NULL},
    {"hops_count", SUMS, false, hops_count, NULL},
    {"narrow_hop", SUMS, false, narrow_hop, NULL},
    {"narrow_hop_last", SUMS, false, narrow_hop_last, NULL},
    {"narrow_link_bps", SUMS, false, narrow_link, NULL},
    {"hops_why", SUMS, true, hops_why, NULL},
    {"file", ALL, true, NULL, file},
    {"file_last", SUMS, true, NULL, last_file},
    {"tight_hop", SUMS, false, tight_hop, NULL},
    {"tight_hop_last", SUMS, false, tight_hop_last, NULL},
    {"tight_link_bps", SUMS, false, tight_link, NULL},
    {"tight_why", SUMS, true, tight_why, NULL},
};

enum { FIELDS = sizeof fields / sizeof fields[0] };

static bool put_outside(struct line *line, const char *text, void (*add)(struct line *line, const char *text))
{
    if (text != NULL)
        add(line, text);
    return text != NULL;
}

/* No value of our own holds a character that JSON or CSV would want escaped. */
static void format_fields_json_value(struct line *line, const struct field *field,
                                     const struct record *record)
{
    size_t before = line->bytes;

    line_add_text(line, field->text ? "\"" : "");
    if (field->outside != NULL ? put_outside(line, field->outside(record), line_add_json)
                               : field->put(line, record)) {
        line_add_text(line, field->text ? "\"" : "");
    } else {
        line->bytes = before;
        line_add_text(line, "null");
    }
}

/* The arrival curve, in the order of arrival. */
static void json_packets(struct line *line, const struct pprec_train *train)
{
    struct pprec_packet packet;

    line_add_text(line, ",\"positions\":[");
    for (uint32_t i = 0; pprec_train_packet(train, i, &packet) == PPREC_OK; i++) {
        line_add_text(line, i > 0 ? "," : "");
        format_fields_put_count(line, packet.position);
    }
    line_add_text(line, "],\"offsets_ns\":[");
    for (uint32_t i = 0; pprec_train_packet(train, i, &packet) == PPREC_OK; i++) {
        line_add_text(line, i > 0 ? "," : "");
        format_fields_put_ns(line, packet.offset_ns);
    }
    line_add_text(line, "]");
}

static void json_record(struct line *line, const struct record *record)
{
    const char *separator = "{\"";

    for (size_t i = 0; i < FIELDS; i++) {
        if (!(fields[i].kinds & record->kind))
            continue;
        line_add_text(line, separator);
        line_add_text(line, fields[i].key);
        line_add_text(line, "\":");
        format_fields_json_value(line, &fields[i], record);
        separator = ",\"";
    }
    if (record->kind == RECORD_TRAIN && record->run->packets)
        json_packets(line, record->train);
    if (record->hops != NULL)
        hops_add_json(line, record->hops);
    else if (record->kind & SUMS)
        line_add_text(line, ",\"hops\":null");
    line_add_text(line, "}");
}

static void csv_head(struct line *line, const struct format_run *run)
{
    (void)run;
    for (size_t i = 0; i < FIELDS; i++)
        line_add(line, "%s%s", i > 0 ? "," : "", fields[i].key);
}

static void csv_record(struct line *line, const struct record *record)
{
    for (size_t i = 0; i < FIELDS; i++) {
        line_add(line, i > 0 ? "," : "");
        if (!(fields[i].kinds & record->kind))
            continue;
        if (fields[i].outside != NULL)
            put_outside(line, fields[i].outside(record), line_add_csv);
        else
            fields[i].put(line, record);
    }
}

const struct format format_json = {.record = json_record};
const struct format format_csv = {.head = csv_head, .record = csv_record};

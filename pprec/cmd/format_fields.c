/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON Lines and CSV from one table of fields. Keys are a contract: new ones may
 * come, none may go or change. */
#include "pprec/cmd/format.h"

#include <stdbool.h>

enum { ALL = RECORD_TRAIN | RECORD_INTERVAL | RECORD_SUMMARY, SUMS = RECORD_INTERVAL | RECORD_SUMMARY };

/* Writes the value; false when it is unknown, and nothing is written. */
struct field {
    const char *key;
    unsigned kinds;
    bool text; /* quoted in JSON */
    bool (*put)(struct line *line, const struct record *record);
};

static bool put_rate(struct line *line, double bps)
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

static bool put_ns(struct line *line, int64_t ns)
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

static bool put_count(struct line *line, uint64_t count)
{
    line_add_count(line, count);
    return true;
}

/* NULL: unknown */
static bool put_text(struct line *line, const char *text)
{
    if (text != NULL)
        line_add_text(line, text);
    return text != NULL;
}

/* What trains and summaries both tell. */
#define OF(r, field) \
    (*((r)->kind == RECORD_TRAIN ? &(r)->train->field : &(r)->summary->field))

/* A field is a name, and an expression of the record r in one of the forms. */
#define PUT(name, form, value)                                            \
    static bool name(struct line *line, const struct record *r)           \
    {                                                                     \
        return form(line, value);                                         \
    }

PUT(why, put_text, pprec_why_name(OF(r, capacity.why)))
PUT(advice, put_text, pprec_advice_name(OF(r, capacity.advice)))
PUT(seen, put_known, OF(r, capacity.seen_bytes))
PUT(verdict, put_text, pprec_verdict_name(r->train->verdict))
PUT(state, put_text, pprec_state_name(OF(r, capacity).state))
PUT(kind, put_text, pprec_kind_name(r->summary->kind))
PUT(layer, put_text, r->run->layer)
PUT(filter, put_text, r->run->filter)
PUT(timestamps, put_text, pprec_timestamps_name(r->summary->timestamps))
PUT(train_number, put_count, r->train->train)
PUT(size, put_count, r->train->size_bytes)
PUT(sent, put_count, r->train->sent)
PUT(received, put_count, r->train->received)
PUT(dispersion, put_ns, r->train->dispersion_ns)
PUT(departure, put_ns, r->train->departure_span_ns)
PUT(delay, put_ns, r->train->delay_ns)
PUT(rate, put_rate, r->train->rate_bps)
PUT(trains, put_count, r->summary->counts.trains)
PUT(usable, put_count, r->summary->counts.usable)
PUT(packets, put_count, r->summary->counts.packets)
PUT(duplicate, put_count, r->summary->counts.duplicate)
PUT(reordered, put_count, r->summary->counts.reordered)
PUT(late, put_count, r->summary->counts.late)
PUT(foreign, put_count, r->summary->foreign)
PUT(dropped_here, put_count, r->summary->dropped_here)
PUT(unlogged, put_count, r->run->unlogged)
PUT(unshown, put_count, r->run->unshown)
PUT(jitter, put_ns, r->summary->jitter_ns)
PUT(capacity_bps, put_rate, OF(r, capacity).capacity_bps)
PUT(low, put_rate, OF(r, capacity).low_bps)
PUT(high, put_rate, OF(r, capacity).high_bps)
PUT(peak, put_rate, OF(r, capacity).peak_bps)
PUT(burst, put_bytes, OF(r, capacity).burst_bytes)
PUT(share, put_rate, OF(r, capacity).share_bps)
PUT(flows, put_known, OF(r, capacity).flows)
PUT(policed, put_rate, OF(r, capacity).policed_bps)
PUT(policed_burst, put_bytes, OF(r, capacity).policed_burst_bytes)
PUT(adr, put_rate, r->summary->adr_bps)
PUT(p05, put_rate, r->summary->rate_p05_bps)
PUT(p50, put_rate, r->summary->rate_p50_bps)
PUT(p95, put_rate, r->summary->rate_p95_bps)

static bool type(struct line *line, const struct record *r)
{
    return put_text(line, r->kind == RECORD_TRAIN ? "train"
                          : r->kind == RECORD_INTERVAL ? "interval" : "summary");
}

/* It grows when keys are added. */
static bool schema(struct line *line, const struct record *r)
{
    (void)r;
    return put_count(line, 3);
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
    return put_text(line, text);
}

static bool destination(struct line *line, const struct record *r)
{
    char text[64];

    if (r->summary->destination.ip == 0)
        return false;
    pprec_endpoint_text(&r->summary->destination, text, sizeof text);
    return put_text(line, text);
}

static bool stream(struct line *line, const struct record *r)
{
    line_add_hex(line, OF(r, stream));
    return true;
}

static bool lost(struct line *line, const struct record *r)
{
    return put_count(line, r->kind == RECORD_TRAIN ? r->train->sent - r->train->received
                                                   : r->summary->counts.lost);
}

static bool time_to_converge(struct line *line, const struct record *r)
{
    int64_t ns = r->summary->time_to_converge_ns;

    if (ns != PPREC_UNKNOWN_NS)
        line_add(line, "%.3f", (double)ns / 1e9);
    return ns != PPREC_UNKNOWN_NS;
}

static uint64_t refused(const struct record *r, enum pprec_reason reason)
{
    return r->run->pprec != NULL ? pprec_refused(r->run->pprec, reason) : 0;
}

PUT(untagged, put_count, refused(r, PPREC_REASON_UNTAGGED))
PUT(bad_tag, put_count, refused(r, PPREC_REASON_BAD_TAG))
PUT(replayed, put_count, refused(r, PPREC_REASON_REPLAYED))
PUT(stale, put_count, refused(r, PPREC_REASON_STALE))
PUT(unlisted, put_count, refused(r, PPREC_REASON_SOURCE))
PUT(stranger, put_count, refused(r, PPREC_REASON_STRANGER))
PUT(crowd, put_count, refused(r, PPREC_REASON_CROWD))
PUT(room, put_count, refused(r, PPREC_REASON_ROOM))
PUT(memory, put_count, refused(r, PPREC_REASON_MEMORY))

static const struct field fields[] = {
    {"type", ALL, true, type},
    {"time", ALL, false, time_s},
    {"source", ALL, true, source},
    {"stream", ALL, true, stream},
    {"destination", SUMS, true, destination},
    {"kind", SUMS, true, kind},
    {"train", RECORD_TRAIN, false, train_number},
    {"size", RECORD_TRAIN, false, size},
    {"sent", RECORD_TRAIN, false, sent},
    {"received", RECORD_TRAIN, false, received},
    {"interval_s", RECORD_INTERVAL, false, interval_s},
    {"layer", SUMS, true, layer},
    {"filter", SUMS, true, filter},
    {"timestamps", SUMS, true, timestamps},
    {"trains", SUMS, false, trains},
    {"usable", SUMS, false, usable},
    {"packets", SUMS, false, packets},
    {"lost", ALL, false, lost},
    {"duplicate", SUMS, false, duplicate},
    {"reordered", SUMS, false, reordered},
    {"late", SUMS, false, late},
    {"foreign", SUMS, false, foreign},
    {"dropped_here", SUMS, false, dropped_here},
    {"jitter_ns", SUMS, false, jitter},
    {"dispersion_ns", RECORD_TRAIN, false, dispersion},
    {"departure_ns", RECORD_TRAIN, false, departure},
    {"delay_ns", RECORD_TRAIN, false, delay},
    {"rate_bps", RECORD_TRAIN, false, rate},
    {"verdict", RECORD_TRAIN, true, verdict},
    {"capacity_bps", ALL, false, capacity_bps},
    {"low_bps", ALL, false, low},
    {"high_bps", ALL, false, high},
    {"state", ALL, true, state},
    {"peak_bps", SUMS, false, peak},
    {"burst_bytes", SUMS, false, burst},
    {"adr_bps", SUMS, false, adr},
    {"rate_p05_bps", SUMS, false, p05},
    {"rate_p50_bps", SUMS, false, p50},
    {"rate_p95_bps", SUMS, false, p95},
    {"time_to_converge_s", SUMS, false, time_to_converge},
    {"unlogged", SUMS, false, unlogged},
    {"refused_untagged", SUMS, false, untagged},
    {"refused_bad_tag", SUMS, false, bad_tag},
    {"refused_replayed", SUMS, false, replayed},
    {"refused_stale", SUMS, false, stale},
    {"refused_source", SUMS, false, unlisted},
    {"why", ALL, true, why},
    {"advice", ALL, true, advice},
    {"seen_bytes", ALL, false, seen},
    {"schema", ALL, false, schema},
    {"share_bps", ALL, false, share},
    {"flows", ALL, false, flows},
    {"policed_bps", ALL, false, policed},
    {"policed_burst_bytes", ALL, false, policed_burst},
    {"refused_stranger", SUMS, false, stranger},
    {"refused_crowd", SUMS, false, crowd},
    {"refused_room", SUMS, false, room},
    {"refused_memory", SUMS, false, memory},
    {"unshown", SUMS, false, unshown},
};

enum { FIELDS = sizeof fields / sizeof fields[0] };

/* No value holds a character that JSON or CSV would want escaped. */
static void json_value(struct line *line, const struct field *field, const struct record *record)
{
    size_t before = line->bytes;

    line_add_text(line, field->text ? "\"" : "");
    if (field->put(line, record)) {
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
        put_count(line, packet.position);
    }
    line_add_text(line, "],\"offsets_ns\":[");
    for (uint32_t i = 0; pprec_train_packet(train, i, &packet) == PPREC_OK; i++) {
        line_add_text(line, i > 0 ? "," : "");
        put_ns(line, packet.offset_ns);
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
        json_value(line, &fields[i], record);
        separator = ",\"";
    }
    if (record->kind == RECORD_TRAIN && record->run->packets)
        json_packets(line, record->train);
    line_add_text(line, "}");
}

static void csv_head(struct line *line, const struct run *run)
{
    (void)run;
    for (size_t i = 0; i < FIELDS; i++)
        line_add(line, "%s%s", i > 0 ? "," : "", fields[i].key);
}

static void csv_record(struct line *line, const struct record *record)
{
    for (size_t i = 0; i < FIELDS; i++) {
        line_add(line, i > 0 ? "," : "");
        if (fields[i].kinds & record->kind)
            fields[i].put(line, record);
    }
}

const struct format format_json = {.record = json_record};
const struct format format_csv = {.head = csv_head, .record = csv_record};

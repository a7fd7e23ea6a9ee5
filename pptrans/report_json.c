/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_json.h"

#include <inttypes.h>

/* Interface names may hold anything but blanks and slashes. */
static void put_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, ",\"%s\":\"", key);
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\' || (unsigned char)*at < 0x20 || (unsigned char)*at >= 0x7f)
            fprintf(out, "\\u%04x", (unsigned)(unsigned char)*at);
        else
            fputc(*at, out);
    }
    fputc('"', out);
}

static void put_count(FILE *out, const char *key, uint64_t count)
{
    fprintf(out, ",\"%s\":%" PRIu64, key, count);
}

static void put_ns(FILE *out, const char *key, bool known, int64_t ns)
{
    if (known)
        fprintf(out, ",\"%s\":%" PRId64, key, ns);
    else
        fprintf(out, ",\"%s\":null", key);
}

static void put_rate(FILE *out, const char *key, double bps)
{
    if (bps > 0)
        fprintf(out, ",\"%s\":%.0f", key, bps);
    else
        fprintf(out, ",\"%s\":null", key);
}

static void put_time(FILE *out, int64_t ns)
{
    struct timespec time = stamp_to_timespec(ns);

    fprintf(out, ",\"time\":%lld.%09ld", (long long)time.tv_sec, time.tv_nsec);
}

static void put_stream(FILE *out, uint32_t stream)
{
    fprintf(out, ",\"stream\":\"%08x\"", stream);
}

void report_json_start(FILE *out, const struct plan *plan, const struct report_start *start)
{
    char layer[12];

    fputs("{\"type\":\"start\"", out);
    put_text(out, "version", start->version);
    put_text(out, "to", start->to);
    put_text(out, "device", start->device);
    put_stream(out, start->stream);
    put_text(out, "format", plan->classic ? "classic" : "1");
    put_text(out, "layer", layer_name(&plan->layer, layer));
    put_count(out, "size", plan->train.size_bytes);
    put_count(out, "payload", plan->train.payload_bytes);
    put_count(out, "length", plan_longest(plan));
    fprintf(out, ",\"mix\":%s,\"delay_ms\":%.10g", plan->mix ? "true" : "false", plan->delay_ms);
    if (plan->mix)
        fprintf(out, ",\"start_trains\":%d,\"start_delay_ms\":%.10g", PLAN_START,
                plan->start_delay_ms);
    put_text(out, "spacing", start->spacing);
    put_rate(out, "load_bps", plan_load_bps(plan, &plan->layer));
    put_text(out, "send", start->segment ? "gso" : "mmsg");
    put_text(out, "reason", start->reason);
    put_text(out, "timestamps", start->stamped ? "kernel" : "none");
    fputs("}\n", out);
}

void report_json_train(FILE *out, const struct flight *flight,
                       const struct flight_spread *spread)
{
    bool gaps = spread->gaps > 0;

    fputs("{\"type\":\"train\"", out);
    put_time(out, flight->handed_ns);
    put_count(out, "train", flight->train);
    put_count(out, "payload", flight->payload_bytes);
    put_count(out, "packets", flight->packets);
    put_count(out, "refused", flight->failed);
    put_ns(out, "handover_ns", spread->known, flight->stamp_ns[0] - flight->handed_ns);
    put_ns(out, "departure_ns", spread->known, spread->span_ns);
    put_ns(out, "gap_least_ns", gaps, spread->least_ns);
    put_ns(out, "gap_median_ns", gaps, spread->median_ns);
    put_ns(out, "gap_most_ns", gaps, spread->most_ns);
    fputs("}\n", out);
}

static void put_failures(FILE *out, const struct burst_failures *failures)
{
    fputs(",\"reasons\":[", out);
    for (size_t i = 0; i < BURST_REASONS && failures->reasons[i].packets > 0; i++) {
        fprintf(out, "%s{\"errno\":%d", i > 0 ? "," : "", failures->reasons[i].number);
        put_text(out, "text", report_reason(failures->reasons[i].number));
        put_count(out, "packets", failures->reasons[i].packets);
        fputc('}', out);
    }
    fputc(']', out);
}

void report_json_totals(FILE *out, const struct plan *plan, const struct report_totals *totals,
                        const struct burst_failures *failures)
{
    int64_t median_ns = gaps_median_ns(&totals->gaps);

    fputs("{\"type\":\"totals\"", out);
    put_stream(out, totals->stream);
    put_count(out, "trains", totals->trains);
    put_count(out, "packets", totals->packets);
    put_count(out, "refused", totals->refused);
    put_failures(out, failures);
    put_count(out, "bytes", totals->bytes);
    fprintf(out, ",\"seconds\":%.6f", (double)(totals->last_ns - totals->first_ns) / 1e9);
    put_rate(out, "load_bps", report_average_bps(totals));
    put_count(out, "departures_known", totals->known);
    put_count(out, "unstamped", totals->unstamped);
    fprintf(out, ",\"refused_segments\":%s", totals->refused_segments ? "true" : "false");
    put_ns(out, "gap_least_ns", median_ns >= 0, totals->gaps.least_ns);
    put_ns(out, "gap_median_ns", median_ns >= 0, median_ns);
    put_rate(out, "pairs_bps", report_sent_bps(totals, REPORT_PAIRS, plan->train.size_bytes));
    put_rate(out, "trains_bps", report_sent_bps(totals, REPORT_TRAINS, plan->train.size_bytes));
    put_count(out, "slow_trains", report_slow_trains(totals));
    fputs("}\n", out);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_json.h"

#include <inttypes.h>

/* Interface names may hold anything but blanks and slashes. */
static void report_json_put_text(FILE *out, const char *key, const char *text)
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

static void report_json_put_count(FILE *out, const char *key, uint64_t count)
{
    fprintf(out, ",\"%s\":%" PRIu64, key, count);
}

static void report_json_put_ns(FILE *out, const char *key, bool known, int64_t ns)
{
    if (known)
        fprintf(out, ",\"%s\":%" PRId64, key, ns);
    else
        fprintf(out, ",\"%s\":null", key);
}

static void report_json_put_rate(FILE *out, const char *key, double bps)
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

static void report_json_put_stream(FILE *out, uint32_t stream)
{
    fprintf(out, ",\"stream\":\"%08x\"", stream);
}

/* In the order of enum plan_pattern. */
static const char *const patterns[] = {"alike", "mix", "available", "locate", "tight"};

/* What a pattern has beside the mix. */
static void put_pattern(FILE *out, const struct plan *plan)
{
    if (plan_paces(plan)) {
        report_json_put_rate(out, "low_bps", plan->ladder.low_bps);
        report_json_put_rate(out, "high_bps", plan->ladder.high_bps);
        fputs(",\"rungs_bps\":[", out);
        for (uint32_t i = 0; i < plan->ladder.rungs; i++)
            fprintf(out, "%s%.0f", i > 0 ? "," : "", ladder_bps(&plan->ladder, i));
        fputc(']', out);
        report_json_put_count(out, "paced_length", 1U << plan->paced_log2);
        fprintf(out, ",\"lasting_ms\":%.10g", plan->lasting_ms);
    }
    if (plan_locates(plan)) {
        report_json_put_count(out, "hop_from", plan->hop_from);
        report_json_put_count(out, "hop_to", plan->hop_to);
        report_json_put_count(out, "marker_hops", plan->marker_hops);
        report_json_put_count(out, "marker_size", plan->marker_size_bytes);
        report_json_put_count(out, "sparse_length", plan->sparse_length);
        report_json_put_count(out, "dense_length", 1U << plan->dense_log2);
    }
    if (plan_round_s(plan) > 0)
        fprintf(out, ",\"round_s\":%.10g", plan_round_s(plan));
}

void report_json_start(FILE *out, const struct plan *plan, const struct report_start *start)
{
    char layer[12];

    fputs("{\"type\":\"start\"", out);
    report_json_put_text(out, "version", start->version);
    report_json_put_text(out, "to", start->to);
    report_json_put_text(out, "device", start->device);
    report_json_put_stream(out, start->stream);
    report_json_put_text(out, "format", plan->classic ? "classic" : "1");
    report_json_put_text(out, "layer", layer_name(&plan->layer, layer));
    report_json_put_count(out, "size", plan->train.size_bytes);
    report_json_put_count(out, "payload", plan->train.payload_bytes);
    report_json_put_count(out, "length", plan_longest(plan));
    report_json_put_text(out, "pattern", patterns[plan->pattern]);
    fprintf(out, ",\"mix\":%s,\"delay_ms\":%.10g", plan_mixes(plan) ? "true" : "false", plan->delay_ms);
    if (plan_start(plan) > 0)
        fprintf(out, ",\"start_trains\":%u,\"start_delay_ms\":%.10g", plan_start(plan), plan->start_delay_ms);
    put_pattern(out, plan);
    report_json_put_text(out, "spacing", start->spacing);
    report_json_put_rate(out, "load_bps", plan_load_bps(plan, &plan->layer));
    report_json_put_text(out, "send", start->segment ? "gso" : "mmsg");
    report_json_put_text(out, "reason", start->reason);
    report_json_put_text(out, "timestamps", start->stamped ? "kernel" : "none");
    fputs("}\n", out);
}

void report_json_train(FILE *out, const struct plan *plan, const struct plan_shape *shape,
                       const struct flight *flight, const struct flight_spread *spread)
{
    bool gaps = spread->gaps > 0, stamped = spread->known && flight->stamp_ns[0] != 0;

    fputs("{\"type\":\"train\"", out);
    put_time(out, flight->handed_ns);
    report_json_put_count(out, "train", flight->train);
    report_json_put_count(out, "payload", flight->payload_bytes);
    report_json_put_count(out, "packets", flight->packets);
    report_json_put_count(out, "refused", flight->failed);
    if (flight->unsent > 0)
        report_json_put_count(out, "unsent", flight->unsent);
    if (shape->gap_ns > 0) {
        report_json_put_rate(out, "paced_bps", ladder_bps(&plan->ladder, shape->rung));
        report_json_put_rate(out, "left_bps", spread->known ? report_left_bps(shape, spread->span_ns) : 0);
    }
    if (shape->load_hops > 0)
        report_json_put_count(out, "load_hops", shape->load_hops);
    report_json_put_ns(out, "handover_ns", stamped, flight->stamp_ns[0] - flight->handed_ns);
    report_json_put_ns(out, "departure_ns", spread->known, spread->span_ns);
    report_json_put_ns(out, "gap_least_ns", gaps, spread->least_ns);
    report_json_put_ns(out, "gap_median_ns", gaps, spread->median_ns);
    report_json_put_ns(out, "gap_most_ns", gaps, spread->most_ns);
    fputs("}\n", out);
}

static void put_failures(FILE *out, const struct burst_failures *failures)
{
    fputs(",\"reasons\":[", out);
    for (size_t i = 0; i < BURST_REASONS && failures->reasons[i].packets > 0; i++) {
        fprintf(out, "%s{\"errno\":%d", i > 0 ? "," : "", failures->reasons[i].number);
        report_json_put_text(out, "text", report_reason(failures->reasons[i].number));
        report_json_put_count(out, "packets", failures->reasons[i].packets);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_rungs(FILE *out, const struct plan *plan, const struct report_totals *totals)
{
    const char *comma = "";

    fputs(",\"rungs\":[", out);
    for (uint32_t i = 0; i < plan->ladder.rungs; i++) {
        const struct report_rung *rung = &totals->rungs[i];

        if (rung->trains == 0)
            continue;
        fprintf(out, "%s{\"trains\":%" PRIu64, comma, rung->trains);
        report_json_put_rate(out, "paced_bps", ladder_bps(&plan->ladder, i));
        report_json_put_rate(out, "left_bps", report_rung_bps(rung));
        report_json_put_rate(out, "left_least_bps", rung->least_bps);
        report_json_put_rate(out, "left_most_bps", rung->most_bps);
        fputc('}', out);
        comma = ",";
    }
    fputc(']', out);
}

void report_json_totals(FILE *out, const struct plan *plan, const struct report_totals *totals,
                        const struct burst_failures *failures)
{
    int64_t median_ns = gaps_median_ns(&totals->gaps);

    fputs("{\"type\":\"totals\"", out);
    report_json_put_stream(out, totals->stream);
    report_json_put_count(out, "trains", totals->trains);
    report_json_put_count(out, "packets", totals->packets);
    report_json_put_count(out, "refused", totals->refused);
    put_failures(out, failures);
    if (plan_paces(plan))
        report_json_put_count(out, "unsent", totals->unsent);
    report_json_put_count(out, "bytes", totals->bytes);
    fprintf(out, ",\"seconds\":%.6f", (double)(totals->last_ns - totals->first_ns) / 1e9);
    report_json_put_rate(out, "load_bps", report_average_bps(totals));
    report_json_put_count(out, "departures_known", totals->known);
    report_json_put_count(out, "unstamped", totals->unstamped);
    fprintf(out, ",\"refused_segments\":%s", totals->refused_segments ? "true" : "false");
    report_json_put_ns(out, "gap_least_ns", median_ns >= 0, totals->gaps.least_ns);
    report_json_put_ns(out, "gap_median_ns", median_ns >= 0, median_ns);
    report_json_put_rate(out, "pairs_bps", report_sent_bps(totals, REPORT_PAIRS, plan->train.size_bytes));
    report_json_put_rate(out, "trains_bps", report_sent_bps(totals, REPORT_TRAINS, plan->train.size_bytes));
    report_json_put_count(out, "slow_trains", report_slow_trains(totals));
    if (plan_paces(plan))
        put_rungs(out, plan, totals);
    fputs("}\n", out);
}

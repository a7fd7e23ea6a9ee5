/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay_report.h"

#include <inttypes.h>

enum { SUB_BITS = 5, SUB_BUCKETS = 1 << SUB_BITS };

/* Below 32 ns one bucket a nanosecond, above it 32 an octave. */
static unsigned relay_report_bucket_of(uint64_t value)
{
    unsigned shift = 0;
    while (value >> shift >= 2 * SUB_BUCKETS)
        shift++;
    return shift * SUB_BUCKETS + (unsigned)(value >> shift);
}

static int64_t bucket_end_ns(unsigned bucket)
{
    if (bucket < 2 * SUB_BUCKETS)
        return bucket;
    unsigned shift = bucket / SUB_BUCKETS - 1;
    return (int64_t)(((uint64_t)(bucket % SUB_BUCKETS) + SUB_BUCKETS + 1) << shift) - 1;
}

void histogram_add(struct histogram *histogram, int64_t value_ns)
{
    uint64_t value = value_ns > 0 ? (uint64_t)value_ns : 0;
    histogram->buckets[relay_report_bucket_of(value)]++;
    histogram->count++;
    if (value_ns > histogram->max_ns)
        histogram->max_ns = value_ns;
}

int64_t histogram_quantile_ns(const struct histogram *histogram, double share)
{
    uint64_t wanted = (uint64_t)((double)histogram->count * share), seen = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += histogram->buckets[i];
        if (seen > wanted)
            return bucket_end_ns(i) < histogram->max_ns ? bucket_end_ns(i) : histogram->max_ns;
    }
    return histogram->max_ns;
}

static void write_count(FILE *out, const char *key, uint64_t value)
{
    fprintf(out, ",\"%s\":%" PRIu64, key, value);
}

static void relay_report_write_histogram(FILE *out, const char *key, const struct histogram *histogram)
{
    fprintf(out, ",\"%s_p50_ns\":%" PRId64 ",\"%s_p99_ns\":%" PRId64 ",\"%s_max_ns\":%" PRId64, key,
            histogram_quantile_ns(histogram, 0.50), key, histogram_quantile_ns(histogram, 0.99), key,
            histogram->max_ns);
}

void report_write(const struct report *report, FILE *out)
{
    const struct path_counts *counts = report->counts;
    fprintf(out, "{\"type\":\"relay\"");
    write_count(out, "seed", report->config->seed);
    write_count(out, "rate_bps", report->config->link.rate_bps);
    write_count(out, "service_bps", report->service_bps);
    write_count(out, "access_ns", (uint64_t)report->access_ns);
    write_count(out, "flows", report->flows);
    write_count(out, "received", counts->received);
    write_count(out, "forwarded", counts->forwarded);
    write_count(out, "dropped_loss", counts->dropped_loss);
    write_count(out, "dropped_policed", counts->dropped_policed);
    write_count(out, "dropped_queue", counts->dropped_queue);
    write_count(out, "duplicated", counts->duplicated);
    write_count(out, "dropped_copies", counts->dropped_copies);
    write_count(out, "held", counts->held);
    write_count(out, "reordered", counts->reordered);
    write_count(out, "cross_received", counts->cross_received);
    write_count(out, "cross_forwarded", counts->cross_forwarded);
    write_count(out, "cross_policed", counts->cross_policed);
    write_count(out, "cross_dropped", counts->cross_dropped);
    write_count(out, "passed_ab", report->passed_ab);
    write_count(out, "passed_ba", report->passed_ba);
    write_count(out, "inside", report->inside);
    write_count(out, "dropped_ring", report->dropped_ring);
    write_count(out, "dropped_pool", report->dropped_pool);
    write_count(out, "refused", report->refused);
    write_count(out, "oversize", report->oversize);
    fprintf(out, ",\"realtime\":%s", report->realtime ? "true" : "false");
    relay_report_write_histogram(out, "start", &report->start);
    relay_report_write_histogram(out, "late", &report->late);
    relay_report_write_histogram(out, "gap_error", &report->gap_error);
    fprintf(out, "}\n");
}

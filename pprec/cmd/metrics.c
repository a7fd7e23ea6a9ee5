/* SPDX-License-Identifier: BSD-3-Clause */
#include "metrics.h"

#include "common/stamp.h"
#include "pprec/cmd/each.h"
#include "pprec/cmd/line.h"
#include "pprec/cmd/process.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { LABELS_BYTES = 128 };

/* A stream that is shown. */
struct row {
    struct pprec_summary summary;
    const struct tally_place *place;
    char labels[LABELS_BYTES]; /* source="...",stream="..." */
};

struct page {
    const struct metrics *metrics;
    struct evbuffer *text;
    struct pprec_totals totals;
    size_t count;
    struct row rows[TALLY_PLACES];
};

void metrics_escape(struct evbuffer *page, const char *text)
{
    size_t plain;

    for (; *text != '\0'; text += plain) {
        plain = strcspn(text, "\\\"\n");
        evbuffer_add(page, text, plain);
        if (text[plain] == '\0')
            return;
        evbuffer_add_printf(page, "\\%c", text[plain] == '\n' ? 'n' : text[plain]);
        plain++;
    }
}

static void metrics_begin(struct page *page, const char *name, const char *type, const char *help)
{
    evbuffer_add_printf(page->text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* With 15 digits counts are whole, and times of these years are exact to a microsecond. */
static void sample(struct page *page, const char *name, const struct row *row, double value)
{
    if (isfinite(value))
        evbuffer_add_printf(page->text, "%s{%s} %.15g\n", name, row->labels, value);
}

/* --- One value a stream --- */

static double metrics_known(double value)
{
    return line_known(value) ? value : NAN;
}

static double seconds(int64_t ns)
{
    return ns != PPREC_UNKNOWN_NS ? (double)ns / (double)STAMP_NS_PER_S : NAN;
}

#define VALUE(name, expression)                                                                              \
    static double name(const struct pprec_summary *s)                                                        \
    {                                                                                                        \
        return expression;                                                                                   \
    }

static double numbered(const struct pprec_summary *s, uint64_t count)
{
    return format_is_numbered(s->kind) ? (double)count : NAN;
}

/* A bound is no capacity, and must not be in a maximum or a mean of capacities. */
static double unless_bound(const struct pprec_summary *s, double value)
{
    return format_is_bound(&s->capacity) ? NAN : metrics_known(value);
}

VALUE(capacity, unless_bound(s, s->capacity.capacity_bps))
VALUE(metrics_low, unless_bound(s, s->capacity.low_bps))
VALUE(metrics_high, unless_bound(s, s->capacity.high_bps))
VALUE(metrics_bound, format_is_bound(&s->capacity) ? metrics_known(s->capacity.capacity_bps) : NAN)
VALUE(metrics_peak, metrics_known(s->capacity.peak_bps))
VALUE(bucket, metrics_known(s->capacity.burst_bytes))
VALUE(metrics_share, metrics_known(s->capacity.share_bps))
VALUE(others, metrics_known(s->capacity.flows))
VALUE(metrics_policed, metrics_known(s->capacity.policed_bps))
VALUE(policed_bucket, metrics_known(s->capacity.policed_burst_bytes))
VALUE(metrics_seen, metrics_known(s->capacity.seen_bytes))
/* A link that is full has 0 free: that is known. */
static double free_of(const struct pprec_summary *s, bool bound, double bps)
{
    return s->available.state != PPREC_AVAILABLE_UNKNOWN
            && (s->available.state == PPREC_AVAILABLE_AT_LEAST) == bound
        ? bps
        : NAN;
}

VALUE(metrics_available, free_of(s, false, s->available.available_bps))
VALUE(metrics_available_low, free_of(s, false, s->available.low_bps))
VALUE(metrics_available_high, free_of(s, false, s->available.high_bps))
VALUE(available_bound, free_of(s, true, s->available.available_bps))
VALUE(metrics_queue, seconds(s->available.queue_ns))
VALUE(metrics_queue_p95, seconds(s->available.queue_p95_ns))
VALUE(buffer_seen, metrics_known(s->available.buffer_bytes))
VALUE(lossless, metrics_known(s->available.lossless_train))
VALUE(metrics_adr, metrics_known(s->adr_bps))
VALUE(metrics_jitter, seconds(s->jitter_ns))
VALUE(converged, seconds(s->time_to_converge_ns))
VALUE(last_arrival, seconds(s->last_ns))
VALUE(metrics_usable, (double)s->counts.usable)
VALUE(metrics_packets, (double)s->counts.packets)
VALUE(metrics_lost, numbered(s, s->counts.lost))
VALUE(metrics_duplicate, numbered(s, s->counts.duplicate))
VALUE(metrics_reordered, numbered(s, s->counts.reordered))
VALUE(metrics_late, numbered(s, s->counts.late))

static const struct {
    const char *name, *type, *help;
    double (*value)(const struct pprec_summary *summary); /* NAN: unknown */
} stream_values[] = {
    {"pprec_capacity_bps", "gauge",
     "Estimated capacity of the narrow link; how far to trust it, pprec_state tells.", capacity},
    {"pprec_capacity_low_bps", "gauge", "Lower end of the estimate's interval.", metrics_low},
    {"pprec_capacity_high_bps", "gauge", "Upper end of the estimate's interval.", metrics_high},
    {"pprec_lower_bound_bps", "gauge", "What the narrow link has at least, where its capacity is not known.",
     metrics_bound},
    {"pprec_peak_bps", "gauge", "Rate at which trains begin where the path is shaped by a token bucket.",
     metrics_peak},
    {"pprec_bucket_bytes", "gauge", "Size of that token bucket.", bucket},
    {"pprec_share_bps", "gauge", "What a long train got of the capacity under fair queueing.", metrics_share},
    {"pprec_other_flows", "gauge", "Flows beside the stream's among which the queue is fair.", others},
    {"pprec_policed_bps", "gauge", "Rate that lasts where a policer drops packets.", metrics_policed},
    {"pprec_policed_bucket_bytes", "gauge", "Size of the policer's bucket.", policed_bucket},
    {"pprec_seen_bytes", "gauge", "Most that came of one train, without what it lost.", metrics_seen},
    {"pprec_available_bps", "gauge",
     "What is free of the narrow link; how far to trust it, pprec_available_state tells.", metrics_available},
    {"pprec_available_low_bps", "gauge", "Lower end of its interval.", metrics_available_low},
    {"pprec_available_high_bps", "gauge", "Upper end of its interval.", metrics_available_high},
    {"pprec_available_lower_bound_bps", "gauge", "What is free at least, where how much more is not known.",
     available_bound},
    {"pprec_queue_seconds", "gauge", "One-way delay of first packets over its floor: median.", metrics_queue},
    {"pprec_queue_p95_seconds", "gauge", "The same: 95th percentile.", metrics_queue_p95},
    {"pprec_buffer_bytes", "gauge", "Greatest queue seen at the narrow link.", buffer_seen},
    {"pprec_lossless_train_packets", "gauge",
     "Packets of the longest train that lost none, or that a longer one began with.", lossless},
    {"pprec_dispersion_rate_bps", "gauge", "Asymptotic dispersion rate: over trains of 8 packets and more.",
     metrics_adr},
    {"pprec_jitter_seconds", "gauge", "Interarrival jitter (RFC 3550) of first packets.", metrics_jitter},
    {"pprec_time_to_converge_seconds", "gauge", "From the first packet to the first sure estimate.",
     converged},
    {"pprec_last_arrival_timestamp_seconds", "gauge", "When the last packet arrived, since 1970.",
     last_arrival},
    {"pprec_trains_usable_total", "counter", "Trains whose rate went into the estimate.", metrics_usable},
    {"pprec_packets_total", "counter", "Packets that arrived, in time or late.", metrics_packets},
    {"pprec_packets_lost_total", "counter", "Packets that never arrived in time.", metrics_lost},
    {"pprec_packets_duplicate_total", "counter", "Further copies of packets.", metrics_duplicate},
    {"pprec_packets_reordered_total", "counter", "Packets that came after a later one.", metrics_reordered},
    {"pprec_packets_late_total", "counter", "Packets whose train was done with.", metrics_late},
};

static void write_stream_values(struct page *page)
{
    for (size_t i = 0; i < sizeof stream_values / sizeof stream_values[0]; i++) {
        const char *name = stream_values[i].name;

        metrics_begin(page, name, stream_values[i].type, stream_values[i].help);
        for (size_t k = 0; k < page->count; k++)
            sample(page, name, &page->rows[k], stream_values[i].value(&page->rows[k].summary));
    }
}

/* --- Several values a stream --- */

static void write_states(struct page *page)
{
    metrics_begin(page, "pprec_state", "gauge", "1 for the state that the estimate is in, 0 for the others.");
    for (size_t k = 0; k < page->count; k++)
        for (int state = 0; state <= PPREC_STATE_VARYING; state++)
            evbuffer_add_printf(page->text, "pprec_state{%s,state=\"%s\"} %d\n", page->rows[k].labels,
                                pprec_state_name((enum pprec_state)state),
                                page->rows[k].summary.capacity.state == (enum pprec_state)state);
}

/* Of streams that tell when they send. */
static void write_available_states(struct page *page)
{
    metrics_begin(page, "pprec_available_state", "gauge",
                  "1 for the state of what is free, 0 for the others.");
    for (size_t k = 0; k < page->count; k++) {
        const struct pprec_available *available = &page->rows[k].summary.available;

        for (int state = 0; available->trains > 0 && state <= PPREC_AVAILABLE_CONVERGED; state++)
            evbuffer_add_printf(page->text, "pprec_available_state{%s,state=\"%s\"} %d\n",
                                page->rows[k].labels,
                                pprec_available_state_name((enum pprec_available_state)state),
                                available->state == (enum pprec_available_state)state);
    }
}

/* One series a stream, and none where there is nothing to tell. */
static void write_whys(struct page *page)
{
    metrics_begin(page, "pprec_why_info", "gauge",
                  "What keeps the estimate from being sure, and what to send otherwise.");
    for (size_t k = 0; k < page->count; k++) {
        const char *why = pprec_why_name(page->rows[k].summary.capacity.why);
        const char *advice = pprec_advice_name(page->rows[k].summary.capacity.advice);

        if (why != NULL || advice != NULL)
            evbuffer_add_printf(page->text, "pprec_why_info{%s,why=\"%s\",advice=\"%s\"} 1\n",
                                page->rows[k].labels, why != NULL ? why : "", advice != NULL ? advice : "");
    }
}

static void write_verdicts(struct page *page)
{
    metrics_begin(page, "pprec_trains_total", "counter", "Trains by what became of them.");
    for (size_t k = 0; k < page->count; k++)
        for (int verdict = 0; verdict < TALLY_VERDICTS; verdict++)
            evbuffer_add_printf(page->text, "pprec_trains_total{%s,verdict=\"%s\"} %" PRIu64 "\n",
                                page->rows[k].labels, pprec_verdict_name((enum pprec_verdict)verdict),
                                page->rows[k].place->verdicts[verdict]);
}

static void metrics_write_histogram(struct page *page, const struct row *row)
{
    uint64_t sum = 0;

    for (int i = 0; i < TALLY_BOUNDS; i++) {
        sum += row->place->rates[i];
        evbuffer_add_printf(page->text, "pprec_rate_bps_bucket{%s,le=\"%.0f\"} %" PRIu64 "\n", row->labels,
                            tally_bounds_bps[i], sum);
    }
    sum += row->place->rates[TALLY_BOUNDS];
    evbuffer_add_printf(page->text, "pprec_rate_bps_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", row->labels, sum);
    sample(page, "pprec_rate_bps_sum", row, row->place->rates_sum_bps);
    sample(page, "pprec_rate_bps_count", row, (double)sum);
}

static void write_histograms(struct page *page)
{
    metrics_begin(page, "pprec_rate_bps", "histogram", "Rates of trains, whatever their verdict.");
    for (size_t k = 0; k < page->count; k++)
        metrics_write_histogram(page, &page->rows[k]);
}

/* Only for streams that are sent to find the narrow link. A bound is named as one. */
static void write_hop(struct page *page, const struct row *row, unsigned number, const struct pprec_hop *hop)
{
    if (hop->capacity_bps > 0)
        evbuffer_add_printf(page->text, "pprec_hop_capacity_bps{%s,hop=\"%u\",state=\"%s\"} %.15g\n",
                            row->labels, number, pprec_hop_state_name(hop->state), hop->capacity_bps);
}

static void write_hop_available(struct page *page, const struct row *row, unsigned number,
                                const struct pprec_hop *hop)
{
    if (hop->available_low_bps > 0)
        evbuffer_add_printf(page->text, "pprec_hop_available_low_bps{%s,hop=\"%u\"} %.15g\n", row->labels,
                            number, hop->available_low_bps);
}

static void write_hops(struct page *page, const char *name, const char *help,
                       void (*write)(struct page *page, const struct row *row, unsigned number,
                                     const struct pprec_hop *hop))
{
    struct hops hops;

    metrics_begin(page, name, "gauge", help);
    for (size_t k = 0; k < page->count; k++)
        if (hops_get(&hops, page->metrics->pprec, &page->rows[k].summary))
            for (unsigned i = 0; i < hops.summary.hops_told && i < HOPS_MOST; i++)
                write(page, &page->rows[k], i + 1, &hops.hop[i]);
}

/* field: offset in struct pprec_hops_summary of a hop, 0 where it is not known. */
static void write_link(struct page *page, const char *name, const char *help, size_t field)
{
    struct hops hops;
    uint32_t hop;

    metrics_begin(page, name, "gauge", help);
    for (size_t k = 0; k < page->count; k++) {
        if (!hops_get(&hops, page->metrics->pprec, &page->rows[k].summary))
            continue;
        memcpy(&hop, (const char *)&hops.summary + field, sizeof hop);
        if (hop > 0)
            sample(page, name, &page->rows[k], hop);
    }
}

static void write_stream_infos(struct page *page)
{
    char destination[64];

    metrics_begin(page, "pprec_stream_info", "gauge", "What a stream is and where it goes.");
    for (size_t k = 0; k < page->count; k++) {
        const struct pprec_summary *summary = &page->rows[k].summary;

        destination[0] = '\0';
        if (summary->destination.ip != 0)
            pprec_endpoint_text(&summary->destination, destination, sizeof destination);
        evbuffer_add_printf(page->text,
                            "pprec_stream_info{%s,destination=\"%s\",kind=\"%s\",timestamps=\"%s\"} 1\n",
                            page->rows[k].labels, destination, pprec_kind_name(summary->kind),
                            pprec_timestamps_name(summary->timestamps));
    }
}

/* --- One value --- */

#define TOTAL(name, expression)                                                                              \
    static double name(const struct page *page, const struct process *process)                               \
    {                                                                                                        \
        (void)page;                                                                                          \
        (void)process;                                                                                       \
        return expression;                                                                                   \
    }

TOTAL(metrics_streams, (double)pprec_streams(page->metrics->pprec))
TOTAL(metrics_listed, (double)page->count)
TOTAL(displaced, (double)page->metrics->tally->displaced)
TOTAL(pushed_out, (double)page->totals.streams_gone)
TOTAL(idled, (double)page->totals.streams_idle)
TOTAL(metrics_memory, (double)pprec_memory_bytes(page->metrics->pprec))
TOTAL(memory_most, (double)page->metrics->run->memory_bytes)
TOTAL(metrics_foreign, (double)pprec_foreign(page->metrics->pprec))
TOTAL(metrics_dropped_here, (double)pprec_dropped_here(page->metrics->pprec))
TOTAL(metrics_buffer, metrics_known(pprec_buffer_bytes(page->metrics->pprec)))
TOTAL(lost_lines, page->metrics->ledger != NULL ? (double)page->metrics->ledger->log.lost_lines : NAN)
TOTAL(left_out, page->metrics->ledger != NULL ? (double)page->metrics->ledger->ration.left_out : NAN)
TOTAL(metrics_unshown, page->metrics->output != NULL ? (double)page->metrics->output->left_out : NAN)
TOTAL(started, page->metrics->started_s)
TOTAL(cpu, process->cpu_s)
TOTAL(resident, process->resident_bytes)
TOTAL(metrics_descriptors, process->descriptors)

static const struct {
    const char *name, *type, *help;
    double (*value)(const struct page *page, const struct process *process); /* NAN: unknown */
} totals[] = {
    {"pprec_streams", "gauge", "Streams known.", metrics_streams},
    {"pprec_streams_listed", "gauge",
     "Streams on this page: those heard of within 5 minutes, "
     "128 at most.",
     metrics_listed},
    {"pprec_streams_displaced_total", "counter", "Streams that had to make room on this page for others.",
     displaced},
    {"pprec_streams_pushed_out_total", "counter",
     "Streams that gave way to others for want of room or memory.", pushed_out},
    {"pprec_streams_idle_total", "counter", "Streams that ended because they were idle.", idled},
    {"pprec_memory_bytes", "gauge", "Memory that the receiver has taken of its bound.", metrics_memory},
    {"pprec_memory_limit_bytes", "gauge", "That bound.", memory_most},
    {"pprec_datagrams_foreign_total", "counter", "Datagrams that belong to no stream.", metrics_foreign},
    {"pprec_packets_dropped_here_total", "counter",
     "Packets that this host had no room for: not lost by the network.", metrics_dropped_here},
    {"pprec_receive_buffer_bytes", "gauge", "Receive buffer as the kernel counts it.", metrics_buffer},
    {"pprec_log_lines_lost_total", "counter", "Lines that could not be written to the log.", lost_lines},
    {"pprec_log_lines_left_out_total", "counter",
     "Lines that --log-rate had no room for, strangers' before others.", left_out},
    {"pprec_output_records_left_out_total", "counter",
     "Records that nobody read from standard output in time.", metrics_unshown},
    {"process_start_time_seconds", "gauge", "When this run began, since 1970.", started},
    {"process_cpu_seconds_total", "counter", "Processor time, user and system.", cpu},
    {"process_resident_memory_bytes", "gauge", "Memory in use.", resident},
    {"process_open_fds", "gauge", "Open file descriptors.", metrics_descriptors},
};

static void write_totals(struct page *page)
{
    struct process process;

    process_read(&process);
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        double value = totals[i].value(page, &process);

        if (!isfinite(value))
            continue;
        metrics_begin(page, totals[i].name, totals[i].type, totals[i].help);
        evbuffer_add_printf(page->text, "%s %.15g\n", totals[i].name, value);
    }
}

static void write_refused(struct page *page)
{
    metrics_begin(page, "pprec_datagrams_refused_total", "counter",
                  "Datagrams that were refused, by reason.");
    for (int reason = 0; reason < PPREC_REASONS; reason++)
        evbuffer_add_printf(page->text, "pprec_datagrams_refused_total{reason=\"%s\"} %" PRIu64 "\n",
                            pprec_reason_name((enum pprec_reason)reason),
                            pprec_refused(page->metrics->pprec, (enum pprec_reason)reason));
}

static void label(struct page *page, const char *before, const char *value)
{
    evbuffer_add_printf(page->text, "%s=\"", before);
    metrics_escape(page->text, value);
    evbuffer_add(page->text, "\"", 1);
}

static void write_infos(struct page *page)
{
    const struct format_run *run = page->metrics->run;

    metrics_begin(page, "pprec_build_info", "gauge", "The version that runs.");
    label(page, "pprec_build_info{version", pprec_version());
    evbuffer_add_printf(page->text, "} 1\n");
    metrics_begin(page, "pprec_config_info", "gauge",
                  "What rates count, how they become an estimate, and who stamps arrivals.");
    label(page, "pprec_config_info{layer", run->layer);
    label(page, ",filter", run->filter);
    label(page, ",timestamps", run->timestamps);
    evbuffer_add_printf(page->text, "} 1\n");
}

/* --- The page --- */

static void metrics_gather(struct page *page, int64_t now_ns)
{
    const struct metrics *metrics = page->metrics;
    struct row *row = page->rows;
    char source[64];

    for (size_t i = 0; page->count < TALLY_PLACES; i++) {
        if (!each_summary(metrics->pprec, i, &row->summary))
            return;
        row->place = tally_find(metrics->tally, &row->summary.source, row->summary.stream);
        if (row->place == NULL || !tally_present(row->place, now_ns))
            continue;
        pprec_endpoint_text(&row->summary.source, source, sizeof source);
        snprintf(row->labels, sizeof row->labels, "source=\"%s\",stream=\"%08" PRIx32 "\"", source,
                 row->summary.stream);
        row++;
        page->count++;
    }
}

void metrics_write(const struct metrics *metrics, struct evbuffer *text, int64_t now_ns)
{
    struct page page;

    page.metrics = metrics;
    page.text = text;
    page.count = 0;
    pprec_get_totals(metrics->pprec, &page.totals);
    metrics_gather(&page, now_ns);
    write_infos(&page);
    write_totals(&page);
    write_refused(&page);
    write_stream_infos(&page);
    write_stream_values(&page);
    write_states(&page);
    write_available_states(&page);
    write_whys(&page);
    write_verdicts(&page);
    write_hops(&page, "pprec_hop_capacity_bps",
               "Least capacity of the first so many links; at_least: a lower bound.", write_hop);
    write_hops(&page, "pprec_hop_available_low_bps", "The first so many links have at least so much free.",
               write_hop_available);
    write_link(&page, "pprec_narrow_hop", "The narrow link is this one, from the sender's own, or ...",
               offsetof(struct pprec_hops_summary, narrow_hop));
    write_link(&page, "pprec_narrow_hop_last", "... one up to here.",
               offsetof(struct pprec_hops_summary, narrow_hop_last));
    write_link(&page, "pprec_tight_hop", "The tight link is this one, from the sender's own, or ...",
               offsetof(struct pprec_hops_summary, tight_hop));
    write_link(&page, "pprec_tight_hop_last", "... one up to here.",
               offsetof(struct pprec_hops_summary, tight_hop_last));
    write_histograms(&page);
}

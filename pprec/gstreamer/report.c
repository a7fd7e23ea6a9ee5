/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <string.h>

/* --- Fields: rates in bit/s and times in nanoseconds, as GStreamer has them --- */

static void report_set_rate(GValue *value, double bps)
{
    g_value_set_uint64(value, bps > 0 ? (guint64)(bps + 0.5) : 0);
}

static void set_time(GValue *value, int64_t ns)
{
    g_value_set_uint64(value, ns >= 0 ? (guint64)ns : GST_CLOCK_TIME_NONE);
}

static const struct pprec_capacity *report_capacity_of(const struct report *report)
{
    return &report->congestion.capacity;
}

static void get_capacity(const struct report *report, GValue *value)
{
    report_set_rate(value, report_capacity_of(report)->capacity_bps);
}

static void get_low(const struct report *report, GValue *value)
{
    report_set_rate(value, report_capacity_of(report)->low_bps);
}

static void get_high(const struct report *report, GValue *value)
{
    report_set_rate(value, report_capacity_of(report)->high_bps);
}

static void get_share(const struct report *report, GValue *value)
{
    report_set_rate(value, report_capacity_of(report)->share_bps);
}

static void get_policed(const struct report *report, GValue *value)
{
    report_set_rate(value, report_capacity_of(report)->policed_bps);
}

static void get_state(const struct report *report, GValue *value)
{
    g_value_set_static_string(value, pprec_state_name(report_capacity_of(report)->state));
}

static void get_sure(const struct report *report, GValue *value)
{
    g_value_set_boolean(value, pprec_state_is_sure(report_capacity_of(report)->state));
}

static void get_why(const struct report *report, GValue *value)
{
    g_value_set_static_string(value, pprec_why_name(report_capacity_of(report)->why));
}

static void get_advice(const struct report *report, GValue *value)
{
    g_value_set_static_string(value, pprec_advice_name(report_capacity_of(report)->advice));
}

static void get_age(const struct report *report, GValue *value)
{
    int64_t newest_ns = report_capacity_of(report)->newest_ns;

    set_time(value, newest_ns == PPREC_UNKNOWN_NS ? -1 : report->congestion.time_ns - newest_ns);
}

static void get_trains(const struct report *report, GValue *value)
{
    g_value_set_uint64(value, report_capacity_of(report)->trains);
}

static void get_seen(const struct report *report, GValue *value)
{
    g_value_set_uint64(value, report_capacity_of(report)->seen_bytes);
}

static const struct pprec_available *available_of(const struct report *report)
{
    return &report->congestion.available;
}

static void get_available(const struct report *report, GValue *value)
{
    report_set_rate(value, available_of(report)->available_bps);
}

static void get_available_low(const struct report *report, GValue *value)
{
    report_set_rate(value, available_of(report)->low_bps);
}

static void get_available_high(const struct report *report, GValue *value)
{
    report_set_rate(value, available_of(report)->high_bps);
}

static void get_available_state(const struct report *report, GValue *value)
{
    g_value_set_static_string(value, pprec_available_state_name(available_of(report)->state));
}

static void get_buffer(const struct report *report, GValue *value)
{
    g_value_set_uint64(value, (guint64)available_of(report)->buffer_bytes);
}

static void get_lossless(const struct report *report, GValue *value)
{
    g_value_set_uint64(value, available_of(report)->lossless_train);
}

static void report_get_queueing(const struct report *report, GValue *value)
{
    set_time(value, report->congestion.queueing_ns);
}

static void get_queueing_most(const struct report *report, GValue *value)
{
    set_time(value, report->congestion.queueing_most_ns);
}

static void get_trend(const struct report *report, GValue *value)
{
    g_value_set_double(value, report->congestion.trend);
}

static void get_timed(const struct report *report, GValue *value)
{
    g_value_set_uint64(value, report->congestion.timed);
}

static void get_packets(const struct report *report, GValue *value)
{
    g_value_set_uint64(value, report->congestion.packets);
}

static void get_lost(const struct report *report, GValue *value)
{
    g_value_set_uint64(value, report->congestion.lost);
}

static void get_span(const struct report *report, GValue *value)
{
    set_time(value, report->congestion.interval_ns);
}

static void get_source(const struct report *report, GValue *value)
{
    char text[64];

    if (report->congestion.source.ip == 0) {
        g_value_set_string(value, NULL);
        return;
    }
    pprec_endpoint_text(&report->congestion.source, text, sizeof text);
    g_value_set_string(value, text);
}

static void get_running_time(const struct report *report, GValue *value)
{
    g_value_set_uint64(value, report->running_time);
}

static void get_unstamped(const struct report *report, GValue *value)
{
    g_value_set_uint64(value, report->unstamped);
}

const struct report_field report_fields[] = {
    {"source", G_TYPE_STRING, "Where the packets of this path come from, ADDRESS:PORT", get_source},
    {"running-time", G_TYPE_UINT64, "When the newest of them came, ns", get_running_time},
    {"capacity", G_TYPE_UINT64, "Capacity of the path, bit/s; 0: not known", get_capacity},
    {"low", G_TYPE_UINT64, "Its least value, bit/s", get_low},
    {"high", G_TYPE_UINT64, "Its greatest value, bit/s; 0: not known", get_high},
    {"share", G_TYPE_UINT64, "What a long train gets of it where flows take turns, bit/s; or 0", get_share},
    {"policed", G_TYPE_UINT64, "What lasts behind a policer, bit/s; or 0", get_policed},
    {"state", G_TYPE_STRING, "How far the capacity can be trusted", get_state},
    {"sure", G_TYPE_BOOLEAN, "Whether it is meant to be used", get_sure},
    {"why", G_TYPE_STRING, "What keeps it from being sure, or speaks for it", get_why},
    {"advice", G_TYPE_STRING, "What to send otherwise", get_advice},
    {"age", G_TYPE_UINT64, "Since the newest frame that it rests on, ns; -1: rests on none", get_age},
    {"trains", G_TYPE_UINT64, "Frames that it rests on", get_trains},
    {"seen-bytes", G_TYPE_UINT64, "Longest burst seen: a larger bucket would hide", get_seen},
    {"available", G_TYPE_UINT64, "What other traffic leaves of the capacity, bit/s", get_available},
    {"available-low", G_TYPE_UINT64, "Its least value, bit/s", get_available_low},
    {"available-high", G_TYPE_UINT64, "Its greatest value, bit/s; 0: not known", get_available_high},
    {"available-state", G_TYPE_STRING, "How far it can be trusted; unknown: there is no figure",
     get_available_state},
    {"buffer-bytes", G_TYPE_UINT64, "Greatest queue seen at the narrow link; 0: not known", get_buffer},
    {"lossless-frame", G_TYPE_UINT64,
     "Packets of the longest frame that lost none, or that a longer one began with before it did",
     get_lossless},
    {"queueing-delay", G_TYPE_UINT64,
     "Median delay of the interval's packets above the least, ns; -1: no send times", report_get_queueing},
    {"queueing-delay-max", G_TYPE_UINT64, "The greatest of them, ns; -1: no send times", get_queueing_most},
    {"trend", G_TYPE_DOUBLE, "By how much that delay grows, seconds a second", get_trend},
    {"timed", G_TYPE_UINT64, "Packets of the interval with send times", get_timed},
    {"packets", G_TYPE_UINT64, "Packets of the interval that came", get_packets},
    {"lost", G_TYPE_UINT64, "Packets of the interval that did not", get_lost},
    {"span", G_TYPE_UINT64, "How long the interval was, ns", get_span},
    {"unstamped", G_TYPE_UINT64, "Buffers without a time of arrival, not measured", get_unstamped},
    {NULL, 0, NULL, NULL},
};

void report_clear(struct report *report)
{
    memset(report, 0, sizeof *report);
    report->congestion.queueing_ns = report->congestion.queueing_most_ns = PPREC_UNKNOWN_NS;
    report->congestion.capacity.newest_ns = PPREC_UNKNOWN_NS;
    report->congestion.available.queue_ns = report->congestion.available.queue_p95_ns = PPREC_UNKNOWN_NS;
    report->congestion.available.newest_ns = PPREC_UNKNOWN_NS;
    report->running_time = GST_CLOCK_TIME_NONE;
}

GstStructure *report_structure(const struct report *report)
{
    GstStructure *structure = gst_structure_new_empty("pprec");

    for (const struct report_field *field = report_fields; field->name != NULL; field++) {
        GValue value = G_VALUE_INIT;

        g_value_init(&value, field->type);
        field->get(report, &value);
        gst_structure_take_value(structure, field->name, &value);
    }
    return structure;
}

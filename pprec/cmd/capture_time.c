/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture_time.h"

void capture_time_init(struct capture_time *time, const struct options *options)
{
    *time = (struct capture_time){
        .interval_s = options->interval_s,
        .interval_ns = (int64_t)(options->interval_s * 1e9),
        .duration_ns = (int64_t)(options->duration_s * 1e9),
    };
}

void capture_time_fini(struct capture_time *time)
{
    intervals_fini(&time->intervals);
}

bool capture_time_matters(const struct capture_time *time)
{
    return time->interval_ns > 0 || time->duration_ns > 0;
}

static void report_interval(struct capture_time *time, struct pprec *pprec, struct report *report)
{
    intervals_report(&time->intervals, pprec, report, time->interval_s, time->interval_end_ns);
    report_flush(report);
}

/* The end of the interval that now_ns is in. Captures one after the other may begin
 * before the last one ended: then intervals are counted from there. */
static int64_t next_end(const struct capture_time *time, int64_t now_ns)
{
    int64_t past_ns = now_ns - time->interval_end_ns;

    if (past_ns < 0)
        return now_ns + time->interval_ns;
    return time->interval_end_ns + (past_ns / time->interval_ns + 1) * time->interval_ns;
}

bool capture_time_passes(struct capture_time *time, struct pprec *pprec, struct report *report)
{
    int64_t now_ns = pprec_time(pprec);

    if (now_ns == PPREC_UNKNOWN_NS)
        return true;
    if (!time->begun) {
        time->begun = true;
        time->first_ns = now_ns;
        time->interval_end_ns = now_ns + time->interval_ns;
    }
    if (time->interval_ns > 0
        && (now_ns >= time->interval_end_ns || now_ns < time->interval_end_ns - 2 * time->interval_ns)) {
        report_interval(time, pprec, report);
        time->interval_end_ns = next_end(time, now_ns);
    }
    return time->duration_ns == 0 || now_ns - time->first_ns < time->duration_ns;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish.h"

#include "pprec/cmd/each.h"

/* Networks double packets now and then, captures by the half. */
static bool mostly_doubled(const struct pprec *pprec)
{
    struct pprec_totals totals;

    pprec_get_totals(pprec, &totals);
    return totals.counts.packets > 0 && 2 * totals.counts.duplicate >= totals.counts.packets;
}

static void say_left_out(const struct pprec *pprec, struct report *report)
{
    struct pprec_capture_counts counts;

    pprec_get_capture_counts(pprec, &counts);
    if (counts.packets > 0 && mostly_doubled(pprec))
        report_tell(report,
                    "most packets came twice, so their gaps tell nothing: capture on one interface (not "
                    "'any') and in one direction, or drop the copies (editcap -d)");
    if (counts.fragments + counts.cut + counts.malformed > 0)
        report_tell(report, "left out of %llu packets: %llu fragments, %llu cut too short, %llu malformed",
                    (unsigned long long)counts.packets, (unsigned long long)counts.fragments,
                    (unsigned long long)counts.cut, (unsigned long long)counts.malformed);
    if (counts.merged > 0)
        report_tell(report,
                    "%llu segments were merged before they were captured and tell no spacing: capture with "
                    "offloads off (ethtool -K IF gro off lro off)",
                    (unsigned long long)counts.merged);
    if (counts.flows_pushed > 0)
        report_tell(report, "%llu times the longest idle flow was forgotten for want of room",
                    (unsigned long long)counts.flows_pushed);
}

static void say_nothing_came(const struct pprec *pprec, const struct options *options, struct report *report)
{
    struct pprec_capture_counts counts;
    struct line refused = {.bytes = 0};

    pprec_get_capture_counts(pprec, &counts);
    format_refused(&refused, "; refused ", pprec);
    if (options_stored(options) || options->capture != NULL)
        report_tell(report, "nothing to measure in %llu packets%s", (unsigned long long)counts.packets,
                    refused.text);
    else
        report_tell(
            report, "no probes came (%llu foreign datagrams%s%s)", (unsigned long long)pprec_foreign(pprec),
            pprec_foreign(pprec) > 0 ? ": --classic and --expect take other formats" : "", refused.text);
}

/* After -c the train in flight is left alone: exactly so many were asked for. */
void finish(struct pprec *pprec, const struct options *options, struct report *report)
{
    struct pprec_summary summary;
    struct pprec_totals totals;

    report_rank(report);
    if (!report_full(report)) {
        pprec_finish(pprec);
    } else {
        for (size_t i = 0; each_summary(pprec, i, &summary); i++)
            report_put_summary(report, &summary);
    }
    report_ranked(report, options->top);
    report_deliver(report);
    pprec_get_totals(pprec, &totals);
    if (totals.counts.packets == 0)
        say_nothing_came(pprec, options, report);
    report_say_no_estimate(report, totals.counts.packets);
    report_say_others(report);
    if (options->classic && mostly_doubled(pprec))
        report_tell(report,
                    "most packets had the number of another, so they are hardly of the paper's format: "
                    "without --classic pprec takes those of pptrans without it");
    say_left_out(pprec, report);
}

static enum outcome outcome_of_input(const struct pprec *pprec, const struct report *report)
{
    struct pprec_capture_counts counts;

    pprec_get_capture_counts(pprec, &counts);
    return counts.packets == 0 && report->summaries == 0 ? OUTCOME_UNUSABLE : OUTCOME_NO_ESTIMATE;
}

enum outcome finish_outcome(const struct pprec *pprec, const struct options *options,
                            const struct report *report, bool damaged)
{
    struct pprec_totals totals;

    if (damaged)
        return outcome_of_input(pprec, report);
    if (report->failed)
        return OUTCOME_NO_ESTIMATE;
    if (report->estimated)
        return OUTCOME_ESTIMATE;
    pprec_get_totals(pprec, &totals);
    return options_stored(options) && !report->hurried && totals.counts.packets == 0 ? OUTCOME_NOTHING
                                                                                     : OUTCOME_NO_ESTIMATE;
}

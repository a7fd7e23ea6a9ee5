/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish.h"

#include "pprec/cmd/each.h"

/* Adds "12 probes to port 9000, not 9001" or nothing. */
static void add_elsewhere(struct line *line, const char *before, const struct pprec_capture_counts *counts,
                          const struct options *options)
{
    if (counts->elsewhere == 0)
        return;
    line_add(line, "%s%llu probe%s to ", before, (unsigned long long)counts->elsewhere,
             counts->elsewhere == 1 ? "" : "s");
    if (counts->elsewhere_port != 0)
        line_add(line, "port %u, not %u", (unsigned)counts->elsewhere_port, (unsigned)options->port);
    else
        line_add(line, "other ports than %u", (unsigned)options->port);
}

/* Networks double packets now and then, captures by the half. */
static bool mostly_doubled(const struct pprec *pprec)
{
    struct pprec_totals totals;

    pprec_get_totals(pprec, &totals);
    return totals.counts.packets > 0 && 2 * totals.counts.duplicate >= totals.counts.packets;
}

void finish_add_tunnels(struct line *line, const struct pprec_capture_counts *counts)
{
    static const char *const names[] = {
        [PPREC_TUNNEL_IP] = "IP in IP", [PPREC_TUNNEL_GRE] = "GRE",
        [PPREC_TUNNEL_IPSEC] = "IPsec", [PPREC_TUNNEL_L2TP] = "L2TP",
        [PPREC_TUNNEL_VXLAN] = "VXLAN", [PPREC_TUNNEL_GENEVE] = "Geneve",
        [PPREC_TUNNEL_GTP] = "GTP",     [PPREC_TUNNEL_WIREGUARD] = "WireGuard",
    };

    for (size_t i = 0; i < PPREC_TUNNELS; i++) {
        if (counts->tunnelled[i] == 0)
            continue;
        if (line->bytes == 0)
            line_add(line, "tunnels are not looked into: of %llu packets %llu were in %s",
                     (unsigned long long)counts->packets, (unsigned long long)counts->tunnelled[i], names[i]);
        else
            line_add(line, ", %llu in %s", (unsigned long long)counts->tunnelled[i], names[i]);
    }
    if (line->bytes > 0)
        line_add(line, "; capture where they end, on the tunnel's own interface");
}

/* One over UDP is a flow, whose rates are told for what they are. */
static void say_tunnels(const struct pprec_capture_counts *counts, struct report *report)
{
    struct line line = {.bytes = 0};

    if (report->estimated)
        return;
    finish_add_tunnels(&line, counts);
    report_say(report, line.text);
}

/* A slower link would have spread them, and a path has some delay; but a sender may be slower than all links of a short
 * path, and then its receiver's capture looks the same. */
enum { DEPARTED_LEAST = 8 };

bool finish_shows_no_path(const struct pprec_capture_counts *counts)
{
    return counts->departed >= DEPARTED_LEAST && 10 * counts->as_left >= 9 * counts->departed
        && 10 * counts->at_once >= 9 * counts->departed;
}

static void say_no_path(const struct pprec_capture_counts *counts, struct report *report)
{
    if (finish_shows_no_path(counts))
        report_tell(
            report,
            "%llu of %llu trains came as they left, and at once: this was captured at the sender, or "
            "nothing behind it held them up, so their rates are the sender's; capture at the receiver",
            (unsigned long long)counts->as_left, (unsigned long long)counts->departed);
}

#define MORE "capture more of each: tcpdump -s 128"

static void say_left_out(const struct pprec *pprec, const struct options *options, struct report *report,
                         bool measured)
{
    struct pprec_capture_counts counts;
    struct line elsewhere = {.bytes = 0};

    pprec_get_capture_counts(pprec, &counts);
    if (measured)
        add_elsewhere(&elsewhere, "left out: ", &counts, options);
    report_say(report, elsewhere.text);
    if (counts.packets > 0 && mostly_doubled(pprec))
        report_tell(report,
                    "most packets came twice, so their gaps tell nothing: capture on one interface (not "
                    "'any') and in one direction, or drop the copies (editcap -d)");
    if (counts.repeated > 0)
        report_tell(report,
                    "%s has packets of stream %08x that %s has, as captures of both ends do, or copies: "
                    "what is told is of the latter, which was read first, and %llu packets are left out; "
                    "of captures of both ends read the receiver's alone",
                    pprec_capture_name(pprec, counts.repeated_file), (unsigned)counts.repeated_stream,
                    pprec_capture_name(pprec, counts.repeated_before), (unsigned long long)counts.repeated);
    if (counts.backwards > 0)
        report_tell(
            report,
            "%s goes on with stream %08x from before the end of %s, which was read first, so packets "
            "count as lost or reordered: name captures that were rotated in the order of their times, and "
            "read others each by itself (-j)",
            pprec_capture_name(pprec, counts.backwards_file), (unsigned)counts.backwards_stream,
            pprec_capture_name(pprec, counts.backwards_after));
    if (options_stored(options)
        || options->capture != NULL) /* who receives them is where they are to be read */
        say_no_path(&counts, report);
    say_tunnels(&counts, report);
    if (counts.fragments + counts.cut + counts.malformed > 0)
        report_tell(report, "left out of %llu packets: %llu fragments, %llu cut too short%s, %llu malformed",
                    (unsigned long long)counts.packets, (unsigned long long)counts.fragments,
                    (unsigned long long)counts.cut, counts.cut > 0 ? " (" MORE ")" : "",
                    (unsigned long long)counts.malformed);
    if (counts.unread > 0)
        report_tell(
            report,
            "too little was captured of %llu UDP packets to tell probes and media from other flows: " MORE,
            (unsigned long long)counts.unread);
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
    struct line refused = {.bytes = 0}, elsewhere = {.bytes = 0};

    pprec_get_capture_counts(pprec, &counts);
    add_elsewhere(&elsewhere, ": ", &counts, options);
    format_refused(&refused, "; refused ", pprec);
    if (counts.packets == 0 && options->bpf != NULL)
        report_tell(report, "nothing to measure: -f '%s' let no packet through", options->bpf);
    else if (options_stored(options) || options->capture != NULL)
        report_tell(report, "nothing to measure in %llu packets%s%s", (unsigned long long)counts.packets,
                    elsewhere.text, refused.text);
    else if (pprec_foreign(pprec) == 0 && refused.bytes == 0)
        report_tell(report,
                    "no probes came (0 foreign datagrams): does the sender send to port %u, and does no "
                    "firewall drop UDP there?",
                    (unsigned)options->port);
    else
        report_tell(report, "no probes %s (%llu foreign datagrams%s%s)",
                    refused.bytes > 0 ? "were taken" : "came", (unsigned long long)pprec_foreign(pprec),
                    pprec_foreign(pprec) > 0 ? ": --classic and --expect take other formats" : "",
                    refused.text);
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
    say_left_out(pprec, options, report, totals.counts.packets > 0);
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

/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include "common/stamp.h"
#include "report_json.h"

#include <errno.h>
#include <string.h>

uint64_t report_slow_trains(const struct report_totals *totals)
{
    uint64_t slow = 0;

    for (int kind = 0; kind < REPORT_KINDS; kind++) {
        int64_t median_ns = gaps_median_ns(&totals->mean_gaps[kind]);

        if (median_ns > 0)
            slow += gaps_above(&totals->mean_gaps[kind], 2 * median_ns);
    }
    return slow;
}

double report_sent_bps(const struct report_totals *totals, enum report_kind kind,
                       uint32_t size_bytes)
{
    int64_t median_ns = gaps_median_ns(&totals->mean_gaps[kind]);

    return median_ns > 0 ? size_bytes * 8 * 1e9 / (double)median_ns : 0;
}

double report_average_bps(const struct report_totals *totals)
{
    int64_t elapsed_ns = totals->last_ns - totals->first_ns;

    /* As many trains as intervals. */
    if (elapsed_ns <= 0)
        return 0;
    return (double)(totals->bytes - totals->last_bytes) * 8 * 1e9 / (double)elapsed_ns;
}

const char *report_reason(int number)
{
    return number == EAGAIN ? "the send buffer was full" : strerror(number);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static double us(int64_t ns)
{
    return (double)ns / (double)STAMP_NS_PER_US;
}

/* 32 kbit/s, 2.5 Gbit/s, ... */
static void print_rate(FILE *out, double bps)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1e9, "Gbit/s"}, {1e6, "Mbit/s"}, {1e3, "kbit/s"}};
    size_t i = 0;

    while (i < 2 && bps < units[i].unit)
        i++;
    fprintf(out, "%.4g %s", bps / units[i].unit, units[i].name);
}

/* What is sent, and what it is made of: the mix, or trains of one kind. */
static void print_shapes(FILE *out, const struct plan *plan)
{
    const struct plan_shape *train = &plan->train;
    char layer[12];

    if (plan->mix)
        fprintf(out, "the mix: in turn a train of %u packets of %u bytes and %d pairs, of %u, %u "
                     "and %u bytes", plan_longest(plan), train->size_bytes, PLAN_CYCLE - 1,
                plan->pair.size_bytes, plan->near_pair.size_bytes, plan->half_pair.size_bytes);
    else
        fprintf(out, "trains of %u packets of %u bytes",
                plan_longest(plan), train->size_bytes);
    fprintf(out, " at layer %s (%u of payload)", layer_name(&plan->layer, layer),
            train->payload_bytes);
    if (plan->mix)
        fprintf(out, "; the first %d trains are short", PLAN_START);
}

void report_start(const struct report *report, const struct plan *plan,
                  const struct report_start *start)
{
    FILE *out = report->out;

    if (report->quiet)
        return;
    if (report->json) {
        report_json_start(out, plan, start);
        return;
    }
    fprintf(out, "pptrans %s to %s", start->version, start->to);
    if (start->device[0] != '\0')
        fprintf(out, " through %s", start->device);
    fprintf(out, plan->classic ? ", classic format\n"
                               : plan->tagged ? ", stream %08x, tagged\n" : ", stream %08x\n",
            start->stream);
    print_shapes(out, plan);
    fprintf(out, "\nevery %g ms on average (%s), average load ", plan->delay_ms, start->spacing);
    print_rate(out, plan_load_bps(plan, &plan->layer));
    fprintf(out, "\nhanded over by %s (%s)\n%s\n", start->segment ? "UDP GSO" : "sendmmsg",
            start->reason, start->stamped ? "departures from kernel transmit timestamps"
                                          : "departures unknown: no kernel transmit timestamps");
}

void report_train(const struct report *report, const struct flight *flight,
                  const struct flight_spread *spread)
{
    FILE *out = report->out;

    if (!report->verbose)
        return;
    if (report->json) {
        report_json_train(out, flight, spread);
        return;
    }
    fprintf(out, "train %u: %u packets", flight->train, flight->packets);
    if (flight->failed > 0)
        fprintf(out, ", %u refused", flight->failed);
    if (spread->known)
        fprintf(out, ", span %.3f us", us(spread->span_ns));
    else
        fputs(", span not known", out);
    if (spread->gaps > 1)
        fprintf(out, ", gaps %.3f to %.3f us, median %.3f", us(spread->least_ns),
                us(spread->most_ns), us(spread->median_ns));
    fputc('\n', out);
}

static void print_failures(FILE *out, const struct burst_failures *failures)
{
    for (size_t i = 0; i < BURST_REASONS && failures->reasons[i].packets > 0; i++)
        fprintf(out, "%llu packet%s refused: %s\n",
                (unsigned long long)failures->reasons[i].packets,
                plural(failures->reasons[i].packets),
                report_reason(failures->reasons[i].number));
}

/* The sender's own limit: what leaves no faster cannot show a faster path. */
static void print_floor(FILE *out, const struct plan *plan, const struct report_totals *totals)
{
    static const char *const names[REPORT_KINDS] = {"pairs", "trains"};

    if (totals->gaps.count > 0)
        fprintf(out, "gaps at departure: least %.3f us, median %.3f us\n",
                us(totals->gaps.least_ns), us(gaps_median_ns(&totals->gaps)));
    for (int kind = 0; kind < REPORT_KINDS; kind++) {
        double bps = report_sent_bps(totals, (enum report_kind)kind, plan->train.size_bytes);

        if (bps <= 0)
            continue;
        fprintf(out, "%s left at ", names[kind]);
        print_rate(out, bps);
        fprintf(out, " (median, %u bytes): no faster path can be told\n",
                plan->train.size_bytes);
    }
}

static void print_sums(FILE *out, const struct plan *plan, const struct report_totals *totals)
{
    double average_bps = report_average_bps(totals);
    char layer[12];

    fprintf(out, "%llu train%s, %llu packets, %llu bytes at layer %s",
            (unsigned long long)totals->trains, plural(totals->trains),
            (unsigned long long)totals->packets, (unsigned long long)totals->bytes,
            layer_name(&plan->layer, layer));
    if (average_bps > 0) {
        fprintf(out, " in %.3f s: average load ",
                (double)(totals->last_ns - totals->first_ns) / 1e9);
        print_rate(out, average_bps);
    }
    fputc('\n', out);
}

void report_totals(const struct report *report, const struct plan *plan,
                   const struct report_totals *totals, const struct burst_failures *failures)
{
    FILE *out = report->out;
    uint64_t slow = report_slow_trains(totals);

    if (report->json) {
        report_json_totals(out, plan, totals, failures);
        return;
    }
    print_sums(out, plan, totals);
    print_failures(out, failures);
    if (totals->refused_segments)
        fputs("the kernel would not segment: trains left by sendmmsg after all\n", out);
    if (totals->unstamped > 0)
        fprintf(out, "%llu send%s not seen to leave: dropped in a queue of this host, or held "
                     "there\n", (unsigned long long)totals->unstamped,
                plural(totals->unstamped));
    fprintf(out, "departure known of %llu train%s\n", (unsigned long long)totals->known,
            plural(totals->known));
    print_floor(out, plan, totals);
    if (slow > 0)
        fprintf(out, "%llu train%s left over twice as slowly as the median: this host was busy\n",
                (unsigned long long)slow, plural(slow));
}

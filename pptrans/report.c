/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include "common/stamp.h"
#include "report_json.h"

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

static void print_mix(FILE *out, const struct plan *plan)
{
    fprintf(out, "a train of %u packets of %u bytes and %d pairs, of %u, %u and %u bytes",
            1U << plan->train.length_log2, plan->train.size_bytes, PLAN_CYCLE - 1, plan->pair.size_bytes,
            plan->near_pair.size_bytes, plan->half_pair.size_bytes);
}

static void print_paced(FILE *out, const struct plan *plan)
{
    fputs("what is free: by turns one of the mix (", out);
    print_mix(out, plan);
    fprintf(out, ")\nand a train of %u packets paced at one of %u rates, ", 1U << plan->paced_log2,
            plan->ladder.rungs);
    print_rate(out, plan->ladder.low_bps);
    fputs(" to ", out);
    print_rate(out, plan->ladder.high_bps);
}

static void print_locating(FILE *out, const struct plan *plan)
{
    uint32_t sparse = plan->sparse_length - 2U, dense = (1U << plan->dense_log2) - 2;

    fputs("which link is narrow: by turns one of the mix (", out);
    print_mix(out, plan);
    fprintf(out,
            ")\nand two of a packet of %u bytes, %u or %u of %u that go %u to %u hops, and one of "
            "%u (%u hops)",
            plan->marker_size_bytes, sparse, dense, plan->train.size_bytes, plan->hop_from, plan->hop_to,
            plan->marker_size_bytes, plan->marker_hops);
}

static void print_tight(FILE *out, const struct plan *plan)
{
    uint32_t sparse = plan->sparse_length - 2U, dense = (1U << plan->dense_log2) - 2;

    fputs("which link is narrow, which is tight: by turns one of the mix (", out);
    print_mix(out, plan);
    fprintf(
        out,
        "),\none of a packet of %u bytes, %u or %u of %u that go %u to %u hops, and one of %u (%u hops),\n"
        "and two of %u packets paced at one of %u rates, ",
        plan->marker_size_bytes, sparse, dense, plan->train.size_bytes, plan->hop_from, plan->hop_to,
        plan->marker_size_bytes, plan->marker_hops, 1U << plan->paced_log2, plan->ladder.rungs);
    print_rate(out, plan->ladder.low_bps);
    fputs(" to ", out);
    print_rate(out, plan->ladder.high_bps);
    fprintf(out, ", one as far as all, one that but for its ends goes %u to %u hops,", plan->hop_from,
            plan->hop_to);
}

/* What is sent, and what it is made of. */
static void print_shapes(FILE *out, const struct plan *plan)
{
    char layer[12];

    switch (plan->pattern) {
    case PLAN_ALIKE:
        fprintf(out, "trains of %u packets of %u bytes", plan_longest(plan), plan->train.size_bytes);
        break;
    case PLAN_MIX:
        fputs("the mix: in turn ", out);
        print_mix(out, plan);
        break;
    case PLAN_AVAILABLE: print_paced(out, plan); break;
    case PLAN_LOCATE: print_locating(out, plan); break;
    case PLAN_TIGHT: print_tight(out, plan); break;
    }
    fprintf(out, " at layer %s (%u of payload)", layer_name(&plan->layer, layer), plan->train.payload_bytes);
    if (plan_start(plan) > 0)
        fprintf(out, "; the first %u trains are short", plan_start(plan));
}

static void print_load(FILE *out, const struct plan *plan)
{
    double load_bps = plan_load_bps(plan, &plan->layer);

    fputs("average load ", out);
    print_rate(out, load_bps);
    if (plan_paces(plan))
        fprintf(out, " (%.3g %% of the highest rate, %.3g of the lowest)",
                load_bps * 100 / plan->ladder.high_bps, load_bps * 100 / plan->ladder.low_bps);
    if (plan_round_s(plan) > 0)
        fprintf(out, ",\n%.3g s for each hop at each rate once", plan_round_s(plan));
}

void report_start(const struct report *report, const struct plan *plan, const struct report_start *start)
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
    fprintf(out,
            plan->classic      ? ", classic format\n"
                : plan->tagged ? ", stream %08x, tagged\n"
                               : ", stream %08x\n",
            start->stream);
    print_shapes(out, plan);
    fprintf(out, "\nevery %g ms on average (%s), ", plan->delay_ms, start->spacing);
    print_load(out, plan);
    fprintf(out, "\nhanded over by %s (%s)%s\n%s\n", start->segment ? "UDP GSO" : "sendmmsg", start->reason,
            plan_paces(plan) ? ", paced trains packet by packet" : "",
            start->stamped ? "departures from kernel transmit timestamps"
                           : "departures unknown: no kernel transmit timestamps");
}

/* What it was to be, and how it left. */
static void print_departure(FILE *out, const struct plan *plan, const struct plan_shape *shape,
                            const struct flight_spread *spread)
{
    if (shape->gap_ns > 0) {
        fputs(", paced at ", out);
        print_rate(out, ladder_bps(&plan->ladder, shape->rung));
    }
    if (shape->load_hops > 0)
        fprintf(out, ", load of %u hops", shape->load_hops);
    if (!spread->known) {
        fputs(", span not known", out);
        return;
    }
    fprintf(out, ", span %.3f us", us(spread->span_ns));
    if (shape->gap_ns > 0) {
        fputs(": ", out);
        print_rate(out, report_left_bps(shape, spread->span_ns));
    }
}

void report_train(const struct report *report, const struct plan *plan, const struct plan_shape *shape,
                  const struct flight *flight, const struct flight_spread *spread)
{
    FILE *out = report->out;

    if (!report->verbose)
        return;
    if (report->json) {
        report_json_train(out, plan, shape, flight, spread);
        return;
    }
    fprintf(out, "train %u: %u packets", flight->train, flight->packets);
    if (flight->failed > 0)
        fprintf(out, ", %u refused", flight->failed);
    if (flight->unsent > 0)
        fprintf(out, ", %u not sent", flight->unsent);
    print_departure(out, plan, shape, spread);
    if (spread->gaps > 1)
        fprintf(out, ", gaps %.3f to %.3f us, median %.3f", us(spread->least_ns), us(spread->most_ns),
                us(spread->median_ns));
    fputc('\n', out);
}

static void print_failures(FILE *out, const struct burst_failures *failures)
{
    for (size_t i = 0; i < BURST_REASONS && failures->reasons[i].packets > 0; i++)
        fprintf(out, "%llu packet%s refused: %s\n", (unsigned long long)failures->reasons[i].packets,
                plural(failures->reasons[i].packets), report_reason(failures->reasons[i].number));
}

/* The sender's own limit: what leaves no faster cannot show a faster path. */
static void print_floor(FILE *out, const struct plan *plan, const struct report_totals *totals)
{
    static const char *const names[REPORT_KINDS] = {"pairs", "trains"};

    if (totals->gaps.count > 0)
        fprintf(out, "gaps at departure: least %.3f us, median %.3f us\n", us(totals->gaps.least_ns),
                us(gaps_median_ns(&totals->gaps)));
    for (int kind = 0; kind < REPORT_KINDS; kind++) {
        double bps = report_sent_bps(totals, (enum report_kind)kind, plan->train.size_bytes);

        if (bps <= 0)
            continue;
        fprintf(out, "%s left at ", names[kind]);
        print_rate(out, bps);
        fprintf(out, " (median, %u bytes): a path must be slower to be told\n", plan->train.size_bytes);
    }
}

static void print_sums(FILE *out, const struct plan *plan, const struct report_totals *totals)
{
    double average_bps = report_average_bps(totals);
    char layer[12];

    fprintf(out, "%llu train%s, %llu packets, %llu bytes at layer %s", (unsigned long long)totals->trains,
            plural(totals->trains), (unsigned long long)totals->packets, (unsigned long long)totals->bytes,
            layer_name(&plan->layer, layer));
    if (average_bps > 0) {
        fprintf(out, " in %.3f s: average load ", (double)(totals->last_ns - totals->first_ns) / 1e9);
        print_rate(out, average_bps);
    }
    fputc('\n', out);
}

static void print_rungs(FILE *out, const struct plan *plan, const struct report_totals *totals)
{
    for (uint32_t i = 0; i < plan->ladder.rungs; i++) {
        const struct report_rung *rung = &totals->rungs[i];

        if (rung->trains == 0)
            continue;
        fprintf(out, "%llu train%s paced at ", (unsigned long long)rung->trains, plural(rung->trains));
        print_rate(out, ladder_bps(&plan->ladder, i));
        fputs(" left at ", out);
        print_rate(out, report_rung_bps(rung));
        fputs(" (", out);
        print_rate(out, rung->least_bps);
        fputs(" to ", out);
        print_rate(out, rung->most_bps);
        fputs(")\n", out);
    }
}

void report_totals(const struct report *report, const struct plan *plan, const struct report_totals *totals,
                   const struct burst_failures *failures)
{
    FILE *out = report->out;
    uint64_t slow = report_slow_trains(totals);

    if (report->json) {
        report_json_totals(out, plan, totals, failures);
        return;
    }
    print_sums(out, plan, totals);
    print_failures(out, failures);
    if (totals->unsent > 0)
        fprintf(out, "%llu packet%s of a paced train not sent: told to stop\n",
                (unsigned long long)totals->unsent, plural(totals->unsent));
    if (totals->refused_segments)
        fputs("the kernel would not segment: trains left by sendmmsg after all\n", out);
    if (totals->unstamped > 0)
        fprintf(out,
                "%llu send%s not seen to leave: dropped in a queue of this host, or held "
                "there\n",
                (unsigned long long)totals->unstamped, plural(totals->unstamped));
    fprintf(out, "departure known of %llu train%s\n", (unsigned long long)totals->known,
            plural(totals->known));
    print_floor(out, plan, totals);
    print_rungs(out, plan, totals);
    if (slow > 0)
        fprintf(out,
                "%llu train%s left over twice as slowly as the median: this host was busy, or spaces them "
                "itself\n",
                (unsigned long long)slow, plural(slow));
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check(const char *name, double figure)
{
    if (isfinite(figure) && figure >= 0)
        return;
    fprintf(stderr, "fuzz: %s is %g\n", name, figure);
    abort();
}

static void check_capacity(const struct pprec_capacity *capacity)
{
    check("capacity_bps", capacity->capacity_bps);
    check("low_bps", capacity->low_bps);
    check("high_bps", capacity->high_bps);
    check("peak_bps", capacity->peak_bps);
    check("burst_bytes", capacity->burst_bytes);
    check("share_bps", capacity->share_bps);
    check("policed_bps", capacity->policed_bps);
    check("policed_burst_bytes", capacity->policed_burst_bytes);
}

void figures_of_train(void *user, const struct pprec_train *train)
{
    (void)user;
    check("rate_bps", train->rate_bps);
    check_capacity(&train->capacity);
    if (train->received > train->sent)
        abort();
}

void figures_of_change(void *user, const struct pprec_change *change)
{
    (void)user;
    check_capacity(&change->was);
    check_capacity(&change->capacity);
}

/* A trend may be negative, a queue not. */
void figures_of_congestion(void *user, const struct pprec_congestion *congestion)
{
    (void)user;
    check_capacity(&congestion->capacity);
    check("trend's size", fabs(congestion->trend));
    if (congestion->queueing_ns == PPREC_UNKNOWN_NS
        && congestion->queueing_most_ns == PPREC_UNKNOWN_NS)
        return;
    check("queueing_ns", (double)congestion->queueing_ns);
    if (congestion->queueing_most_ns < congestion->queueing_ns)
        abort();
}

void figures_of_summary(void *user, const struct pprec_summary *summary)
{
    (void)user;
    check_capacity(&summary->capacity);
    check("adr_bps", summary->adr_bps);
    check("rate_p05_bps", summary->rate_p05_bps);
    check("rate_p50_bps", summary->rate_p50_bps);
    check("rate_p95_bps", summary->rate_p95_bps);
    if (summary->counts.usable > summary->counts.trains)
        abort();
}

void figures_of_interval(struct pprec *pprec, struct pprec_cursor *cursor)
{
    struct pprec_endpoint source;
    struct pprec_summary summary, all;
    uint32_t stream;

    if (pprec_stream_at(pprec, 0, &source, &stream) != PPREC_OK)
        return;
    if (pprec_get_summary(pprec, &source, stream, &all) != PPREC_OK
        || pprec_get_interval(pprec, &source, stream, cursor, &summary) != PPREC_OK)
        abort();
    figures_of_summary(NULL, &all);
    figures_of_summary(NULL, &summary);
    if (summary.counts.packets > all.counts.packets || summary.counts.trains > all.counts.trains)
        abort();
}

unsigned figures_filters(void)
{
    unsigned count = 0;

    while (pprec_filter_name(count) != NULL)
        count++;
    return count;
}

struct pprec *figures_handle(struct pprec_config config, unsigned filter)
{
    struct pprec *pprec;

    config.filter = pprec_filter_name(filter % figures_filters());
    config.on_train = figures_of_train;
    config.on_estimate = figures_of_change;
    config.on_congestion = figures_of_congestion;
    config.on_summary = figures_of_summary;
    if (pprec_new(&pprec, &config) != PPREC_OK)
        abort();
    return pprec;
}

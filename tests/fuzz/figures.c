/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/figures.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void figures_check(const char *name, double figure)
{
    if (isfinite(figure) && figure >= 0)
        return;
    fprintf(stderr, "fuzz: %s is %g\n", name, figure);
    abort();
}

static void check_capacity(const struct pprec_capacity *capacity)
{
    figures_check("capacity_bps", capacity->capacity_bps);
    figures_check("low_bps", capacity->low_bps);
    figures_check("high_bps", capacity->high_bps);
    figures_check("peak_bps", capacity->peak_bps);
    figures_check("burst_bytes", capacity->burst_bytes);
    figures_check("share_bps", capacity->share_bps);
    figures_check("policed_bps", capacity->policed_bps);
    figures_check("policed_burst_bytes", capacity->policed_burst_bytes);
}

/* No figure without a state, no estimate without its interval, and no bound with an upper end. */
static void figures_check_available(const struct pprec_available *available)
{
    bool told = available->state != PPREC_AVAILABLE_UNKNOWN;
    bool bound = available->state == PPREC_AVAILABLE_AT_LEAST;

    figures_check("available_bps", available->available_bps);
    figures_check("available_low_bps", available->low_bps);
    figures_check("available_high_bps", available->high_bps);
    figures_check("buffer_bytes", available->buffer_bytes);
    if (available->queue_ns != PPREC_UNKNOWN_NS)
        figures_check("queue_ns", (double)available->queue_ns);
    if (available->queue_p95_ns != PPREC_UNKNOWN_NS)
        figures_check("queue_p95_ns", (double)available->queue_p95_ns - (double)available->queue_ns);
    if (!told && (available->available_bps > 0 || available->low_bps > 0 || available->high_bps > 0))
        abort();
    if (bound && (available->high_bps > 0 || available->low_bps < available->available_bps))
        abort();
    if (told && !bound
        && (available->low_bps > available->available_bps || available->high_bps < available->available_bps))
        abort();
}

void figures_of_train(void *user, const struct pprec_train *train)
{
    (void)user;
    figures_check("rate_bps", train->rate_bps);
    check_capacity(&train->capacity);
    if (train->received > train->sent)
        abort();
}

void figures_of_change(void *user, const struct pprec_change *change)
{
    (void)user;
    check_capacity(&change->was);
    check_capacity(&change->capacity);
    figures_check_available(&change->available);
}

/* A trend may be negative, a queue not. */
void figures_of_congestion(void *user, const struct pprec_congestion *congestion)
{
    (void)user;
    check_capacity(&congestion->capacity);
    figures_check_available(&congestion->available);
    figures_check("trend's size", fabs(congestion->trend));
    if (congestion->queueing_ns == PPREC_UNKNOWN_NS && congestion->queueing_most_ns == PPREC_UNKNOWN_NS)
        return;
    figures_check("queueing_ns", (double)congestion->queueing_ns);
    if (congestion->queueing_most_ns < congestion->queueing_ns)
        abort();
}

void figures_of_summary(void *user, const struct pprec_summary *summary)
{
    (void)user;
    check_capacity(&summary->capacity);
    figures_check_available(&summary->available);
    figures_check("adr_bps", summary->adr_bps);
    figures_check("rate_p05_bps", summary->rate_p05_bps);
    figures_check("rate_p50_bps", summary->rate_p50_bps);
    figures_check("rate_p95_bps", summary->rate_p95_bps);
    if (summary->counts.usable > summary->counts.trains)
        abort();
}

static void check_hop(const struct pprec_hop *hop)
{
    figures_check("hop's capacity_bps", hop->capacity_bps);
    figures_check("hop's low_bps", hop->low_bps);
    figures_check("hop's high_bps", hop->high_bps);
    if (hop->state == PPREC_HOP_AT_LEAST
            ? hop->high_bps > 0
            : hop->low_bps > hop->capacity_bps || hop->high_bps < hop->capacity_bps)
        abort();
    figures_check("hop's available_low_bps", hop->available_low_bps);
    figures_check("hop's available_bps", hop->available_bps);
    if (hop->available_bps > 0 && hop->available_low_bps > hop->available_bps)
        abort();
}

void figures_of_hops(const struct pprec_hops_summary *summary, const struct pprec_hop *hop)
{
    figures_check("narrow_link_bps", summary->narrow_link_bps);
    if (summary->narrow_hop > summary->narrow_hop_last || summary->narrow_hop_last > summary->hops_told
        || (summary->narrow_hop == 0) != (summary->narrow_hop_last == 0) || summary->hops_told > 64
        || (summary->hops_count != 0 && summary->hops_told != summary->hops_count))
        abort();
    figures_check("tight_link_bps", summary->tight_link_bps);
    if (summary->tight_hop > summary->tight_hop_last || summary->tight_hop_last > summary->hops_told
        || (summary->tight_hop == 0) != (summary->tight_hop_last == 0))
        abort();
    for (uint32_t i = 0; i < summary->hops_told; i++)
        check_hop(&hop[i]);
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

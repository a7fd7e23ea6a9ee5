/* SPDX-License-Identifier: BSD-3-Clause */
#include "pprec/cmd/hops.h"

#include <math.h>

enum { BAR_COLUMNS = 32 };

bool hops_get(struct hops *hops, const struct pprec *pprec, const struct pprec_summary *summary)
{
    return pprec != NULL
        && pprec_get_hops(pprec, &summary->source, summary->stream, hops->hop, HOPS_MOST, &hops->summary)
        == PPREC_OK
        && (hops->summary.trains > 0 || hops->summary.why != PPREC_HOPS_WHY_NONE);
}

/* --- JSON --- */

static void add_number(struct line *line, const char *key, double bps)
{
    line_add(line, ",\"%s\":", key);
    if (line_known(bps))
        line_add_decimal(line, bps);
    else
        line_add_text(line, "null");
}

void hops_add_json(struct line *line, const struct hops *hops)
{
    line_add_text(line, ",\"hops\":[");
    for (unsigned i = 0; i < hops->summary.hops_told && i < HOPS_MOST; i++) {
        const struct pprec_hop *hop = &hops->hop[i];

        line_add(line, "%s{\"hop\":%u", i > 0 ? "," : "", i + 1);
        add_number(line, "capacity_bps", hop->capacity_bps);
        add_number(line, "low_bps", hop->low_bps);
        add_number(line, "high_bps", hop->high_bps);
        add_number(line, "available_bps", hop->available_bps);
        add_number(line, "available_low_bps", hop->available_low_bps);
        line_add(line, ",\"state\":\"%s\"}", pprec_hop_state_name(hop->state));
    }
    line_add_text(line, "]");
}

/* --- Text --- */

static double most_of(const struct hops *hops)
{
    double most = 0;

    for (unsigned i = 0; i < hops->summary.hops_told; i++)
        most = fmax(most, hops->hop[i].capacity_bps);
    return most;
}

static double hops_least_of(const struct hops *hops)
{
    double least = INFINITY;

    for (unsigned i = 0; i < hops->summary.hops_told; i++)
        if (hops->hop[i].capacity_bps > 0)
            least = fmin(least, hops->hop[i].capacity_bps);
    return least;
}

/* Rates of links differ by orders of magnitude: each doubling is as long. The least has a quarter. */
static unsigned columns_of(double bps, double least, double most)
{
    double share = most > least ? log(bps / least) / log(most / least) : 1;

    return (unsigned)lround(BAR_COLUMNS * (0.25 + 0.75 * share));
}

static bool is_narrow(const struct hops *hops, unsigned number)
{
    return number >= hops->summary.narrow_hop && number <= hops->summary.narrow_hop_last;
}

static void add_figure(struct line *line, const struct pprec_hop *hop)
{
    line_add(line, hop->state == PPREC_HOP_AT_LEAST ? "at least " : "");
    line_add_rate(line, hop->capacity_bps);
    line_add_interval(line, hop->low_bps, hop->high_bps);
    if (hop->state == PPREC_HOP_TENTATIVE)
        line_add(line, " tentative");
}

static void add_available(struct line *line, const struct pprec_hop *hop)
{
    if (!(hop->available_low_bps > 0))
        return;
    line_add(line, ", free ");
    if (hop->available_bps > 0) {
        line_add_rate(line, hop->available_bps);
        line_add(line, ", ");
    }
    line_add(line, "at least ");
    line_add_rate(line, hop->available_low_bps);
}

static void add_bar(struct line *line, const struct hops *hops, unsigned i)
{
    const struct pprec_hop *hop = &hops->hop[i];
    double least = hops_least_of(hops), most = most_of(hops);
    unsigned columns = hop->capacity_bps > 0 ? columns_of(hop->capacity_bps, least, most) : 0;

    line_add(line, "\n  %c%3u ", is_narrow(hops, i + 1) ? '>' : ' ', i + 1);
    for (unsigned column = 0; column < BAR_COLUMNS; column++)
        line_add_text(line, column < columns ? "#" : " ");
    line_add_text(line, " ");
    if (hop->capacity_bps > 0)
        add_figure(line, hop);
    else
        line_add_text(line, pprec_hop_state_name(hop->state));
    add_available(line, hop);
}

void hops_add_tight(struct line *line, const struct hops *hops)
{
    const struct pprec_hops_summary *summary = &hops->summary;
    const char *why = pprec_tight_why_text(summary->tight_why);

    if (summary->tight_hop == 0)
        line_add(line, "tight link not found");
    else if (summary->tight_hop == summary->tight_hop_last)
        line_add(line, "tight link %u", summary->tight_hop);
    else
        line_add(line, "tight link one of %u to %u", summary->tight_hop, summary->tight_hop_last);
    if (summary->tight_link_bps > 0 && summary->tight_hop > 0) {
        line_add(line, ", free ");
        line_add_rate(line, summary->tight_link_bps);
    }
    if (why != NULL)
        line_add(line, " (%s)", why);
}

void hops_add_narrow(struct line *line, const struct hops *hops)
{
    const struct pprec_hops_summary *summary = &hops->summary;
    const char *why = pprec_hops_why_text(summary->why);

    if (summary->narrow_hop == 0)
        line_add(line, "narrow link not found");
    else if (summary->narrow_hop == summary->narrow_hop_last)
        line_add(line, "narrow link %u", summary->narrow_hop);
    else
        line_add(line, "narrow link one of %u to %u", summary->narrow_hop, summary->narrow_hop_last);
    if (summary->hops_count > 0)
        line_add(line, " of %u", summary->hops_count);
    if (summary->narrow_link_bps > 0 && summary->narrow_hop > 0) {
        line_add(line, ", ");
        line_add_rate(line, summary->narrow_link_bps);
    }
    if (why != NULL)
        line_add(line, " (%s)", why);
}

void hops_add_bars(struct line *line, const struct hops *hops)
{
    line_add(line, "\n  ");
    hops_add_narrow(line, hops);
    if (hops->summary.tight_trains > 0 || hops->summary.tight_why != PPREC_TIGHT_WHY_NONE) {
        line_add(line, ";\n  ");
        hops_add_tight(line, hops);
    }
    if (hops->summary.hops_told > 0)
        line_add(line, "; least capacity of the first links:");
    for (unsigned i = 0; i < hops->summary.hops_told && i < HOPS_MOST; i++)
        add_bar(line, hops, i);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the narrow link is, and the tight one, hop by hop: for people, for JSON, for Prometheus. */
#ifndef PPREC_CMD_HOPS_H
#define PPREC_CMD_HOPS_H

#include "pprec/cmd/line.h"
#include "pprec/pprec.h"

#include <stdbool.h>

enum { HOPS_MOST = 64 };

struct hops {
    struct pprec_hops_summary summary;
    struct pprec_hop hop[HOPS_MOST]; /* summary.hops_told of them */
};

/* Of the stream of the summary; false when it has nothing to tell. pprec may be NULL. */
bool hops_get(struct hops *hops, const struct pprec *pprec, const struct pprec_summary *summary);

/* Adds ,"hops":[{"hop":1,...},...]. */
void hops_add_json(struct line *line, const struct hops *hops);

/* Adds lines of text, a bar for each hop. */
void hops_add_bars(struct line *line, const struct hops *hops);

/* Adds "narrow link 3 of 6", and the doubt; "tight link 2", and the doubt. */
void hops_add_narrow(struct line *line, const struct hops *hops);
void hops_add_tight(struct line *line, const struct hops *hops);

#endif

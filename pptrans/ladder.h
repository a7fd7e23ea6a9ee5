/* SPDX-License-Identifier: BSD-3-Clause */
/* A geometric ladder of rates, and the order in which they are sent. Pure. */
#ifndef PPTRANS_LADDER_H
#define PPTRANS_LADDER_H

#include <stdint.h>

enum { LADDER_DECADE = 10, LADDER_MOST = 41 }; /* rungs */

struct ladder {
    double low_bps, high_bps; /* 0: there is no ladder */
    uint32_t rungs;           /* 2 to LADDER_MOST */
    uint32_t step;            /* from turn to turn, modulo rungs; coprime with them */
};

/* From low_bps to high_bps, which is more, both among the rungs; LADDER_DECADE a decade, or, of a
 * range so wide that these would be too many, less. */
void ladder_init(struct ladder *ladder, double low_bps, double high_bps);

/* rung: 0 is the lowest. */
double ladder_bps(const struct ladder *ladder, uint32_t rung);

/* The rung of a turn, counted from 0. Each round of all rungs has each of them once, and few turns
 * in a row are spread over all the range: so even a short while has rates that suit a link, and
 * the rates go neither up nor down with the time. */
uint32_t ladder_rung(const struct ladder *ladder, uint32_t turn);

/* In the middle of the range, on its logarithmic scale. */
double ladder_middle_bps(const struct ladder *ladder);

#endif

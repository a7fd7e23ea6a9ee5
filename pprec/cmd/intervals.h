/* SPDX-License-Identifier: BSD-3-Clause */
/* Interval reports of all streams: where each one's last interval ended. */
#ifndef PPREC_CMD_INTERVALS_H
#define PPREC_CMD_INTERVALS_H

#include "pprec/cmd/report.h"
#include "pprec/pprec.h"

#include <stdbool.h>
#include <stddef.h>

struct interval {
    struct pprec_endpoint source;
    uint32_t stream;
    struct pprec_cursor cursor;
};

/* All zero at first. */
struct intervals {
    struct interval *all; /* [count], in the order that the streams had */
    size_t count;
    size_t room;
};

void intervals_fini(struct intervals *intervals);

/* The interval of the stream at index, to be asked for from 0 on until it is false: past the
 * last, or when memory runs out. */
bool intervals_next(struct intervals *intervals, struct pprec *pprec, size_t index,
                    struct pprec_summary *summary);

/* Reports each stream's interval, which ended at time_ns. A stream that there is no memory for
 * waits for the next report, whose interval is the longer then. */
void intervals_report(struct intervals *intervals, struct pprec *pprec, struct report *report,
                      double interval_s, int64_t time_ns);

#endif

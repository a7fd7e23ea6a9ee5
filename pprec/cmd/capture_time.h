/* SPDX-License-Identifier: BSD-3-Clause */
/* -i and -t of stored captures: they count the time that packets passed in. */
#ifndef PPREC_CMD_CAPTURE_TIME_H
#define PPREC_CMD_CAPTURE_TIME_H

#include "pprec/cmd/intervals.h"
#include "pprec/cmd/options.h"
#include "pprec/cmd/report.h"
#include "pprec/pprec.h"

#include <stdbool.h>
#include <stdint.h>

struct capture_time {
    bool begun;
    double interval_s;
    int64_t interval_ns; /* 0: no interval reports */
    int64_t duration_ns; /* 0: no end */
    int64_t first_ns;    /* of the packets */
    int64_t interval_end_ns;
    struct intervals intervals;
};

void capture_time_init(struct capture_time *time, const struct options *options);
void capture_time_fini(struct capture_time *time);

/* Whether it is to be asked after each packet. */
bool capture_time_matters(const struct capture_time *time);

/* Reports the interval that has ended, if one has; the packet that shows it is the
 * last in it. Intervals without any packet are not reported. False when -t is over. */
bool capture_time_passes(struct capture_time *time, struct pprec *pprec, struct report *report);

#endif

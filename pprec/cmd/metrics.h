/* SPDX-License-Identifier: BSD-3-Clause */
/* What Prometheus is told: its text format, version 0.0.4. Names, labels and units are
 * a contract; pprec.1 lists them. A value that is not known has no line. */
#ifndef PPREC_CMD_METRICS_H
#define PPREC_CMD_METRICS_H

#include "pprec/cmd/format.h"
#include "pprec/cmd/ledger.h"
#include "pprec/cmd/output.h"
#include "pprec/cmd/tally.h"
#include "pprec/pprec.h"

#include <event2/buffer.h>
#include <stdint.h>

/* Where the figures come from; all stay the caller's. */
struct metrics {
    const struct pprec *pprec;
    const struct tally *tally;
    const struct format_run *run;
    const struct ledger *ledger; /* NULL: there is none */
    const struct output *output; /* NULL: there is none */
    double started_s;            /* since 1970 */
};

/* Appends the page, at now_ns on the clock of the tally. The work is bounded by the
 * streams of the handle, the page by the places of the tally. */
void metrics_write(const struct metrics *metrics, struct evbuffer *page, int64_t now_ns);

/* Appends a label's value: what would end it is escaped. */
void metrics_escape(struct evbuffer *page, const char *text);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The log of a run, as far as --log-rate goes: a line of a stream is written, or left out for those who
 * come first. */
#ifndef PPREC_CMD_LEDGER_H
#define PPREC_CMD_LEDGER_H

#include "common/error.h"
#include "pprec/cmd/log.h"
#include "pprec/cmd/ration.h"
#include "pprec/pprec.h"

#include <stdbool.h>
#include <stdint.h>

struct ledger {
    struct log log;
    struct ration ration;
    bool said_left_out;
    bool ending; /* of a stream that has lasted its summary comes, and once: not rationed */
};

/* As log_open(); rate_bytes per second, 0: no limit. */
int ledger_open(struct ledger *ledger, const char *path, const struct line *head, uint32_t rate_bytes,
                int64_t now_ns, struct error *error);

/* Says on standard error what is not in it. */
void ledger_close(struct ledger *ledger);

/* A line of a stream of that source and standing, as ration_take() has them, to be written with
 * log_flush(). False: left out. The error's text is set only when there is news, good or bad. */
bool ledger_write(struct ledger *ledger, const struct line *line, const struct pprec_endpoint *source,
                  double standing, int64_t now_ns, struct error *error);

#endif

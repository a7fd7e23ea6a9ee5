/* SPDX-License-Identifier: BSD-3-Clause */
/* The event loop: receives lazily, keeps the timers, obeys signals. */
#ifndef PPREC_CMD_LOOP_H
#define PPREC_CMD_LOOP_H

#include "common/error.h"
#include "pprec/cmd/options.h"
#include "pprec/cmd/report.h"
#include "pprec/cmd/state.h"
#include "pprec/pprec.h"

/* Runs until -c, -t, SIGINT or SIGTERM. metrics_socket: of server_listen(), or -1. state: to be
 * kept, or NULL. 0, or -1 with the error's text set. */
int loop_run(struct pprec *pprec, struct report *report, const struct options *options, int metrics_socket,
             struct state *state, struct error *error);

#endif

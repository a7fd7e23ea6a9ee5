/* SPDX-License-Identifier: BSD-3-Clause */
/* The HTTP server of --metrics: /metrics, /healthz and / with links to both, for GET and HEAD. It has no
 * encryption and asks for no password: what it is bound to decides who may read.
 *
 * It lives in the loop that reads packets, which loses nothing by it: the kernel stamps
 * packets while a page is written. Clients that do not read, or do not even ask, hold
 * one of few connections, and for some seconds only. */
#ifndef PPREC_CMD_SERVER_H
#define PPREC_CMD_SERVER_H

#include "common/error.h"
#include "pprec/cmd/metrics.h"

#include <event2/event.h>

struct server;

/* Listens on "ADDRESS:PORT" or "[ADDRESS]:PORT" and returns the socket, or -1 with
 * the error's text set. Connections wait until server_start(). */
int server_listen(const char *where, struct error *error);

/* Serves the figures; the socket is the server's from here on. metrics stay the caller's.
 * NULL, with the socket closed, when it cannot be set up. */
struct server *server_start(struct event_base *base, int socket, const struct metrics *metrics);

/* server may be NULL. Before the base is freed. */
void server_stop(struct server *server);

#endif

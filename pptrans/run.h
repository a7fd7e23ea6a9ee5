/* SPDX-License-Identifier: BSD-3-Clause */
/* One run of the sender: from options to totals. */
#ifndef PPTRANS_RUN_H
#define PPTRANS_RUN_H

#include "burst.h"
#include "common/address.h"
#include "egress.h"
#include "options.h"
#include "report.h"
#include "schedule.h"
#include "payloads.h"
#include "tagger.h"

#include <signal.h>

struct run {
    const struct sender_options *options;
    struct report report;
    struct address to;
    struct plan plan;
    struct egress egress;
    struct schedule schedule;
    struct payloads payloads;
    struct burst burst;
    int listener;             /* hears what ICMP says of our packets; -1: nothing more to hear */
    unsigned interface_index; /* that the socket is bound to; 0: none */
    struct error reason;      /* for the way of sending */
    struct error warning;     /* worth telling, but no reason to stop */
    struct tagger tagger;     /* with plan.tagged */
    uint32_t stream, next_seq, next_train;
    struct flight flight;    /* the last train sent, */
    struct plan_shape shape; /* and its outline */
    bool in_flight;          /* its departure is not settled yet */
    bool have_departure;     /* of some earlier train: */
    uint32_t departure_train;
    int64_t departure_span_ns;
    struct report_totals totals;
    int64_t status_ns;  /* when the service manager was told */
    int64_t handing_ns; /* in which the kernel takes a paced packet, averaged; 0: none yet */
    sigset_t mask;      /* to wait with: signals come through */
};

/* Checks everything, sends nothing. Returns 0, or -1 with the error's text
 * set. options outlives the run. */
int run_open(struct run *run, const struct sender_options *options, struct error *error);

/* Sends until count or time are reached, or SIGINT or SIGTERM comes; then
 * reports the totals, which stay in run. */
void run_trains(struct run *run);

void run_close(struct run *run);

/* --- of its parts, to each other --- */

/* The path after a refusal: an interface that went and came, another MTU, and so another plan. */
void run_follow(struct run *run);

/* Sends the next train of the plan, or one of another outline in its place. */
void run_send_next(struct run *run);
void run_send(struct run *run, const struct plan_shape *shape);

/* Takes what stamps there are. */
void run_collect(struct run *run);

/* As many of the last train's stamps are in as will be: accounts for them. */
void run_settle(struct run *run);

/* Waits for stamps, or a signal when the mask lets it through, until end_ns on the monotonic clock
 * at most. */
void run_wait(struct run *run, int64_t end_ns, const sigset_t *mask);

#endif

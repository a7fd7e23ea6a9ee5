/* SPDX-License-Identifier: BSD-3-Clause */
/* What changes a handle: packets, and time; and its streams end, or begin anew. */
#ifndef PPREC_LIB_PUSH_H
#define PPREC_LIB_PUSH_H

#include "pprec/core.h"
#include "pprec/lib/missing.h"
#include "pprec/lib/streams.h"

#include <stdint.h>

/* As pprec_push(), for who has entered, and has made the arrival of a packet: its way is checked, or as
 * sockets and captures have it, and its numbers are as its format has them. PPREC_EFOREIGN for what cannot
 * be a packet of any train, as it came from outside. */
int handle_push(struct pprec *pprec, const struct pprec_arrival *arrival);

/* A packet came: time passes with it, unless it was held. */
void handle_let_time_pass(struct pprec *pprec, const struct pprec_stamp *now);

/* A packet of media counts in its path, in a train or not. */
void handle_count_in_path(struct pprec *pprec, const struct pprec_arrival *arrival, struct missing_news news);

/* A copy of a probe counts in its stream. False: there is none. */
bool handle_count_copy(struct pprec *pprec, const struct pprec_arrival *arrival);

/* So many packets of its stream are no part of any train. False: there is no such stream. */
bool handle_count_alone(struct pprec *pprec, const struct pprec_arrival *arrival, int32_t packets);

/* As streams_tell_numbers(). */
bool handle_tell_numbers(const struct pprec *pprec, const struct pprec_endpoint *source, uint32_t id,
                         enum pprec_kind kind, struct streams_numbers *numbers);

/* It is now_ns on that clock: ends trains stamped by it that will not complete. */
void handle_look_over(struct pprec *pprec, uint8_t clock, int64_t now_ns);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Fair queueing: flows that never pause take turns with ours. */
#ifndef FILTERS_TURNS_H
#define FILTERS_TURNS_H

#include "filters/candidate.h"
#include "filters/statistics.h"

/* A packet's gap behind such a queue: the link's where some packets came at its rate,
 * ORIGIN_TURNS_TOLD; else a long train's, ORIGIN_TURNS; ORIGIN_NONE: there is no such queue. */
struct candidate turns_read(const struct seen *seen, const struct statistics *statistics);

/* The same where nothing is told for sure: by packets of two sizes, or by how long first packets wait. 0: they do not tell. */
double turns_link_ns(const struct seen *seen, const struct statistics *s);

/* The same where hardly a first packet waits for nothing, whatever for: of what trains begin with, and go on with. 0: they
 * do not fit turns. */
double turns_fit_ns(const struct noise *noise, const struct statistics *s);

/* Whether trains begin with more than a turn holds: no turns. */
bool turns_begin_longer(const struct statistics *s);

/* Whether pairs came further apart to a link that takes so long for a packet, as from a slower one before it. */
bool turns_caught_up(const struct seen *seen, const struct statistics *s, double packet_ns);

/* Whether first packets may wait as they do there: evenly, and hardly one for nothing, while pairs take less than
 * trains, or all gaps are alike. */
bool turns_wait(const struct seen *seen, const struct statistics *s);

/* Whether pairs of two sizes deny that what trains get is the link's. */
bool turns_deny(const struct seen *seen, const struct statistics *s);

/* Whether they do not, where enough of them came to show it. second_rest: more second packets wait for nothing than where
 * others take turns; late stamps move the first ones alone. */
bool turns_do_not_wait(const struct seen *seen, const struct statistics *s, bool second_rest);

/* Whether they may, as far as too few of them tell. */
bool turns_may_wait(const struct seen *seen, const struct statistics *s);

/* Whether they keep back what pairs or trains tell of a FIFO link: they wait so; or may, of the few, and all gaps are
 * alike. */
bool turns_keep_back(const struct seen *seen, const struct statistics *s);

#endif

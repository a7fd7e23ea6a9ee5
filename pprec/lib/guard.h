/* SPDX-License-Identifier: BSD-3-Clause */
/* With a key: which probes are believed. Each authentic one passes once, whatever
 * address it came from.
 *
 * A sender's packets are known by their stream id, numbers and TIME, all under the
 * tag. What passed is remembered by number, as in RFC 4303, section 3.4.3; TIME keeps
 * the numbers apart that have wrapped. A stream that is not known begins only
 * with a TIME near the receiver's clock, and later than that of every stream that was
 * forgotten: so what is old stays refused, however little is remembered. A known one is
 * held to no clock but its own, so that either end's may be set. The tag covers where they
 * were sent to: copies that come elsewhere are none of ours. */
#ifndef PPREC_LIB_GUARD_H
#define PPREC_LIB_GUARD_H

#include "common/auth.h"
#include "common/wire.h"
#include "pprec/core.h"
#include "pprec/lib/memory.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    GUARD_WINDOW = 1024, /* packets remembered: four of the longest trains */
    GUARD_STREAMS = 1024 /* a power of two; past it the stream of the oldest TIME goes */
};

struct guard_stream {
    uint32_t id;
    uint32_t newest_seq;
    int64_t newest_ns; /* the latest TIME */
    struct guard_stream *next;
    uint32_t seen[GUARD_WINDOW / 32]; /* by number modulo the window */
};

struct guard {
    struct auth_key key;
    struct pprec_endpoint sent_to; /* ip 0: where they came to */
    int64_t max_age_ns;
    int64_t forgotten_ns; /* the latest TIME of a stream that went */
    unsigned count;
    struct guard_stream *buckets[GUARD_STREAMS];
    struct guard_stream streams[GUARD_STREAMS];
};

/* Stores a guard with the configuration's key, or NULL when it has none. 0; PPREC_ENOMEM
 * or PPREC_EINVAL with the error's text set. */
int guard_new(struct guard **guard, const struct memory *memory, const struct pprec_config *config,
              struct error *error);

/* Overwrites the key. Takes NULL too. */
void guard_free(struct guard *guard, const struct memory *memory);

/* Takes in a stream as it was remembered: not one that is known, nor when there is no room. */
bool guard_remember(struct guard *guard, const struct guard_stream *stream);

/* Whether it can be known where a datagram that came to an endpoint was sent to. */
bool guard_knows(const struct guard *guard, const struct pprec_endpoint *came_to);

/* Whether the probe, decoded from data and received then, is believed. PPREC_REASONS: it is;
 * else why not. */
enum pprec_reason guard_check(struct guard *guard, const struct wire_probe *probe, const uint8_t *data,
                              const struct pprec_endpoint *came_to, const struct pprec_stamp *received);

#endif

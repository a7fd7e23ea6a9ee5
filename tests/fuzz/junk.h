/* SPDX-License-Identifier: BSD-3-Clause */
/* Datagrams that nobody should send. */
#ifndef TESTS_FUZZ_JUNK_H
#define TESTS_FUZZ_JUNK_H

#include "pprec/pprec.h"
#include "tests/unit/random.h"

#include <stddef.h>
#include <stdint.h>

enum { JUNK_BYTES_MAX = 80 };

/* Fills the room with noise, a probe of random fields, or a probe that a few
 * streams might send, its bytes damaged or not; returns its length. */
size_t junk_datagram(struct rng *rng, uint8_t room[JUNK_BYTES_MAX]);

/* As sent: mostly what is at hand and more, sometimes what cannot be. */
size_t junk_payload_bytes(struct rng *rng, size_t data_bytes);

/* Times that go on, step, jump to the end of the world, of any clock. */
struct pprec_stamp junk_stamp(struct rng *rng, int64_t *now_ns);

/* An arrival of any transport, its fields from nearly right to absurd. */
struct pprec_arrival junk_arrival(struct rng *rng, int64_t *now_ns);

#endif

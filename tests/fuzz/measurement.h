/* SPDX-License-Identifier: BSD-3-Clause */
/* A measurement that goes on while junk comes in at the same port: pairs of 1000
 * bytes over a path of 10 Mbit/s. Whatever the junk is, every pair reads as 10
 * Mbit/s, and none is lost; if not, the program says so and aborts. */
#ifndef TESTS_FUZZ_MEASUREMENT_H
#define TESTS_FUZZ_MEASUREMENT_H

#include "common/auth.h"
#include "common/wire.h"
#include "pprec/pprec.h"

#include <stddef.h>
#include <stdint.h>

enum {
    MEASUREMENT_SOURCES = 16,
    MEASUREMENT_STREAMS_MAX = 64,
    /* of a header with all that pairs have: nothing of it is left untagged */
    MEASUREMENT_PROBE_BYTES = WIRE_HEADER_BYTES + WIRE_TIME_BYTES + WIRE_DEPARTURE_BYTES + WIRE_AUTH_BYTES
};

struct measurement {
    struct pprec *pprec;
    int64_t now_ns;                          /* stamps go on from here */
    uint32_t sent;                           /* packets of the measurement */
    uint32_t trains;                         /* that were told */
    const struct auth_key *key;              /* NULL: none */
    uint8_t packet[MEASUREMENT_PROBE_BYTES]; /* the last */
    uint64_t copies; /* of its packets, from its place: the only junk that it counts */
};

/* Begins with three pairs: a stream that has measured is not pushed out. Tagged and
 * checked with the key, if there is one; it stays the caller's. */
void measurement_start(struct measurement *measurement, const struct auth_key *key);

/* The measurement's next packet, first and second of a pair by turns, the second
 * 800 us after the first however much junk came between them. */
void measurement_send(struct measurement *measurement);

/* A datagram of junk, from one of MEASUREMENT_SOURCES places, one of which is the
 * measurement's: then it is of another stream. */
void measurement_junk(struct measurement *measurement, unsigned source, const uint8_t *data,
                      size_t data_bytes, size_t payload_bytes);

/* The same, whatever stream it is of; returns what the library did. */
int measurement_attack(struct measurement *measurement, unsigned source, const uint8_t *data,
                       size_t data_bytes, size_t payload_bytes);

/* The place of that number. */
struct pprec_endpoint measurement_source(unsigned source);

/* Completes the pair, finishes, checks and frees. */
void measurement_end(struct measurement *measurement);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The payloads of a train, ready before it leaves. */
#ifndef PPTRANS_PAYLOADS_H
#define PPTRANS_PAYLOADS_H

#include "common/auth.h"
#include "common/error.h"
#include "common/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Packets lie one after another without gaps, stride_bytes apart, so that a
 * stretch of them can be handed over as one segmented send. */
struct payloads {
    uint8_t *bytes;
    size_t stride_bytes;
};

/* Room for packets payloads of payload_bytes, filled with random bytes that no
 * link can compress. Returns 0, or -1 with the error's text set. */
int payloads_init(struct payloads *payloads, uint32_t packets, uint32_t payload_bytes, struct error *error);
void payloads_fini(struct payloads *payloads);

const uint8_t *payloads_at(const struct payloads *payloads, uint32_t position);

/* The flags of a train whose payloads are payload_bytes: AUTH and TIME when tagged,
 * else TIME whenever it fits; DEPARTURE when there is one to tell and it fits too. */
uint16_t payloads_flags(uint32_t payload_bytes, bool have_departure, bool tagged);

/* Writes the headers of all packets. first: the header of position 0 (log2 of
 * the length tells how many there are); sequence number and position go up
 * from there. */
void payloads_write(struct payloads *payloads, const struct wire_probe *first);

/* Sets TIME in all packets that payloads_write() gave one: the last thing before
 * they are handed over, or tagged. */
void payloads_set_time(struct payloads *payloads, const struct wire_probe *first, uint64_t sent_ns);

/* Tags all packets, which have AUTH among their flags and TIME set, and are to be sent there. */
void payloads_tag(struct payloads *payloads, const struct wire_probe *first, const struct auth_key *key,
                  const struct auth_destination *to);

/* The paper's format instead: the low byte of the sequence number. */
void payloads_write_classic(struct payloads *payloads, uint32_t packets, uint32_t first_seq);

#endif

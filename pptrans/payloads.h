/* SPDX-License-Identifier: BSD-3-Clause */
/* The payloads of a train, ready before it leaves. */
#ifndef PPTRANS_PAYLOADS_H
#define PPTRANS_PAYLOADS_H

#include "common/error.h"
#include "common/wire.h"

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
int payloads_init(struct payloads *payloads, uint32_t packets, uint32_t payload_bytes,
                  struct error *error);
void payloads_fini(struct payloads *payloads);

const uint8_t *payloads_at(const struct payloads *payloads, uint32_t position);

/* The flags of a train whose payloads are payload_bytes: TIME whenever it fits,
 * DEPARTURE when there is one to tell and it fits too. */
uint16_t payloads_flags(uint32_t payload_bytes, int have_departure);

/* Writes the headers of all packets. first: the header of position 0 (log2 of
 * the length tells how many there are); sequence number and position go up
 * from there. */
void payloads_write(struct payloads *payloads, const struct wire_probe *first);

/* Sets TIME in all packets that payloads_write() gave one: the last thing before
 * they are handed over. */
void payloads_set_time(struct payloads *payloads, const struct wire_probe *first, uint64_t sent_ns);

/* The paper's format instead: the low byte of the sequence number. */
void payloads_write_classic(struct payloads *payloads, uint32_t packets, uint32_t first_seq);

#endif

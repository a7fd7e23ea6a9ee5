/* SPDX-License-Identifier: BSD-3-Clause */
/* From the arrivals of one stream to its trains, in order, each handed on once.
 *
 * A train is handed on when it is complete and the sender's word on its
 * departure has come or will not come; when later trains show that the rest of
 * it is lost; or when nothing of it has come for a while. Time is that of the
 * arrivals, or given by assembler_tick(); given more or less often, between two
 * arrivals, it changes nothing of what is handed on.
 *
 * Of a train whose inner packets are to die on the way the first and the last are all: inner
 * ones that do not come are not lost, unless others of them come.
 *
 * A packet that announces no others and stays alone is no train: it is counted, not handed on.
 *
 * One packet must not lead a stream astray. What is far ahead, or far behind but sent later,
 * is a stranger: it is held until the next packet goes on from it, and comes in then, or is
 * dropped. Other packets far behind are late; when three trains of them have come in a row,
 * and nothing else, the stream goes on from there. */
#ifndef PPREC_LIB_ASSEMBLER_H
#define PPREC_LIB_ASSEMBLER_H

#include "pprec/lib/assembly.h"

/* memory, counts and owner stay the caller's; miss gets how many packets, at least one, were sent and did not
 * come, before report gets the train that shows it, valid until it returns, with verdict OK or LATE and the
 * fields of dispersion_measure() unset. */
void assembler_init(struct assembler *assembler, const struct memory *memory, struct pprec_counts *counts,
                    uint64_t *strangers, void (*miss)(void *owner, uint64_t packets),
                    void (*report)(void *owner, struct sample *sample), void *owner);
void assembler_fini(struct assembler *assembler);

/* As after assembler_init(), but for the memory it has. Nothing is reported. */
void assembler_reset(struct assembler *assembler);

/* Takes a packet that counts layer_bytes: position below train_length, that at
 * most ASSEMBLER_TRAIN_MAX, or 0 for a train that announces no length. Returns 1 for a first copy in time, 0
 * for a duplicate, a late one or a stranger, PPREC_EFOREIGN for one that contradicts its
 * train, PPREC_ENOMEM. Allocates only when a train is longer than any before. */
int assembler_push(struct assembler *assembler, const struct pprec_arrival *arrival, uint32_t layer_bytes);

/* Nothing arrived up to now_ns on that clock. */
void assembler_tick(struct assembler *assembler, uint8_t clock, int64_t now_ns);

/* Hands on what is in flight. */
void assembler_finish(struct assembler *assembler);

#endif

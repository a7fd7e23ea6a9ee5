/* SPDX-License-Identifier: BSD-3-Clause */
/* Tags for trains that are ready, and the time they are over. */
#ifndef PPTRANS_TAGGER_H
#define PPTRANS_TAGGER_H

#include "common/address.h"
#include "common/auth.h"
#include "payloads.h"
#include "plan.h"

#include <stdint.h>

struct tagger {
    struct auth_key key;
    struct auth_destination to;
    int64_t packet_ns; /* what tagging a packet takes */
};

/* Returns 0, or -1 with the error's text set when there is no key to be had. */
int tagger_open(struct tagger *tagger, const char *key_file, struct error *error);

/* Where everything will be sent to; before the others. */
void tagger_aim(struct tagger *tagger, const struct address *to);

/* Overwrites the key. */
void tagger_close(struct tagger *tagger);

/* Measures what tagging takes here, on payloads that are to be written later. */
void tagger_calibrate(struct tagger *tagger, struct payloads *payloads, const struct plan_shape *train);

/* Sets TIME in all packets and tags them; returns TIME, at which it returns: the train
 * is to be handed over at once. */
int64_t tagger_tag(const struct tagger *tagger, struct payloads *payloads, const struct wire_probe *first);

#endif

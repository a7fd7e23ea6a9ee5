/* SPDX-License-Identifier: BSD-3-Clause */
/* From a dissected packet to an arrival: which stream and train it belongs to. */
#ifndef PPREC_LIB_RECOGNISE_H
#define PPREC_LIB_RECOGNISE_H

#include "pprec/lib/dissect.h"
#include "pprec/pprec.h"

/* Pushes what the packet is recognised as; counts it as foreign when it is
 * nothing that the handle expects. port: of probes, 0: any. */
void recognise(struct pprec *pprec, const struct packet *packet, struct pprec_stamp received,
               uint16_t port);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* A datagram in memory of just its size, so that the address sanitizer sees any
 * look beyond its end. */
#ifndef TESTS_FUZZ_EXACT_H
#define TESTS_FUZZ_EXACT_H

#include "pprec/pprec.h"

#include <stddef.h>

/* Where all of them come to. */
extern const struct pprec_endpoint exact_destination;

/* As pprec_push_datagram(). */
int exact_push(struct pprec *pprec, const struct pprec_endpoint *source, const void *data, size_t data_bytes,
               size_t payload_bytes, struct pprec_stamp received);

#endif

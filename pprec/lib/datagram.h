/* SPDX-License-Identifier: BSD-3-Clause */
/* From a UDP payload to an arrival: the probe header, version 1 or classic. */
#ifndef PPREC_LIB_DATAGRAM_H
#define PPREC_LIB_DATAGRAM_H

#include "pprec/core.h"

#include <stddef.h>

/* Fills in what the probe in a UDP payload tells of its arrival: version 1 or
 * classic as configured. 1: it is to be pushed; 0: it is a copy, and counted;
 * PPREC_EFOREIGN; PPREC_EREFUSED: a probe that is not believed, and counted. */
int datagram_arrival(struct pprec *pprec, struct pprec_arrival *arrival, const void *data, size_t data_bytes);

/* As pprec_push_datagram(), for who has entered. */
int handle_push_datagram(struct pprec *pprec, struct pprec_arrival *arrival, const void *data,
                         size_t data_bytes);

#endif

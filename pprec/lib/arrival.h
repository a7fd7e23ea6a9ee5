/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be an arrival at all, whatever stream it is of. */
#ifndef PPREC_LIB_ARRIVAL_H
#define PPREC_LIB_ARRIVAL_H

#include "common/error.h"
#include "pprec/core.h"

#include <stdbool.h>

/* Whether a time is beyond +-2^62 ns (146 years from 1970): it is nonsense, and differences of
 * such times would overflow. */
bool arrival_out_of_range(int64_t ns);

/* The arrival of a program whose struct may be shorter, or longer: what it does not know is
 * unknown. */
struct pprec_arrival arrival_of_other(const void *arrival, size_t arrival_bytes);

/* Addresses and stamp, which are never the sender's to choose. 0, or PPREC_EINVAL with a text
 * that names the field. */
int arrival_check_way(const struct pprec_arrival *arrival, struct error *error);

/* What a source's packet may have all the same: an address that is none of its version of IP, sizes, and
 * times that its sender wrote. */
int arrival_check_packet(const struct pprec_arrival *arrival, struct error *error);

/* That and all other fields, each by itself and within its train. */
int arrival_check(const struct pprec_arrival *arrival, struct error *error);

/* When the packet itself left, or PPREC_UNKNOWN_NS: programs that clear the struct instead of
 * calling pprec_arrival_init() leave 0. */
static inline int64_t arrival_departed_ns(const struct pprec_arrival *arrival)
{
    return arrival->departed_ns != 0 ? arrival->departed_ns : PPREC_UNKNOWN_NS;
}

#endif

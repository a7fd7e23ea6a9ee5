/* SPDX-License-Identifier: BSD-3-Clause */
/* Which tunnel a packet is in, as far as its outer headers tell. */
#ifndef PPREC_LIB_TUNNELS_H
#define PPREC_LIB_TUNNELS_H

#include "pprec/source.h"

#include <stdint.h>

/* By IP's protocol; PPREC_TUNNELS: none. */
enum pprec_tunnel tunnel_of_protocol(uint8_t protocol);

/* By either port of UDP. Anybody may use them for something else. */
enum pprec_tunnel tunnel_of_ports(uint16_t source, uint16_t destination);

/* Counts one; none is not counted. */
static inline void tunnel_count(struct pprec_capture_counts *counts, enum pprec_tunnel tunnel)
{
    if (tunnel < PPREC_TUNNELS)
        counts->tunnelled[tunnel]++;
}

#endif

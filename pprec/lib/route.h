/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel's routing table says. */
#ifndef PPREC_LIB_ROUTE_H
#define PPREC_LIB_ROUTE_H

#include "common/address.h"

/* The index of the interface that packets to this address would leave by, and so
 * the one to receive a group on; 0 when there is no route, or no answer. */
unsigned route_interface(const struct address *to);

#endif

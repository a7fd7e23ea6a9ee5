/* SPDX-License-Identifier: BSD-3-Clause */
/* How many streams each address has, whatever its ports: of IPv6 each /64, of which one
 * host may have all addresses. */
#ifndef PPREC_LIB_ORIGINS_H
#define PPREC_LIB_ORIGINS_H

#include "common/keyed_hash.h"
#include "pprec/core.h"
#include "pprec/lib/memory.h"

#include <stddef.h>
#include <stdint.h>

struct origin {
    uint32_t words[3]; /* IP version, and the address */
    uint32_t streams;
    struct origin *next; /* in its bucket, or among those that are free */
};

struct origins {
    const struct keyed_hash *hash;
    struct origin *all; /* [room]; NULL: nobody counts */
    struct origin *unused;
    struct origin **buckets;
    size_t bucket_mask;
};

/* Room for the origins of so many streams. 0 or PPREC_ENOMEM; origins_fini() in any case.
 * hash stays the caller's. */
int origins_init(struct origins *origins, const struct memory *memory, uint32_t room,
                 const struct keyed_hash *hash);
void origins_fini(struct origins *origins, const struct memory *memory);

/* NULL: it has no streams. */
struct origin *origins_find(const struct origins *origins, const struct pprec_endpoint *source);

/* Counts a stream of the source, there being room, and takes it off again. NULL, and none
 * to take off, where nobody counts. */
struct origin *origins_add(struct origins *origins, const struct pprec_endpoint *source);
void origins_take_off(struct origins *origins, struct origin *origin);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What tells endpoints apart: port, version of IP, and as much of the address as that version has.
 * Of ip 0, an endpoint that is not known, no address counts. */
#ifndef PPREC_LIB_ENDPOINT_H
#define PPREC_LIB_ENDPOINT_H

#include "pprec/core.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Lengths that are constants cost a load; this is done for every packet. */
static inline bool endpoint_same(const struct pprec_endpoint *a, const struct pprec_endpoint *b)
{
    if (a->port != b->port || a->ip != b->ip)
        return false;
    if (a->ip == 4)
        return memcmp(a->address, b->address, 4) == 0;
    return a->ip == 0 || memcmp(a->address, b->address, sizeof a->address) == 0;
}

enum { ENDPOINT_WORDS = 5 };

/* The same in words, for keyed_hash(): how many say all; the rest are 0. */
static inline size_t endpoint_name(uint32_t words[ENDPOINT_WORDS], const struct pprec_endpoint *endpoint)
{
    size_t bytes = endpoint->ip == 4 ? 4 : endpoint->ip == 0 ? 0 : sizeof endpoint->address;

    memset(words, 0, ENDPOINT_WORDS * sizeof *words);
    words[0] = (uint32_t)endpoint->port << 8 | endpoint->ip;
    memcpy(words + 1, endpoint->address, bytes);
    return 1 + bytes / sizeof *words;
}

#endif

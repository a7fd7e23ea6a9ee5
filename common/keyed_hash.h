/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashes for tables whose names strangers choose: SipHash-2-4 under a random key, so that
 * nobody can choose names that fall together, nor find any by the time they take. */
#ifndef COMMON_KEYED_HASH_H
#define COMMON_KEYED_HASH_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

struct keyed_hash {
    uint64_t key[2];
};

/* Another key each time, from the system. 0, or -1 with the error's text set. */
int keyed_hash_init(struct keyed_hash *hash, struct error *error);

/* Of the words' bytes, the least significant of each word first. */
uint32_t keyed_hash(const struct keyed_hash *hash, const uint32_t *words, size_t count);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashes for tables whose names strangers choose: under a random key, so that nobody can
 * choose names that fall together. */
#ifndef COMMON_KEYED_HASH_H
#define COMMON_KEYED_HASH_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

enum { KEYED_HASH_WORDS = 12 }; /* at most in a name */

struct keyed_hash {
    uint64_t key[KEYED_HASH_WORDS + 1];
};

/* Another key each time, from the kernel. 0, or -1 with the error's text set. */
int keyed_hash_init(struct keyed_hash *hash, struct error *error);

/* Of names of one table: all of the same count, or with a word that tells it. */
uint32_t keyed_hash(const struct keyed_hash *hash, const uint32_t *words, size_t count);

#endif

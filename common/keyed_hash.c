/* SPDX-License-Identifier: BSD-3-Clause */
#ifdef _WIN32
#define _CRT_RAND_S
#endif

#include "keyed_hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 0, or -1 with errno set. */
#ifdef _WIN32
static int keyed_hash_draw(uint64_t *key, size_t count)
{
    for (size_t i = 0; i < 2 * count; i++) {
        unsigned number;

        errno = rand_s(&number);
        if (errno != 0)
            return -1;
        key[i / 2] = key[i / 2] << 32 | number;
    }
    return 0;
}
#else
static int keyed_hash_draw(uint64_t *key, size_t count)
{
    return getentropy(key, count * sizeof *key);
}
#endif

int keyed_hash_init(struct keyed_hash *hash, struct error *error)
{
    if (keyed_hash_draw(hash->key, sizeof hash->key / sizeof hash->key[0]) == 0)
        return 0;
    return error_set(error, "the system gives no random numbers: %s", strerror(errno));
}

/* --- SipHash-2-4 (Aumasson and Bernstein 2012), made for this --- */

static uint64_t rotate(uint64_t value, unsigned bits)
{
    return value << bits | value >> (64 - bits);
}

static void rounds(uint64_t v[4], unsigned count)
{
    for (; count > 0; count--) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] = rotate(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[2] = rotate(v[2], 32);
    }
}

static void compress(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    rounds(v, 2);
    v[0] ^= word;
}

uint32_t keyed_hash(const struct keyed_hash *hash, const uint32_t *words, size_t count)
{
    /* "somepseudorandomlygeneratedbytes" */
    uint64_t v[4] = {hash->key[0] ^ UINT64_C(0x736f6d6570736575), hash->key[1] ^ UINT64_C(0x646f72616e646f6d),
                     hash->key[0] ^ UINT64_C(0x6c7967656e657261),
                     hash->key[1] ^ UINT64_C(0x7465646279746573)};
    uint64_t last = (uint64_t)(4 * count & 0xff) << 56;

    for (size_t i = 0; i + 1 < count; i += 2)
        compress(v, words[i] | (uint64_t)words[i + 1] << 32);
    compress(v, count % 2 != 0 ? last | words[count - 1] : last);
    v[2] ^= 0xff;
    rounds(v, 4);
    return (uint32_t)(v[0] ^ v[1] ^ v[2] ^ v[3]);
}

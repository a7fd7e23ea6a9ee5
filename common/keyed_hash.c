/* SPDX-License-Identifier: BSD-3-Clause */
#include "keyed_hash.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int keyed_hash_init(struct keyed_hash *hash, struct error *error)
{
    if (getentropy(hash->key, sizeof hash->key) == 0)
        return 0;
    return error_set(error, "the kernel gives no random numbers: %s", strerror(errno));
}

#ifdef AUTH_SODIUM

#include <sodium.h>

_Static_assert(sizeof((struct keyed_hash *)0)->key >= crypto_shorthash_KEYBYTES, "key");
_Static_assert(sizeof(uint64_t) == crypto_shorthash_BYTES, "hash");

/* SipHash-2-4 (Aumasson and Bernstein 2012), made for this. */
uint32_t keyed_hash(const struct keyed_hash *hash, const uint32_t *words, size_t count)
{
    uint64_t value;

    crypto_shorthash((unsigned char *)&value, (const unsigned char *)words, count * sizeof *words,
                     (const unsigned char *)hash->key);
    return (uint32_t)value;
}

#else

/* Multiply-shift over vectors (Dietzfelbinger 1996): for any two names that were chosen
 * before the key was, the chance to fall together is that of random ones. */
uint32_t keyed_hash(const struct keyed_hash *hash, const uint32_t *words, size_t count)
{
    uint64_t sum = hash->key[0];

    for (size_t i = 0; i < count; i++)
        sum += hash->key[i + 1] * words[i];
    return (uint32_t)(sum >> 32);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "origins.h"

#include <string.h>

enum { WORDS = sizeof((struct origin *)0)->words / sizeof(uint32_t) };

int origins_init(struct origins *origins, const struct memory *memory, uint32_t room,
                 const struct keyed_hash *hash)
{
    size_t buckets = 1;

    while (buckets < 2 * (size_t)room)
        buckets *= 2;
    *origins = (struct origins){
        .hash = hash,
        .all = memory_get(memory, room * sizeof *origins->all),
        .buckets = memory_get(memory, buckets * sizeof(struct origin *)),
        .bucket_mask = buckets - 1,
    };
    if (origins->all == NULL || origins->buckets == NULL)
        return PPREC_ENOMEM;
    for (uint32_t i = room; i-- > 0; origins->unused = &origins->all[i])
        origins->all[i].next = origins->unused;
    return 0;
}

void origins_fini(struct origins *origins, const struct memory *memory)
{
    memory_put(memory, origins->all);
    memory_put(memory, origins->buckets);
}

static void name(uint32_t words[WORDS], const struct pprec_endpoint *source)
{
    words[0] = source->ip;
    words[2] = 0;
    memcpy(words + 1, source->address, source->ip == 4 ? 4 : 8);
}

static struct origin **origins_bucket_of(const struct origins *origins, const uint32_t words[WORDS])
{
    return &origins->buckets[keyed_hash(origins->hash, words, WORDS) & origins->bucket_mask];
}

struct origin *origins_find(const struct origins *origins, const struct pprec_endpoint *source)
{
    uint32_t words[WORDS];
    struct origin *origin;

    if (origins->all == NULL)
        return NULL;
    name(words, source);
    origin = *origins_bucket_of(origins, words);
    while (origin != NULL && memcmp(origin->words, words, sizeof words) != 0)
        origin = origin->next;
    return origin;
}

struct origin *origins_add(struct origins *origins, const struct pprec_endpoint *source)
{
    struct origin *origin = origins_find(origins, source);
    struct origin **bucket;

    if (origin == NULL && (origin = origins->unused) != NULL) {
        origins->unused = origin->next;
        name(origin->words, source);
        bucket = origins_bucket_of(origins, origin->words);
        origin->next = *bucket;
        *bucket = origin;
    }
    if (origin != NULL)
        origin->streams++;
    return origin;
}

void origins_take_off(struct origins *origins, struct origin *origin)
{
    struct origin **link;

    if (origin == NULL || --origin->streams > 0)
        return;
    link = origins_bucket_of(origins, origin->words);
    while (*link != origin)
        link = &(*link)->next;
    *link = origin->next;
    origin->next = origins->unused;
    origins->unused = origin;
}

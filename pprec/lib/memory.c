/* SPDX-License-Identifier: BSD-3-Clause */
#include "pprec/lib/memory.h"

#include <stdlib.h>
#include <string.h>

static void *from_libc(void *user, size_t bytes)
{
    (void)user;
    return malloc(bytes);
}

static void to_libc(void *user, void *block)
{
    (void)user;
    free(block);
}

const struct memory memory_of_libc = {from_libc, to_libc, NULL, NULL};

struct header {
    _Alignas(max_align_t) size_t bytes; /* with this */
};

_Static_assert(sizeof(struct header) == MEMORY_HEADER_BYTES, "what stands behind it is aligned");

static bool memory_fits(const struct memory_use *use, size_t bytes, size_t most)
{
    return use->bytes <= most && bytes <= most - use->bytes;
}

/* NULL when it may not be taken. */
static struct header *memory_take(const struct memory *memory, size_t bytes)
{
    if (memory->use != NULL) {
        memory->use->denied = !memory_fits(memory->use, bytes, memory->use->most);
        if (memory->use->denied)
            return NULL;
    }
    return memory->allocate(memory->user, bytes);
}

void *memory_get_unclean(const struct memory *memory, size_t bytes)
{
    size_t whole = bytes + sizeof(struct header);
    struct header *header = whole > bytes ? memory_take(memory, whole) : NULL;

    if (header == NULL)
        return NULL;
    header->bytes = whole;
    if (memory->use != NULL)
        memory->use->bytes += whole;
    return header + 1;
}

void *memory_get(const struct memory *memory, size_t bytes)
{
    void *block = memory_get_unclean(memory, bytes);

    return block != NULL ? memset(block, 0, bytes) : NULL;
}

void memory_put(const struct memory *memory, void *block)
{
    if (block == NULL)
        return;
    if (memory->use != NULL)
        memory->use->bytes -= memory_bytes(block);
    memory->release(memory->user, (struct header *)block - 1);
}

size_t memory_bytes(const void *block)
{
    return block != NULL ? ((const struct header *)block - 1)->bytes : 0;
}

bool memory_denied(const struct memory *memory)
{
    return memory->use != NULL && memory->use->denied;
}

bool memory_plenty(const struct memory *memory, size_t bytes)
{
    return memory->use == NULL || memory_fits(memory->use, bytes, memory->use->most / 4 * 3);
}

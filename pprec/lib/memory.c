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

const struct memory memory_of_libc = {from_libc, to_libc, NULL};

void *memory_get(const struct memory *memory, size_t bytes)
{
    void *block = memory->allocate(memory->user, bytes);

    if (block != NULL)
        memset(block, 0, bytes);
    return block;
}

void memory_put(const struct memory *memory, void *block)
{
    if (block != NULL)
        memory->release(memory->user, block);
}

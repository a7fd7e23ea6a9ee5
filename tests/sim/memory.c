/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void *checked(void *items)
{
    if (!items) {
        fputs("sim: out of memory\n", stderr);
        abort();
    }
    return items;
}

void *sim_allocate(size_t count, size_t item_bytes)
{
    return checked(calloc(count ? count : 1, item_bytes));
}

void *sim_grow(void *items, size_t *room, size_t count, size_t item_bytes)
{
    size_t slots = *room ? *room : 64;

    if (count <= *room)
        return items;
    while (slots < count)
        slots *= 2;
    if (slots > SIZE_MAX / item_bytes)
        return checked(NULL);
    *room = slots;
    return checked(realloc(items, slots * item_bytes));
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/allocations.h"

#include <stdbool.h>
#include <stddef.h>

/* The linker sends calls of X to __wrap_X, and those of __real_X to libc's. */
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);

/* threads allocate too */
static _Atomic uint64_t count;
static _Atomic int64_t left = -1;

uint64_t allocations(void)
{
    return count;
}

void allocations_limit(int64_t n)
{
    left = n;
}

static bool granted(void)
{
    count++;
    if (left > 0)
        left--;
    else if (left == 0)
        return false;
    return true;
}

void *__wrap_malloc(size_t bytes)
{
    return granted() ? __real_malloc(bytes) : NULL;
}

void *__wrap_calloc(size_t number, size_t bytes)
{
    return granted() ? __real_calloc(number, bytes) : NULL;
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    return granted() ? __real_realloc(memory, bytes) : NULL;
}

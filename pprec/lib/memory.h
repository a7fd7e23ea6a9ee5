/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a handle's memory comes from: the caller's functions, or malloc() and free(). */
#ifndef PPREC_LIB_MEMORY_H
#define PPREC_LIB_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* What a handle has taken, of what it may take. */
struct memory_use {
    size_t bytes, most;
    bool denied; /* the last that was asked for went beyond */
};

struct memory {
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *memory);
    void *user;
    struct memory_use *use; /* NULL: nobody counts */
};

/* The one of malloc() and free(). */
extern const struct memory memory_of_libc;

/* In front of each block stands its size. */
enum { MEMORY_HEADER_BYTES = _Alignof(max_align_t) };

/* All zero, aligned as malloc() does; NULL when memory runs out, or would go beyond. */
void *memory_get(const struct memory *memory, size_t bytes);

/* The same, but with anything in it. */
void *memory_get_unclean(const struct memory *memory, size_t bytes);

/* Takes NULL too. */
void memory_put(const struct memory *memory, void *block);

/* Of a block. Takes NULL too: 0. */
size_t memory_bytes(const void *block);

/* Whether the last that memory_get() did not give was for the bound. */
bool memory_denied(const struct memory *memory);

/* Whether that much would leave a quarter: what wants more than it needs must not take the
 * place of what begins. */
bool memory_plenty(const struct memory *memory, size_t bytes);

#endif

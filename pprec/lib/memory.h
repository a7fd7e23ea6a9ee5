/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a handle's memory comes from: the caller's functions, or malloc() and free(). */
#ifndef PPREC_LIB_MEMORY_H
#define PPREC_LIB_MEMORY_H

#include <stddef.h>

struct memory {
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *memory);
    void *user;
};

/* The one of malloc() and free(). */
extern const struct memory memory_of_libc;

/* All zero, aligned as malloc() does; NULL when memory runs out. */
void *memory_get(const struct memory *memory, size_t bytes);

/* Takes NULL too. */
void memory_put(const struct memory *memory, void *block);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed captures: gzip, zstd and xz, by their first bytes. Each library may be missing from a
 * build; then what it would read is known by name still. */
#ifndef PPREC_LIB_CAPTURE_UNPACK_H
#define PPREC_LIB_CAPTURE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So many first bytes tell; and what one that reads may take, however it was compressed. */
enum { UNPACK_MAGIC_BYTES = 6, UNPACK_MEMORY_BYTES = 128 << 20 };

/* What is left of the input, and of the room for what comes out. */
struct unpack_io {
    const uint8_t *in;
    size_t in_bytes;
    bool last; /* no more follows what is in */
    uint8_t *out;
    size_t out_bytes;
};

enum unpack_result {
    UNPACK_GOES_ON, /* it wants more in, or more room */
    UNPACK_OVER,    /* the input ended where it may */
    UNPACK_BAD
};

struct unpack_way {
    const char *name; /* of the format, for people */
    uint8_t magic[UNPACK_MAGIC_BYTES];
    uint8_t mask[UNPACK_MAGIC_BYTES]; /* which bits of it count */
    const char *library;              /* that a build wants for it; NULL: none reads it */
    void *(*begin)(void);             /* NULL: this build cannot; returns NULL when memory runs out */
    /* Moves on in and out. Streams one after the other are one. why: set with UNPACK_BAD, a text of
     * the library's that stays. */
    enum unpack_result (*run)(void *state, struct unpack_io *io, const char **why);
    void (*end)(void *state);
};

/* The way for what begins with these bytes; NULL: it is not compressed by anything known. */
const struct unpack_way *unpack_find(const uint8_t *magic, size_t bytes);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a handle's packets come from: one table of operations for a socket, for
 * files and for a live capture. A source pushes what it reads into the handle;
 * nothing calls back into it. */
#ifndef PPREC_LIB_SOURCE_H
#define PPREC_LIB_SOURCE_H

#include "pprec/core.h"
#include "pprec/lib/memory.h"

#include <stdint.h>

struct source;

struct source_ops {
    /* memory: where the source came from. */
    void (*free)(struct source *source, const struct memory *memory);
    /* As pprec_dispatch(). */
    int (*dispatch)(struct source *source, struct pprec *pprec, unsigned packets_max);
    /* As pprec_dropped_here(). */
    uint64_t (*dropped)(const struct source *source);
};

/* The first member of every source. */
struct source {
    const struct source_ops *ops;
    int fd;                           /* -1: read it at any time */
    int buffer_bytes;                 /* 0: none of its own */
    enum pprec_timestamps timestamps; /* who stamps */
};

#endif

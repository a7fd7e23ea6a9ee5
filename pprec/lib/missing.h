/* SPDX-License-Identifier: BSD-3-Clause */
/* Which packets of a flow are missing, by its own numbers. */
#ifndef PPREC_LIB_MISSING_H
#define PPREC_LIB_MISSING_H

#include <stdbool.h>
#include <stdint.h>

/* All zero at first. */
struct missing {
    bool begun;
    uint8_t behind;  /* packets in a row from far behind */
    uint32_t newest; /* number */
    uint32_t came;   /* bit i: newest - i */
};

struct missing_news {
    bool first;    /* it is no copy, as far as that is remembered */
    uint32_t lost; /* found missing with it */
};

/* The packet has that number, of so many bits. One is missing when MISSING_LATER later numbers have
 * come: one that comes still later is a first copy, and stays lost. */
enum { MISSING_LATER = 3 };

struct missing_news missing_note(struct missing *missing, uint32_t number, unsigned bits);

#endif

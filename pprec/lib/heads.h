/* SPDX-License-Identifier: BSD-3-Clause */
/* How many packets of a frame a token bucket lets pass at once. Frames are short trains, too short
 * for a filter to find the knee in each of them; but all frames of a stream have it at the same
 * packet. Gaps are kept by their position: where those near the head are shorter than those of the
 * tail, and the tail's are alike, what lasts is in the tail alone. On a link all are alike. */
#ifndef PPREC_LIB_HEADS_H
#define PPREC_LIB_HEADS_H

#include "filters/sample.h"

#include <stdbool.h>
#include <stdint.h>

/* The first gaps each by itself, later ones with their neighbours. */
enum { HEADS_CELLS = 24, HEADS_KEPT = 16 };

/* So many packets, as trains have said for long enough. */
struct heads_end {
    uint16_t packets;
    uint16_t fewer;       /* as the last trains say, but not for long ... */
    uint8_t fewer_trains; /* ... enough */
};

struct heads {
    float gaps_ns[HEADS_CELLS][HEADS_KEPT]; /* the last ones there, a byte */
    uint8_t pushed[HEADS_CELLS];            /* up to twice HEADS_KEPT, then from that again */
    struct heads_end first;                 /* that pass at once; 0: none, as far as is known */
    struct heads_end
        last;      /* that all buckets let pass: what follows the first may be the head of a larger one */
    float long_ns; /* a byte: gaps of the last tail are longer, the first ones shorter; 0: not known */
    uint8_t went_on, came_back; /* trains that had such gaps in a row, by whether they ended with them */
    uint8_t unseen;             /* trains since the last look at all gaps */
    bool bucket;                /* the first are so much nearer that nothing but a bucket lets them pass */
};

/* Takes the gaps of a train, and says whether what was learnt of trains without their heads is wrong: more packets pass
 * at once than was known, or a larger bucket shows, or there is none. */
bool heads_push(struct heads *heads, const struct sample *sample);

/* The train without its head, its packets in room, which has as many as the sample; false where
 * all of it passed before the last bucket was empty. */
bool heads_cut(const struct heads *heads, const struct sample *sample, struct sample *tail,
               struct sample_packet *room);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The floor of one-way delays between two clocks that need not agree: what a packet takes that
 * meets no queue, and how fast one clock runs away from the other.
 *
 *   over(p) = p.ns - origin.ns - level - slope * (p.at - origin.at) - byte_ns * p.bytes
 *
 * and the floor is the line over(p) = 0, of packets of any size as far as it is known how long a
 * byte takes. Queues only add to a delay (Moon, Skelly and Towsley, INFOCOM 1999), so no packet
 * lies below it:
 *
 * - It falls at once. Where it falls further than clocks run apart (500 ppm, RFC 5905) and
 *   stamps are off (0.1 ms), the path or a clock was changed, and it begins anew from there.
 * - The least delay of each bucket of time touches it, if clocks alone could have brought it so
 *   far above since the last touch. Its slope is the median of those between any two touches (Theil
 *   1950, Sen 1968), and it lies under all of them: a base history (RFC 6817) of 32 touches over
 *   ten minutes.
 * - It rises to where ten seconds' least delays lie on one line of their own, as straight as its
 *   own have been (to 0.1 ms, where they are jittery to 1 ms at most), with not a packet lost: a
 *   path or a clock that was changed does that, while a queue swings. And to where it is when
 *   nothing has touched it for ten minutes. */
#ifndef PPREC_LIB_FLOOR_H
#define PPREC_LIB_FLOOR_H

#include <stdbool.h>
#include <stdint.h>

struct delay {
    int64_t at_ns; /* arrival */
    int64_t ns;    /* arrival less departure: of two clocks */
    uint32_t bytes;
};

enum { FLOOR_TOUCHES = 32, FLOOR_RISE_SECONDS = 10 };

struct floor {
    struct delay touches[FLOOR_TOUCHES];      /* the oldest first */
    struct delay seconds[FLOOR_RISE_SECONDS]; /* the least of each of the last that had any */
    struct delay origin;
    struct delay bucket, second; /* the least of the present ones, which began ... */
    int64_t bucket_ns, second_ns;
    int64_t width_ns; /* of a bucket */
    double level_ns;
    double slope, unsure;        /* ns/ns; by so much it may be off */
    double byte_ns;              /* that the narrow link takes for one; 0: not known */
    double uneven_ns;            /* of its own least delays, ten seconds of them; 0: not known */
    uint8_t count, second_count; /* touches, seconds */
    bool begun, bucket_begun, second_begun;
};

/* What the packet made of the floor. */
enum floor_news {
    FLOOR_STAYS, /* or came down by what there was to learn */
    FLOOR_MOVED  /* delays from before are not to be held against this floor */
};

/* A floor is all zero at first. Takes a packet: times within +-2^62 ns, the delay their
 * difference. */
enum floor_news floor_push(struct floor *floor, struct delay delay);

/* How long a byte takes on the narrow link. */
void floor_set_byte(struct floor *floor, double byte_ns);

/* A packet of this path was lost. */
void floor_note_loss(struct floor *floor);

/* How far the delay lies above, in ns. */
double floor_over(const struct floor *floor, struct delay delay);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Following a rate that was believed and then changes. */
#ifndef FILTERS_CHANGE_H
#define FILTERS_CHANGE_H

#include "filters/seen.h"
#include "filters/witness.h"

/* Rates that were believed and then changed. */
enum { LEVELS_ROOM = 4 };

/* What pairs, or long trains, usually say. */
struct watch {
    double gap_ns;    /* for `bytes`; 0: they are not watched */
    double middle_ns; /* of all, watched or not, for as many */
    uint32_t bytes;
    float leaves_for_ns; /* where long trains agree that drift away; 0: they do not */
    double share;        /* gaps are the same that differ by so much of them ... */
    double noise_ns;     /* ... or by what stamps make of a reading, if that is more */
    struct floor {
        double slope, first_ns; /* of first packets' delays, as in struct floors */
        uint16_t segment;
        bool known;
    } floor;
    unsigned missed; /* readings in a row that said something else */
    bool drifts;     /* and most of the newest lie to one side, or agree, as hardly any did before */
};

struct change {
    struct witness held; /* the last that was believed; none: its gap_ns is 0 */
    struct watch pairs, longs;
    bool bucket; /* what was found last: then ends of trains are watched (seen_follow()) */
    unsigned count;
    struct level {
        double bps;
        unsigned until;    /* trains so far */
    } levels[LEVELS_ROOM]; /* the oldest first */
};

/* What the newest readings say of the rate that is told. */
enum change_seen {
    CHANGE_NONE,
    CHANGE_DRIFTS, /* they begin to drift away from it */
    CHANGE_BACK,   /* they drifted, and it is back */
    CHANGE_LEVEL   /* they agree on another: all that is older is forgotten */
};

/* To be called after each push. trains: so far. */
enum change_seen change_watch(struct change *change, struct seen *seen, const struct readings *readings,
                              unsigned trains);

/* Whether something else than what is held is in the making. */
bool change_disputes(const struct change *change, const struct candidate *candidate);

/* Whether the newest readings drift away from what is told. */
bool change_drifts(const struct change *change);

/* What they agree on, if they are long trains that do; else 0. */
double change_leaves_for_bps(const struct change *change);

/* What is told of a FIFO path now, believed or not, and what pairs say by themselves: where that
 * is the same they are watched. Long trains are where they are told, or say the same and there are
 * no pairs but their heads. While something is held that was believed, a guess is not. */
void change_hold(struct change *change, const struct seen *seen, const struct witness *told,
                 const struct witness *pairs, bool believed);

/* What is told is none of a FIFO path: nothing is held, and nothing watched. Rates that were left stay. */
void change_forget(struct change *change);

/* Least and greatest of the rates that the newest so many trains have left. */
struct left {
    unsigned count;
    double low_bps, high_bps;
};

struct left change_left(const struct change *change, unsigned trains, unsigned newest);

#endif

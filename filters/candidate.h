/* SPDX-License-Identifier: BSD-3-Clause */
/* A gap that may be the path's, and where it is from. */
#ifndef FILTERS_CANDIDATE_H
#define FILTERS_CANDIDATE_H

#include "filters/estimate.h"
#include "filters/evidence.h"
#include "filters/moments.h"

enum origin {
    ORIGIN_NONE,
    ORIGIN_AGREEMENT,  /* mean of readings that nearly all agree */
    ORIGIN_MODE,       /* where most of them lie */
    ORIGIN_LEAST,      /* what the readings of least delay agree on */
    ORIGIN_FLOORS,     /* distance of the floors of first and second packets' delays */
    ORIGIN_TRAINS,     /* mean of trains, or what those of least delay leave of it */
    ORIGIN_SPARED,     /* trains that left in no time, or whole batches of them */
    ORIGIN_EVEN,       /* trains of even gaps */
    ORIGIN_SETTLED,    /* trains whose gaps scatter and make up for it */
    ORIGIN_LATER,      /* what trains go on with, where heads are shorter */
    ORIGIN_TURNS,      /* fair queueing: other flows take turns with ours */
    ORIGIN_SLOWER,     /* the same behind a slower link, which this is */
    ORIGIN_TURNS_TOLD, /* and some packets came at the rate of the link */
    ORIGIN_MEAN,       /* mean of a rate that varies */
    ORIGIN_CONTENTION, /* mean service time, where each packet waits by itself */
    ORIGIN_CYCLES,     /* whole cycles of grants */
    ORIGIN_TAIL,       /* trains behind a pause at their head */
    ORIGIN_LAST,       /* ends of trains */
};

struct candidate {
    double gap_ns;   /* for `bytes`; 0: there is none */
    double error_ns; /* half width of its 95 % interval */
    double below_ns; /* that the interval reaches further down ... */
    double above_ns; /* ... and up */
    double share_ns; /* mean gap of a long train between other flows; 0: there are none */
    uint32_t bytes;
    enum origin origin;
    bool limited; /* the gap is the sender's: it left with it */
};

static inline struct candidate candidate_of(double gap_ns, double error_ns, uint32_t bytes,
                                            enum origin origin)
{
    return (struct candidate){.gap_ns = gap_ns, .error_ns = error_ns, .bytes = bytes, .origin = origin};
}

/* And what is known of it. */
struct proposal {
    struct candidate candidate;
    struct evidence evidence;
};

/* What is to be right within 5 % must have an interval that says so. */
#define CANDIDATE_ERROR_MOST 0.04

/* In place of this one, the mean gap a byte of trains that were spared. */
static inline struct candidate candidate_a_byte(const struct candidate *from, const struct mean *spared)
{
    struct candidate candidate = *from;

    candidate.gap_ns = spared->gap_ns * from->bytes;
    candidate.error_ns = spared->error_ns * from->bytes;
    candidate.above_ns = 0;
    candidate.origin = ORIGIN_SPARED;
    return candidate;
}

/* Its gap, for packets of so many bytes, and for one byte. */
static inline double candidate_gap_ns(const struct candidate *candidate, uint32_t bytes)
{
    return candidate->gap_ns * bytes / candidate->bytes;
}

static inline double candidate_byte_ns(const struct candidate *candidate)
{
    return candidate->gap_ns / candidate->bytes;
}

static inline double candidate_bps(const struct candidate *candidate)
{
    return candidate->bytes * 8e9 / candidate->gap_ns;
}

#endif

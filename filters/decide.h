/* SPDX-License-Identifier: BSD-3-Clause */
/* Evidence -> state, capacity, interval, why and what to send. What then stands of that is stand.h's, and what the sender's habits
 * change of the advice sent.h's. */
#ifndef FILTERS_DECIDE_H
#define FILTERS_DECIDE_H

#include "filters/blocks.h"
#include "filters/change.h"
#include "filters/comb.h"
#include "filters/estimate.h"
#include "filters/load.h"
#include "filters/policer.h"
#include "filters/witness.h"

/* What else the gap may be, by each way to read it: a byte, ns. */
enum { WAYS_MOST = 7 };

struct ways {
    unsigned count;
    double gap_ns[WAYS_MOST];
};

/* All that is known of a path. */
struct findings {
    struct proposal link;   /* one that is no chain of FIFO links, or ORIGIN_NONE */
    struct shaped shaped;   /* a token bucket; bps 0: none */
    struct witness fifo;    /* a chain of FIFO links, where it is neither */
    struct proposal denial; /* what the statistics say instead of that, or ORIGIN_NONE */
    struct ways ways;
    double later_bps;   /* what later gaps of trains tell where the FIFO gap is a guess; 0: nothing */
    bool late;          /* most pairs are faster, and no more so than a late first stamp makes them */
    double between_bps; /* the link, where whole packets of others are between pairs, 0: they are not; ... */
    struct between between; /* ... the same of trains */
    double shared_bps;      /* what trains get of a link whose turns spare smaller packets; 0: they do not */
    struct blocks blocks;   /* what lets packets go together gathers them; later_ns 0: nothing says so */
    bool turns_deny;        /* others take turns: behind slots, or as sizes tell */
    double burst_bps;       /* what trains of few batches came at; 0: they are none */
    double turns_bps;       /* of the link, if first packets wait for turns; 0: nothing tells it */
    bool waits;             /* with a bucket: first packets may wait for turns */
    bool cycles;            /* with a bucket: trains may fit into what a cycle passes */
    struct spared spared;   /* with a bucket: what it has if others at a constant rate are in trains */
    bool disputed;          /* another rate is held, and in doubt */
    double turned_bps; /* of a shaper of which a share is told, or of a link that smaller pairs show; or 0 */
    double
        step_bps; /* what the newest long trains end with, otherwise than those behind a bucket before them; or 0 */
    double end_bps;        /* what trains end with, slower than that bucket's rate; or 0 */
    bool drifts;           /* the newest trains leave the rate that is told ... */
    double leaves_for_bps; /* ... for that one; 0: for none that they agree on */
    struct left left;      /* rates that were held before */
    struct policed policed;
    const struct load *load;
    const struct seen *seen;
    bool batched;        /* long trains come in batches */
    bool within;         /* most trains came within one tick of the stamps */
    bool unread;         /* most of them lose too much to be read */
    bool lossy;          /* they lose far more than short ones */
    unsigned longest;    /* of long trains, as long as any */
    uint32_t seen_bytes; /* the most that came of one train */
};

/* What the newest trains say, whatever was told before (stand.h). *believed: the FIFO path's gap is, whatever else keeps the estimate from being sure. */
struct estimate decide(const struct findings *findings, bool *believed);

/* Whether that is the mean of trains, where all that lies between their packets are whole ones of others, or turns that spare
 * smaller pairs: a share of a faster link. */
bool decide_is_a_share(const struct findings *findings, const struct estimate *estimate);

/* Whether that is the rate within blocks, and a slower link fills them. */
bool decide_is_in_blocks(const struct findings *findings, const struct estimate *estimate);

/* Tells the better guess, if there is one, where nothing is decided and nothing waits to be: what is borne out is what
 * trains say. */
void decide_guess(const struct findings *findings, struct estimate *estimate);

/* Says so where stamps are too coarse for the gap of a packet of so many bytes, and that is what to mend first. It
 * changes why and advice alone, and comes last: others ask for the why that it was. */
void decide_coarse(const struct findings *findings, uint32_t bytes, struct estimate *estimate);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What the curves of many long trains have in common: shapers and batches. */
#ifndef FILTERS_SHAPE_H
#define FILTERS_SHAPE_H

#include "filters/curve.h"
#include "filters/moments.h"

#include <stdint.h>

/* Kept of the longest trains: enough for quartiles to be steady; more would only follow slower. */
enum { SHAPES_ROOM = 48 };

/* In 65535ths, so that all of them take little room. */
typedef uint16_t shape_share;

/* Of what is from 0 to 1, and else as near as it gets; what is more than 0 does not become it. */
static inline shape_share shape_share_of(double value)
{
    double parts = value * UINT16_MAX;
    shape_share whole;

    if (!(parts > 0))
        return 0;
    if (parts >= UINT16_MAX)
        return UINT16_MAX;
    whole = (shape_share)parts;
    return (shape_share)(whole + (whole < parts));
}

static inline double shape_share_is(shape_share share)
{
    return (double)share / UINT16_MAX;
}

struct shape {
    uint32_t number; /* of those that came before it; wraps */
    uint32_t bytes;  /* of a packet */
    uint16_t sent : 15;
    uint16_t row_soon : 1; /* the row of row_ns begins with a turn's gaps */
    uint16_t packets : 15; /* in the run of it that was read */
    uint16_t in_runs : 1;  /* of its teeth */
    uint8_t knee;
    uint8_t batches;
    uint8_t held; /* packets in whole batches that are alike */
    uint8_t held_batches : 7;
    bool ticked : 1;
    shape_share rest; /* of it by so much the tail's gap is longer without its first one */
    uint8_t baseline;
    bool scattered; /* of its teeth */
    uint8_t alike;  /* gaps of it, as far as stamps can tell */
    uint8_t place;  /* of all, of the longest one that has this one's place among these */
    float head_gap_ns, tail_gap_ns, bucket_bytes;
    float gap_ns;
    shape_share departed; /* of its span its departure took so much; 0: not told */
    shape_share tiny, short_share;
    shape_share teeth_error; /* of teeth_mean_ns */
    float held_ns;
    float quarter_ns[CURVE_QUARTERS];
    float variance_ns2, last_variance_ns2;
    float end_ns, last_ns, longest_ns;
    float burst_ns, pause_ns, row_ns;
    float ratio;
    float tick_ns;
    float tick_share;
    float tooth_ns, teeth_apart_ns, teeth_mean_ns;
};

/* A bucket may hold a short train whole: half as long as the longest, or less, is no witness of what that one shows. */
struct shapes {
    uint16_t count;
    uint16_t longest;             /* so many of them are witnesses */
    uint32_t pushed;              /* so far; wraps */
    struct shape at[SHAPES_ROOM]; /* the oldest first */
};

/* The longest ones, the oldest first; i < longest. */
static inline const struct shape *shapes_longest(const struct shapes *shapes, unsigned i)
{
    return &shapes->at[shapes->at[i].place];
}

#define EACH_LONGEST(shape, shapes)                                                                          \
    for (const struct shape *slot = (shapes)->at, *shape;                                                    \
         slot < (shapes)->at + (shapes)->longest && (shape = (shapes)->at + slot->place, true); slot++)

/* The first so many of at[] are there: finds the longest of them. */
void shapes_hold(struct shapes *shapes, unsigned count);

/* Forgets what is older than so many. Where there is no room, one that is no witness goes first: of a
 * video's frames one in hundreds may be what shows a bucket. */
void shapes_push(struct shapes *shapes, const struct sample *sample, const struct curve *curve,
                 unsigned window);

/* Packets of the longest train, lost ones with it. */
unsigned shapes_sent(const struct shapes *shapes);

/* Forgets all but the last keep that came. */
void shapes_keep(struct shapes *shapes, unsigned keep);

/* The middle of what those of the longest say that have a ratio, of packets of that size (0: of any); 0: none has. */
double shapes_middle(const struct shapes *shapes, uint32_t bytes, double (*say)(const struct shape *));

static inline double shape_ratio(const struct shape *shape)
{
    return shape->ratio;
}

/* Share of gaps that are alike. */
static inline double shape_regular(const struct shape *shape)
{
    return shape->alike / (shape->packets - 1.0);
}

/* Mean gap of a quarter of the run, as curve.c cuts it. */
double shape_quarter_ns(const struct shape *shape, unsigned quarter);

/* Behind its first quarter, where a late first stamp, a bucket, a pause are. */
double shape_later_gap_ns(const struct shape *shape);

/* What all of it took. */
double shape_span_ns(const struct shape *shape);

/* The newest long trains agree on what they end with, and it is not what those before them ended with behind
 * a bucket. bucket: that is told, however few knees show it. */
struct step {
    unsigned trains; /* long ones that do; 0: they do not */
    unsigned since;  /* trains of any length since the first of them */
    double bps;      /* that they agree on */
    bool sure;       /* the shaper was set anew, and what came before tells nothing any more */
};

struct step shapes_step(const struct shapes *shapes, bool bucket);

/* A token bucket: its rate and the interval of that; the rate of the head of a train. */
struct shaped {
    double bps; /* 0: there is none */
    double low_bps, high_bps;
    double peak_bps;
    double burst_bytes;
};

/* Whether the level shifts at the same place in most trains, to the same level. */
struct shaped shapes_shaped(const struct shapes *shapes);

/* Last quarters, a byte, where every one of these trains is slower than a FIFO path can make it, but for
 * whose rate it is; n 0 elsewhere. */
struct mean shapes_crawl(const struct shapes *shapes, double pair_bps);

/* Of trains of packets of that size in which nearly all gaps are alike; none where there are too
 * few, or fewer than half of all, or they end slower than they begin. */
struct mean shapes_regular(const struct shapes *shapes, uint32_t bytes);

/* Traffic stretches a gap by a fifth of a large packet, where pairs agree, and no train to more than so many times its
 * length, but on paths that never rest. */
#define TRAINS_SLOWER 1.5

/* One loaded link slows a long train to C / (1 + u C / C0), at the slowest half of C; several loaded links slow it
 * somewhat more. A train below that share of C has another cause. */
#define TRAINS_SLOWEST 0.3

/* Whether the last quarter of one of them is slower than the rate, so many times. */
bool shapes_slower(const struct shapes *shapes, double bps, double times);

/* Whether packets come in batches: only long baselines mean something. */
bool shapes_batched(const struct shapes *shapes, const struct noise *noise);

/* How far off the slope of batched trains may be, as a share of it: the last packet of
 * a batch may have come just before the interrupt, or a gap before it. */
double shapes_batch_error(const struct shapes *shapes, bool ticked);

/* Whether the batches are too few for slopes to mean anything (but not where trains are
 * ticked), or hide too much. */
bool shapes_hidden(const struct shapes *shapes, bool ticked);

/* Of trains that no traffic can have got into, batched or not, a byte: they left in no time, as
 * they tell, and vary no more than batches make them. */
struct mean shapes_spared(const struct shapes *shapes);

/* Mean gap of trains of packets of that size, ns. */
struct statistic shapes_gap(const struct shapes *shapes, uint32_t bytes);

/* Whole trains of the newest length. */
struct span {
    unsigned count;
    uint32_t bytes;  /* of all packets but the first */
    double gap_ns;   /* from first packet to last, mean */
    double tick_ns;  /* mean of longest gap less the shortest */
    double phase_ns; /* what the ticks that they begin and end in may add to that */
    bool at_once;    /* they left so, as nearly all of them tell */
    bool steady;     /* the path serves by a clock of its own: whole trains vary no
                        more than parts of them do */
    bool ticked;     /* that clock shows in each of them (ticks.h), however few */
};

/* batched: as shapes_batched() says. */
struct span shapes_span(const struct shapes *shapes, bool batched);

#endif

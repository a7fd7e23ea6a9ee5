/* SPDX-License-Identifier: BSD-3-Clause */
/* What speaks for a candidate and against it, each with its name. */
#ifndef FILTERS_EVIDENCE_H
#define FILTERS_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

enum reason {
    FOR_AGREED,   /* nearly all readings have it: there is nothing to filter */
    FOR_GROUNDED, /* and the floors of the delays, or long trains, bear that out */
    FOR_PROVEN,   /* the floor of the delays holds it up */
    FOR_SHOWN,    /* nearly all trains end with it, and packets wait for nobody's turn */

    AGAINST_DEPARTURES, /* some left with it, or passed at once that did; or nobody tells */
    AGAINST_FLOORS,     /* the floors of the delays are not the gap apart */
    AGAINST_BATCHES,    /* trains came in batches */
    AGAINST_TAILS,      /* the last gaps of trains are not the first */
    AGAINST_SPARED,     /* smaller packets are far faster: they find room in a bucket */
    AGAINST_SIZES,      /* packets of other sizes have another rate */
    AGAINST_MEANS,      /* the mean gap of pairs is not that of trains */
    AGAINST_TRAINS,     /* trains agree on another gap */
    AGAINST_HIDDEN,     /* batches hide what traffic adds */
    AGAINST_WAITS,      /* trains are even, but first packets wait */
    AGAINST_TURNS,      /* first packets wait as where others take turns with ours */
    AGAINST_UNTOLD,     /* nothing came at the rate of the link itself */
    AGAINST_VARIES,     /* it differs from train to train, or may */
    AGAINST_TEETH,      /* traffic at a constant rate stretches trains as evenly */
    AGAINST_UNSHOWN,    /* hardly a train ends with it, or faster */
    AGAINST_RESTLESS,   /* no floor of delays is reached, and trains take half as long again */
    AGAINST_CAUGHT_UP,  /* all pairs that have it waited at their head */
    AGAINST_FASTER,     /* trains are faster, and no floor says that they were compressed */
    AGAINST_CYCLES,     /* trains fit into one cycle of a clock */
    AGAINST_ADDED,      /* what scatters gaps of trains adds up over them, as traffic does */
    AGAINST_CLOCK,      /* a rival: trains that keep a clock say something else, and have as much for it */

    REASON_COUNT
};

/* A set of them. */
struct evidence {
    uint32_t reasons;
};

#define EVIDENCE_AGAINST (~0U << AGAINST_DEPARTURES)
/* Of that, what only keeps a rate from being proven, and names no other one. */
#define EVIDENCE_MISSING                                                                                     \
    (1U << AGAINST_HIDDEN | 1U << AGAINST_WAITS | 1U << AGAINST_TURNS | 1U << AGAINST_VARIES                 \
     | 1U << AGAINST_CLOCK | 1U << AGAINST_CYCLES | 1U << AGAINST_FASTER)

static inline bool evidence_has(struct evidence evidence, enum reason reason)
{
    return evidence.reasons >> reason & 1;
}

static inline void evidence_note(struct evidence *evidence, enum reason reason, bool holds)
{
    evidence->reasons |= (uint32_t)holds << reason;
}

static inline void evidence_drop(struct evidence *evidence, enum reason reason)
{
    evidence->reasons &= ~(1U << reason);
}

/* Anything for it. */
static inline bool evidence_supports(struct evidence evidence)
{
    return (evidence.reasons & ~EVIDENCE_AGAINST) != 0;
}

/* By anything but a rival. */
static inline bool evidence_denied(struct evidence evidence)
{
    return (evidence.reasons & EVIDENCE_AGAINST & ~(1U << AGAINST_CLOCK)) != 0;
}

/* Not only that proof is missing. */
static inline bool evidence_refutes(struct evidence evidence)
{
    return (evidence.reasons & EVIDENCE_AGAINST & ~EVIDENCE_MISSING) != 0;
}

/* Agreement is no proof by itself. */
static inline bool evidence_proves(struct evidence evidence)
{
    return !evidence_denied(evidence)
        && ((evidence_has(evidence, FOR_AGREED) && evidence_has(evidence, FOR_GROUNDED))
            || evidence_has(evidence, FOR_PROVEN));
}

#endif

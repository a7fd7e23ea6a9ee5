/* SPDX-License-Identifier: BSD-3-Clause */
/* The gap of a FIFO path from many readings of two packets.
 *
 * A reading's gap is the true one, plus what its second packet waited for cross
 * traffic, less what its first did. Both waits are told by the delays, as far as
 * the least delay of each is known: the readings of least delay sum waited least.
 */
#ifndef FILTERS_WITNESS_H
#define FILTERS_WITNESS_H

#include "filters/candidate.h"
#include "filters/columns.h"

/* What pairs, or whole trains, show, the gap that they make likely, and what they have for it and
 * against it. */
struct witness {
    struct floors floors;
    struct candidate candidate;
    struct evidence evidence;
    uint32_t train_bytes; /* of the longest trains, where trains tell the gap of a packet; else 0 */
};

/* Reads the newest `last` readings. */
struct witness witness_read(const struct readings *readings, unsigned last, const struct noise *noise,
                            const struct scratch *scratch);

/* For long trains that come in batches or at ticks, whose gaps agree on what cross traffic makes
 * of all of them: the mean of those with the least delay sums. */
struct witness witness_read_lowest(const struct readings *readings, const struct noise *noise,
                                   const struct scratch *scratch);

/* Whether trains tell its gap, and not pairs. */
static inline bool witness_by_trains(const struct witness *witness)
{
    enum origin origin = witness->candidate.origin;

    return witness->floors.trains || origin == ORIGIN_EVEN || origin == ORIGIN_SETTLED
        || origin == ORIGIN_LATER;
}

/* Whether stamps are too coarse for its gap. */
bool witness_hidden(const struct witness *witness, const struct noise *noise);

/* Whether the gap may be told as fact, but for rivals. */
bool witness_believed(const struct witness *witness, const struct noise *noise);

/* Whether what trains agree on is the rate that pairs tell. */
bool witness_agrees(const struct witness *pairs, const struct mean *trains);

/* What trains of even gaps tell, whatever pairs do: off by as much as pairs that are believed, or
 * agree, say otherwise. longs: what the trains are of. */
struct witness witness_of_trains(const struct mean *trains, const struct readings *longs,
                                 const struct witness *pairs, const struct noise *noise);

#endif

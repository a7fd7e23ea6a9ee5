/* SPDX-License-Identifier: BSD-3-Clause */
/* Who sends less than a bucket's rate finds it full, unless others have emptied it. Where these take turns with us, packets
 * that find it empty come as they leave the shaper, ours and theirs: the first two after each other, as a flow that was away
 * goes first, or with some of the others' in between; the rest in turn. So trains that find no more than a packet's tokens
 * begin with a gap that is a half, a third, two thirds of what they go on with; and others pass what the bucket holds first, or
 * go on at the shaper's rate, as nobody else sent. A bucket that is ours alone lets all trains pass alike; traffic that takes no
 * turns leaves first gaps of any length. */
#include "filters/turns_bucket.h"

#include "filters/same.h"
#include "filters/turns_link.h"

#include <math.h>

/* So many trains do that, and half of those that begin with a single gap; and one passed more packets than that. */
enum { BUCKET_TRAINS = 2, BUCKET_PASSED = 2 };

/* A pair beside which others wait comes as those trains begin. At each of these gaps, to 2 %, lie so many of all pairs: more than
 * twice as many as by chance. */
#define BUCKET_PAIRS 0.1

static bool begins_in_turn(const struct shape *shape, unsigned flows)
{
    double packets = (double)flows * shape->head_gap_ns / shape->tail_gap_ns;

    return packets > 0.5 && packets < flows - 0.5 && fabs(same_off_whole(packets)) <= TURNS_PHASE;
}

static bool trains_take_turns(const struct shapes *shapes, double told_ns, unsigned flows)
{
    unsigned alone = 0, in_turn = 0, passed = 0;

    EACH_LONGEST(shape, shapes) {
        bool unshared =
            shape->knee > 0 && same_gap((double)flows * shape->tail_gap_ns, told_ns, SAME_RATE, 0);

        passed += shape->knee > BUCKET_PASSED || unshared;
        alone += shape->knee == 1;
        in_turn += unshared || (shape->knee == 1 && begins_in_turn(shape, flows));
    }
    return passed > 0 && in_turn >= BUCKET_TRAINS && 2 * in_turn >= alone;
}

static bool pairs_take_turns(const struct seen *seen, const struct statistics *s, double told_ns,
                             unsigned flows)
{
    unsigned at = 0;

    EACH_READING(reading, seen->pairs) {
        double packets = flows * turns_scaled_gap(reading, s) / told_ns;
        double whole = round(packets);

        at += whole >= 1 && whole < flows && same_gap(packets, whole, SAME_RATE, 0);
    }
    return at >= BUCKET_PAIRS * (flows - 1) * seen->pairs->count;
}

double turns_bucket_bps(const struct seen *seen, const struct statistics *s, double told_bps)
{
    double gap_ns = s->bytes * 8e9 / told_bps;

    for (unsigned flows = 2; flows <= TURNS_FLOWS_MOST && !s->batched; flows++)
        if (trains_take_turns(&seen->shapes, gap_ns, flows) && pairs_take_turns(seen, s, gap_ns, flows))
            return flows * told_bps;
    return 0;
}

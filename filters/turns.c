/* SPDX-License-Identifier: BSD-3-Clause */
/* Deficit round robin as in fq_codel (RFC 8290, sections 4.1 and 4.2): a flow that was idle has a
 * quantum and goes first. So its first packet waits for what is being sent and no longer: evenly
 * between nothing and a packet's time. What fits into a quantum follows at the rate of the link;
 * then every flow has a quantum a turn, and a train gets the k-th part of the link. */
#include "filters/turns.h"

#include "filters/comb.h"
#include "filters/moments.h"
#include "filters/same.h"
#include "filters/skew.h"

#include <math.h>

/* Waits spread evenly over one packet of the others, which are as long as ours, the longest that
 * the path carries. On a FIFO link most packets wait for nothing, or some for far longer. */
#define UNEVEN 0.2 /* Kolmogorov's distance, where STATISTICS_UNIFORM asks for less */
#define STAMPS 4   /* so many times what two stamps make of a gap */
enum { TRAINS_LEAST = 2 };

/* One other flow halves the rate. */
#define SLOWER 1.4

static bool wait_evenly(const struct statistics *s, const struct noise *noise, double most)
{
    return s->pair.n >= STATISTICS_WAITS_LEAST && s->on_floor <= STATISTICS_IDLE_MOST
        && s->uniform <= fmax(most, UNEVEN * sqrt(s->pair.n)) && s->range_ns > STAMPS * noise_gap_ns(noise)
        && s->train.n >= TRAINS_LEAST && s->at_once && !s->batched && s->train.value > SLOWER * s->range_ns;
}

/* Gaps at the rate of the link, of packets of any size: near the longest wait, and the same. */
enum { AT_LINK_LEAST = 3 };

static double scaled_gap(const struct reading *reading, const struct statistics *s)
{
    return (double)reading->gap_ns / reading->bytes * s->bytes;
}

static double middle_near(const struct seen *seen, const struct statistics *s)
{
    double *sorted = seen->scratch.numbers;
    unsigned n = 0;

    for (unsigned i = 0; i < seen->pairs->count; i++) {
        double gap_ns = scaled_gap(readings_at(seen->pairs, i), s);

        if (same_gap(gap_ns, s->range_ns, SAME_WAIT, 0))
            sorted[n++] = gap_ns;
    }
    sort_numbers(sorted, n);
    return n > 0 ? sorted[n / 2] : 0;
}

static struct moments turns_read_link(const struct seen *seen, const struct statistics *s)
{
    double middle_ns = middle_near(seen, s);
    struct moments link = {0};

    for (unsigned i = 0; i < seen->pairs->count; i++) {
        double gap_ns = scaled_gap(readings_at(seen->pairs, i), s);

        if (same_gap(gap_ns, middle_ns, SAME_RATE, s->noise_ns))
            moments_add(&link, gap_ns);
    }
    return link;
}

/* --- What pairs are asked --- */

/* Of pairs of a size, as a share of the full one, how many there are, and how many say yes. */
struct answers {
    unsigned all, yes;
};

typedef bool question(const struct statistics *s, const struct reading *reading, double gap_ns);

static struct answers turns_ask(const struct seen *seen, const struct statistics *s, double below,
                                question *asks, double gap_ns)
{
    struct answers answers = {0};

    for (unsigned i = 0; i < seen->pairs->count; i++) {
        const struct reading *reading = readings_at(seen->pairs, i);

        if (reading->bytes >= below * s->bytes)
            continue;
        answers.all++;
        answers.yes += asks(s, reading, gap_ns);
    }
    return answers;
}

/* Packets of others have the full size. */
#define SMALLER 0.9

static double off_whole(double value)
{
    return fabs(value - round(value));
}

/* Behind others' whole packets the gap of two smaller ones is so many of those and its own time; at
 * ticks so many ticks. */
#define PHASE 0.1

static bool in_turns(const struct statistics *s, const struct reading *reading, double turn_ns)
{
    return off_whole(reading->gap_ns / turn_ns - (double)reading->bytes / s->bytes) <= PHASE;
}

static bool at_ticks(const struct statistics *s, const struct reading *reading, double tick_ns)
{
    (void)s;
    return off_whole(reading->gap_ns / tick_ns) <= PHASE;
}

static bool in_proportion(const struct statistics *s, const struct reading *reading, double gap_ns)
{
    return same_gap(scaled_gap(reading, s), gap_ns, SAME_PROPORTION, s->noise_ns);
}

/* Two smaller packets have one of each of the others between them, whatever their own size. */
#define AS_TURNS 0.1

static bool waits_for_each(const struct statistics *s, const struct reading *reading, double own_ns)
{
    double flows = s->tail.value / own_ns, own = (double)reading->bytes / s->bytes;

    return fabs(reading->gap_ns / own_ns - (own + flows - 1)) <= AS_TURNS * flows;
}

static bool is_closer(const struct statistics *s, const struct reading *reading, double link_ns)
{
    return scaled_gap(reading, s) + s->noise_ns < (1 - SAME_WAIT) * link_ns;
}

/* --- Ticks, queues and buckets --- */

/* A train gets the k-th part, to within what the others' packets make of it. Ticks make first
 * packets wait as evenly. But their trains' gaps are not alike, save by chance; and
 * pairs of one size have the mean of trains, while a quantum may spare them a packet. */
#define REGULAR 0.8
enum { SMALLER_ENOUGH = 6, FLOWS_MOST = 8 };

static bool alike_pairs_and_trains(const struct statistics *s)
{
    return same_gap(s->pair.value, s->train.value, SAME_UNTURNED, 0);
}

/* More of smaller pairs in turns than at ticks; and no tick asks for a few bytes. */
#define FULL_SHARE 0.1

static bool turns_outnumber(const struct seen *seen, const struct statistics *s, double turn_ns)
{
    unsigned turns = turns_ask(seen, s, SMALLER, in_turns, turn_ns).yes;

    turns += s->near.n > 0 && s->as_near <= FULL_SHARE;
    return turns > turns_ask(seen, s, SMALLER, at_ticks, turn_ns).yes;
}

static bool may_be_ticks(const struct seen *seen, const struct statistics *s, double turn_ns, bool told)
{
    if (s->smaller >= SMALLER_ENOUGH && (told || alike_pairs_and_trains(s)))
        return !turns_outnumber(seen, s, turn_ns);
    return s->regular < REGULAR && (!told || alike_pairs_and_trains(s));
}

/* Where smaller pairs take as much less time as they are smaller, size is all that counts. */
#define PROPORTION_SHARE 0.8

static bool may_be_queue(const struct seen *seen, const struct statistics *s)
{
    struct answers answers = turns_ask(seen, s, SMALLER, in_proportion, s->pair.value);

    return alike_pairs_and_trains(s) && answers.all > 0 && answers.yes >= PROPORTION_SHARE * answers.all;
}

/* No two packets come closer than the link sends them, whoever has the turn, but where the first
 * stamp was late. A bucket lets them: then the waits, and gaps like them, are the host's. */
#define CLOSER_MOST 0.25

static bool may_be_bucket(const struct seen *seen, const struct statistics *s, double link_ns)
{
    struct answers answers = turns_ask(seen, s, INFINITY, is_closer, link_ns);

    return answers.yes > CLOSER_MOST * answers.all;
}

/* A turn is over after a quantum, of a full frame or two (Linux's fq). What goes on for longer is a batch. */
#define TURN_BYTES (2 * 1518.0)

static bool are_batches(const struct seen *seen, const struct statistics *s, double link_ns)
{
    return comb_packets(&seen->shapes, link_ns, s->bytes) * s->bytes > TURN_BYTES + s->bytes;
}

/* --- Turns --- */

#define OFF_WHOLE 0.15

/* As many flows as that with packets twice as long as ours leave it so small a part of a turn. Less is
 * none: packets leave at the ticks of a clock, one at each. */
#define OWN_LEAST (1 + 2 * FLOWS_MOST)

/* Where a flow that was idle does not go first, its first packet waits for up to a packet of each
 * of the others: a train's gap less one of its own. Hosts that are late make waits like them, so
 * that no rate of the link is told, and none as sure. */
static bool waits_for_all(const struct seen *seen, const struct statistics *s)
{
    double own_ns = s->tail.value - s->range_ns;
    struct answers answers;

    if (s->pair.n < STATISTICS_WAITS_LEAST || s->on_floor > STATISTICS_IDLE_MOST
        || s->range_ns <= STAMPS * noise_gap_ns(&seen->noise) || s->uniform > STATISTICS_UNIFORM
        || s->train.n < TRAINS_LEAST || s->regular < REGULAR || own_ns * OWN_LEAST < s->tail.value
        || s->tail.value / own_ns < 2 - OFF_WHOLE)
        return false;
    answers = turns_ask(seen, s, SMALLER, waits_for_each, own_ns);
    return 2 * answers.yes >= answers.all;
}

/* The link is so many times as fast as what trains get. */
static bool are_flows(double flows)
{
    return round(flows) >= 2 && flows < FLOWS_MOST + 1.5 && off_whole(flows) <= OFF_WHOLE;
}

/* What trains get, and no more is told. */
static struct candidate turns_of_trains(const struct statistics *s, bool found)
{
    return (struct candidate){
        .gap_ns = s->tail.value, .bytes = s->bytes, .origin = found ? ORIGIN_TURNS : ORIGIN_NONE};
}

struct candidate turns_read(const struct seen *seen, const struct statistics *s)
{
    double turns = s->tail.value / s->range_ns, gap_ns;
    struct moments link;
    bool told;

    if (!wait_evenly(s, &seen->noise, STATISTICS_UNIFORM))
        return turns_of_trains(s, waits_for_all(seen, s));
    link = turns_read_link(seen, s);
    told = link.count >= AT_LINK_LEAST;
    gap_ns = told ? link.mean : s->tail.value / round(turns);
    if (are_batches(seen, s, gap_ns) || may_be_bucket(seen, s, gap_ns) || may_be_queue(seen, s)
        || may_be_ticks(seen, s, gap_ns, told))
        return turns_of_trains(s, false);
    if (!told) /* hosts that are late make waits like these */
        return turns_of_trains(s, s->uniform <= STATISTICS_UNIFORM || waits_for_all(seen, s));
    if (!are_flows(s->tail.value / gap_ns))
        return turns_of_trains(s, waits_for_all(seen, s));
    return (struct candidate){.gap_ns = gap_ns,
                              .error_ns = moments_half_width(&link) + CLOCK_ERROR * link.mean,
                              .share_ns = s->tail.value,
                              .bytes = s->bytes,
                              .origin = ORIGIN_TURNS_TOLD};
}

/* --- What they say of a bucket --- */

bool turns_wait(const struct seen *seen, const struct statistics *s)
{
    return wait_evenly(s, &seen->noise, STATISTICS_SURELY_UNEVEN) && !may_be_bucket(seen, s, s->range_ns);
}

/* Too few show no distribution and no skew, but how far they scatter: three quarters of even ones by three
 * eighths of a packet's time. Pairs that come closer than any share of a turn are from a bucket. */
bool turns_may_wait(const struct seen *seen, const struct statistics *s)
{
    double own_ns = s->train.value / OWN_LEAST;

    return s->waits < STATISTICS_WAITS_LEAST && s->scatter_ns > own_ns / 2 && !may_be_bucket(seen, s, own_ns);
}

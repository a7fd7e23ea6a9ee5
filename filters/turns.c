/* SPDX-License-Identifier: BSD-3-Clause */
/* Deficit round robin as in fq_codel (RFC 8290, sections 4.1 and 4.2): a flow that was idle has a
 * quantum and goes first. So its first packet waits for what is being sent and no longer: evenly
 * between nothing and a packet's time. What fits into a quantum follows at the rate of the link;
 * then every flow has a quantum a turn, and a train gets the k-th part of the link. Where an idle
 * flow does not go first packets of two sizes tell turns from a queue. */
#include "filters/turns.h"

#include "filters/moments.h"
#include "filters/same.h"
#include "filters/turns_link.h"
#include "filters/turns_quanta.h"
#include "filters/turns_spared.h"

#include <math.h>

/* Waits spread evenly over one packet of the others, which are as long as ours, the longest that
 * the path carries. On a FIFO link most packets wait for nothing, or some for far longer. */
#define UNEVEN 0.2 /* Kolmogorov's distance, where STATISTICS_UNIFORM asks for less */
enum { TURNS_TRAINS = 2 };

/* One other flow halves the rate. Of packets of others less than half as long as ours, as many more in between
 * look like a smaller one of ours. So a train's gap is no more than so many of the longest waits. */
#define SLOWER 1.4
#define SLOWEST ((TURNS_FLOWS_MOST + 1.5) / TURNS_OTHERS_LEAST)

/* A first packet that a host stamps late shortens the gap by all that it seems to wait: the two go together. A
 * turn of others does not. */
#define LATE_TOGETHER -0.9

/* Waits that stamps are fine enough for, and of packets that are not much shorter than ours. */
static bool range_shows(const struct statistics *s, const struct noise *noise)
{
    return s->range_ns > noise_wait_ns(noise) && s->train.value < SLOWEST * s->range_ns;
}

/* One long train bears out what pairs say, so that one is enough to ask whether both are in turns. */
static bool waits_show(const struct statistics *s, const struct noise *noise)
{
    return s->waits >= STATISTICS_WAITS_LEAST && s->train.n > 0 && range_shows(s, noise)
        && s->together > LATE_TOGETHER;
}

static bool spread_evenly(const struct statistics *s, const struct noise *noise, double idle_most,
                          double uneven_most)
{
    return s->on_floor <= idle_most && s->uniform <= fmax(uneven_most, UNEVEN * sqrt(s->pair.n))
        && waits_show(s, noise);
}

/* Behind a FIFO queue that is busy for a share u of the time, 1 - (1 - u) e^u of the packets wait for longer than one
 * packet takes (of one size, at random: Erlang 1909), and more where traffic comes in bursts. Where surely fewer do,
 * ours go first, and wait for what is being sent at the most. */
static bool go_first(const struct statistics *s, const struct noise *noise)
{
    double beyond = fmax(1 - (1 - s->busy) * exp(s->busy), 0) * s->pair.n;

    return waits_show(s, noise) && beyond - s->beyond * s->pair.n > BEYOND_CHANCE * sqrt(beyond);
}

/* As where turns are told: evenly, or, where the others rest now and then, no longer than for one packet. */
static bool wait_for_turns(const struct statistics *s, const struct noise *noise)
{
    return spread_evenly(s, noise, STATISTICS_IDLE_MOST, STATISTICS_UNIFORM) || go_first(s, noise);
}

/* --- What pairs are asked --- */

static bool at_ticks(const struct statistics *s, const struct reading *reading, struct turn turn)
{
    (void)s;
    return fabs(same_off_whole(reading->gap_ns / turn.others_ns)) <= TURNS_PHASE;
}

/* Two smaller packets have one of each of the others between them, whatever their own size. */
#define AS_TURNS 0.1

static bool waits_for_each(const struct statistics *s, const struct reading *reading, struct turn turn)
{
    double flows = s->middle_tail_ns / turn.own_ns, own = (double)reading->bytes / s->bytes;

    return fabs(reading->gap_ns / turn.own_ns - (own + flows - 1)) <= AS_TURNS * flows;
}

static bool is_closer(const struct statistics *s, const struct reading *reading, struct turn turn)
{
    return turns_scaled_gap(reading, s) + s->noise_ns < (1 - SAME_WAIT) * turn.own_ns;
}

/* --- Ticks, queues and buckets --- */

/* A train gets the k-th part, to within what the others' packets make of it. Ticks make first
 * packets wait as evenly. But their trains' gaps are not alike, save by chance; and
 * pairs of one size have the mean of trains, while a quantum may spare them a packet. */
#define REGULAR 0.8
enum { SMALLER_ENOUGH = 6 };

static bool alike_pairs_and_trains(const struct statistics *s)
{
    return same_gap(s->pair.value, s->train.value, SAME_UNTURNED, 0);
}

/* More of smaller pairs in turns than at ticks; and no tick asks for a few bytes. */
#define FULL_SHARE 0.1

static bool turns_outnumber(const struct seen *seen, const struct statistics *s, struct turn turn)
{
    unsigned turns = turns_ask(seen, s, READING_SMALLER, turns_has, turn).yes;

    turns += s->near.n > 0 && s->as_near <= FULL_SHARE;
    return turns > turns_ask(seen, s, READING_SMALLER, at_ticks, turn).yes;
}

static bool may_be_ticks(const struct seen *seen, const struct statistics *s, struct turn turn, bool told)
{
    if (s->smaller >= SMALLER_ENOUGH && (told || alike_pairs_and_trains(s)))
        return !turns_outnumber(seen, s, turn);
    return s->regular < REGULAR && alike_pairs_and_trains(s);
}

/* Where smaller pairs take as much less time as they are smaller, size is all that counts. */
#define PROPORTION_SHARE 0.8

static bool are_in_proportion(const struct seen *seen, const struct statistics *s)
{
    struct answers answers =
        turns_ask(seen, s, READING_SMALLER, turns_in_proportion, turns_alike(s->pair.value));

    return answers.all > 0 && answers.yes >= PROPORTION_SHARE * answers.all;
}

static bool may_be_queue(const struct seen *seen, const struct statistics *s)
{
    return alike_pairs_and_trains(s) && are_in_proportion(seen, s);
}

/* No two packets come closer than the link sends them, whoever has the turn, but where the first
 * stamp was late. A bucket lets them, or the smaller ones: then the waits, and gaps like them, are the host's. */
#define CLOSER_MOST 0.25

static bool may_be_bucket(const struct seen *seen, const struct statistics *s, double link_ns)
{
    struct answers all = turns_ask(seen, s, INFINITY, is_closer, turns_alike(link_ns));
    struct answers smaller = turns_ask(seen, s, READING_SMALLER, is_closer, turns_alike(link_ns));

    return all.yes > CLOSER_MOST * all.all
        || (smaller.all >= TURNS_FIT_LEAST && smaller.yes > CLOSER_MOST * smaller.all);
}

/* A turn is over after a quantum, of a full frame or two (Linux's fq), with the packet that exceeds it. What goes on
 * for longer is a batch, and what trains begin with for longer a bucket. */
#define TURN_BYTES (2 * FRAME_MOST_BYTES)

static bool longer_than_turn(const struct statistics *s, double bytes)
{
    return bytes > TURN_BYTES + s->bytes;
}

static bool are_batches(const struct statistics *s, double link_ns)
{
    return longer_than_turn(s, comb_packets(&s->comb, link_ns, s->bytes) * s->bytes);
}

/* Of two packets that left far apart each waits for what is being sent, and two that left close together come a
 * packet's time apart, however close they were. Where pairs come as they left, but for what is far less than either
 * makes of it, nobody sends in between, and waits are the hosts'. Half of the differences of two waits up to a range
 * are within 0.29 of it. */
#define DIFFER 0.29
#define AS_LEFT 0.5

static bool come_as_they_left(const struct seen *seen, const struct statistics *s)
{
    double *left = seen->scratch.numbers, *spread = left + seen->scratch.room, apart_ns;
    unsigned n = 0;

    EACH_READING(reading, seen->pairs) {
        if (reading->spread_8ns != READING_UNTOLD) {
            left[n] = reading_left_ns(reading);
            spread[n++] = reading->spread_8ns * 8.0;
        }
    }
    if (n < STATISTICS_WAITS_LEAST)
        return false;
    sort_numbers(left, n);
    sort_numbers(spread, n);
    apart_ns = sort_quartiles_apart(left, n);
    return apart_ns > noise_gap_ns(&seen->noise)
        && sort_quartiles_apart(spread, n) < AS_LEFT * fmin(apart_ns, 2 * DIFFER * s->range_ns);
}

/* Of a bucket with a fair queue behind it others' packets are among ours: then trains go on at a rate that is not their
 * mean one. */
static bool is_bucket(const struct statistics *s)
{
    return longer_than_turn(s, s->shaped.burst_bytes)
        && same_gap(s->last.value, s->bytes * 8e9 / s->shaped.bps, SAME_RATE, 0);
}

/* What a turn holds goes without waiting, and no more: then the first quarter of trains is shorter by so many gaps at
 * the most. */
bool turns_begin_longer(const struct statistics *s)
{
    double spared = TURN_BYTES / s->bytes + 1, quarter = s->tail_packets / (CURVE_QUARTERS - 1);

    return s->train.n >= STATISTICS_TRAINS_LEAST
        && -s->head.value > s->tail.value * spared / quarter + BEYOND_CHANCE * s->head.sigma;
}

/* The gap of most pairs: less where first stamps are late. */
static bool is_pairs_gap(const struct statistics *s, double gap_ns)
{
    double less_ns = gap_ns - s->middle_ns;
    double reach_ns = SAME_RATE * s->middle_tail_ns + s->noise_ns + 2 * s->spread_ns;

    return less_ns >= -reach_ns && less_ns <= reach_ns + s->late_ns;
}

/* Two packets have none of the others between them where a quantum holds both, else as many as in trains, or fewer by
 * those of the flow whose turn it was. */
static bool pairs_fit(const struct statistics *s, struct turn turn)
{
    double train_ns = s->middle_tail_ns;

    return is_pairs_gap(s, turn.own_ns) || is_pairs_gap(s, train_ns)
        || is_pairs_gap(s, train_ns - turn.own_ns) || is_pairs_gap(s, train_ns - turn.others_ns);
}

/* Both packets of most pairs came with one interrupt, whatever they had left apart, and no more of them do: pairs tell nothing
 * of what one takes. Of heads of trains no more is known than that they came as they had left, or sooner. */
static bool come_at_once(const struct seen *seen, const struct statistics *s)
{
    unsigned at_once = 0;

    EACH_READING(reading, seen->pairs) {
        bool told = reading->spread_8ns != READING_UNTOLD;
        double came_ns = reading->gap_ns + (told ? fmin(8.0 * reading->spread_8ns, 0) : 0);

        at_once += came_ns <= noise_gap_ns(&seen->noise) || (!told && reading->limited);
    }
    return !s->batched && 2 * at_once > seen->pairs->count;
}

/* For some number of flows, where most gaps of trains are alike. Or pairs of any size come at the rate of a narrower link
 * behind: a bucket of a frame and a half spares them the more the smaller they are. */
static bool pairs_may_fit(const struct seen *seen, const struct statistics *s)
{
    unsigned flows = 2;

    if (s->regular < REGULAR || are_in_proportion(seen, s) || come_at_once(seen, s))
        return true;
    while (flows <= TURNS_FLOWS_MOST + 1 && !pairs_fit(s, turns_alike(s->middle_tail_ns / flows)))
        flows++;
    return flows <= TURNS_FLOWS_MOST + 1;
}

static bool no_turns(const struct seen *seen, const struct statistics *s)
{
    return is_bucket(s) || (!s->batched && turns_begin_longer(s)) || !pairs_may_fit(seen, s)
        || come_as_they_left(seen, s);
}

/* --- Turns --- */

#define FLOWS_OFF 0.15

/* What does not go with the size in a gap are others' packets. Two smaller packets have as many of them in between as full
 * ones: then a packet's own time is what gaps are longer for the bytes that those lack. Where that leaves no room for
 * others they have none: then it is theirs, in proportion. On a FIFO link either is a train's gap, and at ticks the former
 * nothing. A late first stamp takes as much from a short packet's gap as from a long one's, and so nothing from the former. */
struct own {
    double ns;      /* 0: there are too few smaller pairs */
    double late_ns; /* that a late first stamp may have taken from it */
};

static struct own own_by_size(const struct seen *seen, const struct statistics *s)
{
    double *by_bytes_ns = seen->scratch.numbers, *alone_ns = by_bytes_ns + seen->scratch.room;
    unsigned n = 0;

    EACH_READING(reading, seen->pairs) {
        if (reading->bytes >= READING_SMALLER * s->bytes || reading->limited)
            continue;
        by_bytes_ns[n] = turns_saved_gap(reading, s, s->middle_ns);
        alone_ns[n++] = turns_scaled_gap(reading, s);
    }
    if (n < TURNS_FIT_LEAST)
        return (struct own){0};
    sort_numbers(by_bytes_ns, n);
    sort_numbers(alone_ns, n);
    return by_bytes_ns[n / 2] * SLOWER <= s->middle_tail_ns ? (struct own){by_bytes_ns[n / 2], 0}
                                                            : (struct own){alone_ns[n / 2], s->late_ns};
}

/* Where a flow that was idle does not go first, its first packet waits for packets of others, however many, and hardly
 * one for nothing; and trains have packets of theirs in each gap. Hosts that are late make waits like them, so that no rate
 * of the link is told, and none as sure. Without smaller pairs only waits tell: they are even, for up to a packet of each
 * of the others. */
static bool waits_for_others(const struct seen *seen, const struct statistics *s)
{
    struct own own;

    if (s->waits < STATISTICS_WAITS_LEAST || s->on_floor > STATISTICS_IDLE_MOST
        || s->range_ns <= noise_wait_ns(&seen->noise) || s->together <= LATE_TOGETHER
        || s->train.n < TURNS_TRAINS || s->regular < REGULAR || s->batched)
        return false;
    if (s->smaller == 0 && s->uniform <= STATISTICS_UNIFORM)
        own = (struct own){s->middle_tail_ns - s->range_ns, s->late_ns};
    else
        own = own_by_size(seen, s);
    return own.ns * TURNS_OWN_LEAST >= s->middle_tail_ns
        && (own.ns + own.late_ns) * SLOWER <= s->middle_tail_ns;
}

/* The link is so many times as fast as what trains get. */
static bool are_flows(double flows, double off_most)
{
    return round(flows) >= 2 && flows <= TURNS_FLOWS_MOST + 1 + off_most
        && fabs(same_off_whole(flows)) <= off_most;
}

/* What the longest wait lets pass at the rate of pairs, or of what trains begin with, whose packets went in one turn,
 * is no more than a packet of the others. In the batches of a medium, or of a clock, it would be one longer than any. */
static bool several_a_turn(const struct statistics *s)
{
    return s->range_ns * s->bytes <= TURN_BYTES * s->pair.value
        && s->range_ns * s->shaped.peak_bps <= TURN_BYTES * 8e9;
}

/* What trains get, and no more is told. */
static struct candidate turns_of_trains(const struct statistics *s, bool found)
{
    return candidate_of(s->middle_tail_ns, 0, s->bytes, found ? ORIGIN_TURNS : ORIGIN_NONE);
}

/* A first stamp that is late shortens what pairs tell, and no train: a whole part of its gap is longer by as much. */
static double shortened_by(const struct statistics *s, const struct noise *noise, const struct link *link)
{
    double part_ns = s->middle_tail_ns / round(s->middle_tail_ns / link->turn.own_ns);

    return fmin(fmax(part_ns - link->turn.own_ns - link->error_ns, 0), noise->handover_ns);
}

/* A flow that was idle goes first, and others take turns with it from its second packet on, or from its third where a
 * quantum is less than a packet: trains begin with a gap of n packets and go on with n + 1, or begin with one. So they do
 * behind a bucket of hardly more than a frame whose rate is that part of the line's. Waits would tell, but not where what
 * comes before makes first packets wait. */
static double link_that_fits(const struct statistics *s, double first_ns, double later_ns)
{
    double others = round(first_ns / (later_ns - first_ns)), flows = later_ns / first_ns;
    double reach_ns = SAME_COMMON * later_ns + s->noise_ns;
    double next_ns = later_ns / ((others + 1) * (others + 2)); /* further, with one more */

    if (are_flows(flows, flows * SAME_COMMON))
        return first_ns;
    if (first_ns >= later_ns || others < 1 || next_ns < 2 * reach_ns
        || !same_gap(first_ns, later_ns * others / (others + 1), 0, reach_ns))
        return 0;
    return later_ns / (others + 1);
}

/* It ends with the second gap at the latest: each takes from it what it does not get meanwhile. */
enum { TURN_GAPS = 2 };

static bool ends_with_a_turn(const struct statistics *s)
{
    double spent_bytes = s->bytes * (1 - s->shaped.bps / s->shaped.peak_bps);

    return s->shaped.burst_bytes - s->bytes <= TURN_GAPS * (1 + SAME_RATE) * spent_bytes;
}

/* Where trains have no knee most gaps of each are alike, and all trains are: ticks make parts of whole ones, too. */
static double fit_turns(const struct statistics *s)
{
    double bits = s->bytes * 8e9;

    if (s->shaped.bps > 0)
        return ends_with_a_turn(s) ? link_that_fits(s, bits / s->shaped.peak_bps, bits / s->shaped.bps) : 0;
    if (s->train.n < TURNS_TRAINS || s->batched || 2 * s->regular < 1 || s->tail_spread > SAME_COMMON)
        return 0;
    return link_that_fits(s, s->middle_ns, s->middle_tail_ns);
}

/* They tell another link, and no packets of another size bear this one out. */
static bool fits_another(const struct statistics *s, double own_ns)
{
    double fit_ns = fit_turns(s);

    return s->smaller == 0 && fit_ns > 0 && !same_gap(fit_ns, own_ns, SAME_RIGHT, 0);
}

/* So small a chance says that there is a slower link before it. A larger one does not, but where waits leave room for a much
 * slower one, and are rather like those behind one, nothing is told. */
#define CAUGHT_UP 0.01
#define RATHER 0.1

static bool may_be_slower(const struct apart *apart, double own_ns)
{
    return apart->chance < CAUGHT_UP
        || (apart->chance < RATHER && apart->most_ns > (1 + SAME_HALVES) * own_ns);
}

/* That link is no slower than what trains get, and no faster than that of turns. */
static struct candidate slower_before(const struct statistics *s, double gap_ns, double own_ns)
{
    return (struct candidate){.gap_ns = gap_ns,
                              .error_ns = ESTIMATE_GUESS * gap_ns,
                              .below_ns = fmax(gap_ns - own_ns, 0),
                              .above_ns = fmax(s->middle_tail_ns - gap_ns, 0),
                              .bytes = s->bytes,
                              .origin = ORIGIN_SLOWER};
}

/* Waits that are not even say that ours go first, and not that anybody takes turns with them. Then others show in trains,
 * whose gaps are alike, and between full frames, which no quantum of one holds two of: these follow each other all the time
 * where the packets of one flow are as long, but not where several flows wait. */
#define BETWEEN_LEAST 0.1
#define ONE_OTHER 2.5

static bool is_full(const struct statistics *s, const struct reading *reading, struct turn turn)
{
    return sizes_alike(reading->bytes, s->bytes) && turns_has(s, reading, turn);
}

static bool has_between(const struct statistics *s, const struct reading *reading, struct turn turn)
{
    return is_full(s, reading, turn) && round(turns_between(s, reading, turn)) > 0;
}

static bool others_show(const struct seen *seen, const struct statistics *s, struct turn turn)
{
    return 2 * s->regular >= 1
        && (s->bytes < FRAME_MOST_BYTES || s->middle_tail_ns < ONE_OTHER * turn.own_ns
            || turns_ask(seen, s, INFINITY, has_between, turn).yes
                >= BETWEEN_LEAST * turns_ask(seen, s, INFINITY, is_full, turn).yes);
}

/* The link is a whole number of times as fast as what trains get, pairs and trains fit that, and no other link. */
static bool is_told(const struct seen *seen, const struct statistics *s, struct turn turn)
{
    return are_flows(s->middle_tail_ns / turn.own_ns, FLOWS_OFF) && pairs_fit(s, turn)
        && !fits_another(s, turn.own_ns)
        && (spread_evenly(s, &seen->noise, STATISTICS_IDLE_MOST, STATISTICS_UNIFORM)
            || others_show(seen, s, turn));
}

static struct candidate turns_find(const struct seen *seen, const struct statistics *s)
{
    struct turn turn;
    struct link link;
    bool one = !s->batched && s->train.value > SLOWER * s->range_ns;
    bool several = several_a_turn(s) && s->train.value > SLOWER * s->pair.value;
    bool told;
    struct apart apart;

    if (!wait_for_turns(s, &seen->noise) || !s->at_once || !(one || several))
        return turns_of_trains(s, waits_for_others(seen, s));
    link = turns_read_link(seen, s);
    told = link.turn.own_ns > 0;
    turn =
        told ? link.turn : turns_alike(s->middle_tail_ns / fmax(round(s->middle_tail_ns / s->range_ns), 1));
    if (are_batches(s, turn.own_ns) || may_be_bucket(seen, s, turn.own_ns) || may_be_queue(seen, s)
        || may_be_ticks(seen, s, turn, told))
        return turns_of_trains(s, waits_for_others(seen, s));
    /* hosts that are late make waits like these */
    if (!told || !is_told(seen, s, turn))
        return turns_of_trains(s, s->uniform <= STATISTICS_UNIFORM || waits_for_others(seen, s));
    apart = turns_apart(seen, s, turn);
    if (may_be_slower(&apart, turn.own_ns))
        return slower_before(s, apart.chance < CAUGHT_UP ? apart.most_ns : turn.own_ns, turn.own_ns);
    return (struct candidate){.gap_ns = turn.own_ns,
                              .error_ns = link.error_ns + CLOCK_ERROR * turn.own_ns + seen->noise.tick_ns / 2,
                              .above_ns = shortened_by(s, &seen->noise, &link),
                              .share_ns = s->middle_tail_ns,
                              .bytes = s->bytes,
                              .origin = ORIGIN_TURNS_TOLD};
}

struct candidate turns_read(const struct seen *seen, const struct statistics *s)
{
    struct candidate candidate = turns_find(seen, s);

    return candidate.origin != ORIGIN_NONE && no_turns(seen, s) ? turns_of_trains(s, false) : candidate;
}

/* Trains get so much less than the link has by pairs of two sizes, hardly a first packet waits for nothing, and gaps of
 * trains make up for each other, which those beside random traffic do not: others take turns with ours, whether or not they
 * always have a packet. How the waits are spread does not matter. */
static double link_by_sizes_ns(const struct seen *seen, const struct statistics *s)
{
    double own_ns;

    if (!statistics_hardly_idle(s) || s->train.n < STATISTICS_TRAINS_LEAST
        || s->varies > 1.0 / STATISTICS_INDEPENDENT)
        return 0;
    own_ns = turns_spared_ns(seen, s);
    return own_ns * TURNS_OWN_LEAST >= s->middle_tail_ns && own_ns * SLOWER <= s->middle_tail_ns ? own_ns : 0;
}

/* Where no pair tells the link's rate packets of two sizes do, also that of a narrower link behind. Else the longest wait
 * does: it is one packet of the others, a full frame, and trains get a whole part of the link. Nine tenths of even waits
 * end two errors, of sqrt(0.9 * 0.1 / n) / 0.9 each, away one time in twenty. Then most pairs are in turns, too, and a
 * quantum spares them some: where pairs and trains are alike any wait would do. */
#define RANGE_OFF 0.67

double turns_link_ns(const struct seen *seen, const struct statistics *s)
{
    bool alike = alike_pairs_and_trains(s);
    double longer = fmax(FRAME_MOST_BYTES / s->bytes, 1);
    double flows = s->middle_tail_ns / s->range_ns * longer;
    double off_most = fmax(FLOWS_OFF, RANGE_OFF / sqrt(s->pair.n) * flows);
    struct turn turn = {s->middle_tail_ns / round(flows), longer * s->middle_tail_ns / round(flows)};
    double quanta_ns = turns_quanta_ns(seen, s);

    if (quanta_ns > 0)
        return quanta_ns;
    if (s->smaller > 0 && (waits_for_others(seen, s) || (!alike && are_in_proportion(seen, s))))
        return own_by_size(seen, s).ns;
    if (alike || !spread_evenly(s, &seen->noise, STATISTICS_IDLE_MOST, STATISTICS_UNIFORM)
        || !are_flows(flows, off_most))
        return link_by_sizes_ns(seen, s);
    return turns_most_in(seen, s, turn) ? turn.own_ns : link_by_sizes_ns(seen, s);
}

double turns_fit_ns(const struct noise *noise, const struct statistics *s)
{
    double own_ns = statistics_hardly_idle(s) ? fit_turns(s) : 0;

    return own_ns > noise_wait_ns(noise) ? own_ns : 0; /* else no wait for it would show */
}

bool turns_caught_up(const struct seen *seen, const struct statistics *s, double packet_ns)
{
    return turns_apart(seen, s, turns_alike(packet_ns)).chance < CAUGHT_UP;
}

/* --- What they say against other rates --- */

/* So many of even waits are nothing beside the range, and by chance some more. */
#define ERRORS 2

static double perhaps_share(double share, unsigned n)
{
    return share + ERRORS * sqrt(share * (1 - share) / n);
}

static double perhaps_idle(const struct statistics *s)
{
    double share = fmax(STATISTICS_IDLE_MOST, SAME_RATE + s->noise_ns / s->range_ns);

    return perhaps_share(fmin(share, 1), s->pair.n);
}

/* A few bytes less make hardly a packet faster, but where they are what fits into a quantum. */
static bool fits_quantum(const struct statistics *s)
{
    return s->near.n >= TURNS_FIT_LEAST && s->as_near <= FULL_SHARE
        && s->near.value < (1 - SAME_UNTURNED) * s->pair.value;
}

/* Where turns are single packets smaller pairs have one of each of the others between them, too; at ticks whole
 * ticks. */
static bool ticks_outnumber(const struct seen *seen, const struct statistics *s)
{
    struct turn turn = turns_alike(s->train.value - s->range_ns), tick = turns_alike(s->range_ns);

    return s->smaller >= SMALLER_ENOUGH
        && turns_ask(seen, s, READING_SMALLER, waits_for_each, turn).yes
        <= turns_ask(seen, s, READING_SMALLER, at_ticks, tick).yes;
}

/* A quantum spares pairs a packet, or several where ours are short: then trains come in batches, too. Where pairs tell
 * nothing, nobody waits for more than a turn of trains. */
static bool may_spare(const struct seen *seen, const struct statistics *s)
{
    if (s->pair.value >= s->train.value)
        return false;
    if (come_at_once(seen, s))
        return s->range_ns * s->bytes <= TURN_BYTES * s->train.value && wait_for_turns(s, &seen->noise);
    return s->pair.value * TURNS_OWN_LEAST >= s->train.value && several_a_turn(s)
        && (spread_evenly(s, &seen->noise, perhaps_idle(s), STATISTICS_SURELY_UNEVEN)
            || go_first(s, &seen->noise));
}

/* Where pairs are spared nothing only waits speak for turns: they are as even as where turns are told, and leave our own
 * packet its part. Where pairs take as long as trains, gaps at ticks are not alike, or smaller pairs tell those, or a queue.
 * Where pairs take longer, who was idle waits in line for its second packet, too, and gaps need not be alike: quanta hold no
 * whole number of packets. */
static bool may_take_all(const struct seen *seen, const struct statistics *s)
{
    bool alike = alike_pairs_and_trains(s) && s->regular >= REGULAR;
    bool longer = !alike_pairs_and_trains(s) && s->pair.value > s->train.value;
    double gap_ns = longer ? s->pair.value : s->train.value;

    return (alike || longer) && !s->batched && (gap_ns - s->range_ns) * TURNS_OWN_LEAST >= gap_ns
        && wait_for_turns(s, &seen->noise) && !may_be_queue(seen, s) && !ticks_outnumber(seen, s);
}

/* Pairs that are faster than trains a bucket spares any part of their time. */
bool turns_deny(const struct seen *seen, const struct statistics *s)
{
    if (turns_quanta_ns(seen, s) > 0)
        return true;
    return (alike_pairs_and_trains(s) || s->pair.value > s->train.value) && wait_for_turns(s, &seen->noise)
        && link_by_sizes_ns(seen, s) > 0 && !no_turns(seen, s);
}

/* However slowly trains left, and for up to all but our own packet. */
bool turns_wait(const struct seen *seen, const struct statistics *s)
{
    bool waits = fits_quantum(s) || may_take_all(seen, s)
        || (!alike_pairs_and_trains(s) && may_spare(seen, s)) || turns_deny(seen, s);

    return waits && !no_turns(seen, s);
}

/* Queues of other links make waits uneven, too: what says that nobody's turn was waited for is that more than a few
 * waited for nothing. */
bool turns_do_not_wait(const struct seen *seen, const struct statistics *s, bool second_rest)
{
    return s->waits >= STATISTICS_WAITS_LEAST && s->train.n >= TURNS_TRAINS && !s->batched
        && (second_rest ? s->sooner : s->at_once && s->idle > STATISTICS_IDLE_MOST) && !turns_wait(seen, s);
}

/* Too few show no distribution and no skew, but how far they scatter: three quarters of even ones by three
 * eighths of a packet's time, of the least that is none of the stamps'. Any less may be by chance. Pairs that come
 * closer than any share of a turn are from a bucket. */
#define SCATTER 0.375

bool turns_may_wait(const struct seen *seen, const struct statistics *s)
{
    double own_ns = s->train.value / TURNS_OWN_LEAST;
    bool batches = s->batched && (2 * s->bytes > FRAME_MOST_BYTES || s->batch * s->bytes > TURN_BYTES);

    return s->waits < STATISTICS_WAITS_LEAST && !batches && !is_bucket(s)
        && s->scatter_ns > SCATTER * noise_wait_ns(&seen->noise)
        && (come_at_once(seen, s) || !may_be_bucket(seen, s, own_ns));
}

/* Nobody waits for longer than a turn takes: of even waits three quarters are within half of it, and of the fewest
 * any two are less than one apart. */
static bool within_a_turn(const struct statistics *s)
{
    return (s->pair.n == 0 ? 1 : 2) * s->scatter_ns < s->train.value;
}

/* Traffic that makes first packets wait would spread gaps as well; turns of single packets do not. */
static bool may_be_alike(const struct seen *seen, const struct statistics *s)
{
    bool share = s->scatter_ns * SLOWEST > SCATTER * s->train.value && within_a_turn(s);

    if (!share || s->regular < REGULAR || s->train.n == 0 || !turns_may_wait(seen, s))
        return false;
    return s->pair.n == 0
        || (alike_pairs_and_trains(s) && s->idle <= perhaps_share(STATISTICS_IDLE_MOST, s->pair.n)
            && !may_be_queue(seen, s));
}

bool turns_keep_back(const struct seen *seen, const struct statistics *s)
{
    return turns_wait(seen, s) || may_be_alike(seen, s) || turns_fit_ns(&seen->noise, s) > 0;
}

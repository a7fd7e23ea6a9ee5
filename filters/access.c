/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/access.h"

#include "filters/cycles.h"
#include "filters/grid.h"
#include "filters/mode.h"
#include "filters/moments.h"
#include "filters/same.h"
#include "filters/sort.h"
#include "filters/turns.h"

#include <math.h>

/* Fewer short trains have no mean with an error. */
enum { SHORT_LEAST = 5 };
enum { SCATTER_LEAST = 16 };

/* Errors that chance makes once in 16 000 times. */
#define SURE 4

static double half_width(const struct statistic *mean)
{
    return student(mean->n) * mean->sigma + CLOCK_ERROR * mean->value;
}

/* What takes no time has no rate. */
static struct proposal of(uint32_t bytes, double gap_ns, double error_ns, enum origin origin)
{
    return gap_ns <= 0 ? (struct proposal){0}
                       : (struct proposal){candidate_of(gap_ns, error_ns, bytes, origin), {0}};
}

static struct proposal access_of_mean(const struct statistics *s, const struct statistic *mean,
                                      enum origin origin)
{
    return of(s->bytes, mean->value, half_width(mean), origin);
}

/* --- Contention --- */

/* What stretches gaps on a chain of queues makes first packets wait as well: of a share u of
 * them that wait, gaps grow by u at most (Poisson arrivals see time averages), on several links
 * by -ln(1 - u) together. Where nine in ten wait for nothing and gaps are longer than that, each
 * packet waits for the medium by itself: 802.11's backoff. Pairs and trains then have one mean,
 * and it is the service rate; and spans add up from independent gaps. A tenth of the
 * gaps is shorter by what stamps alone make of them: their noise, and 1 - sqrt(2 / 10) of a tick, as two
 * roundings have it. That gaps scatter further is no noise, but what is asked for. */
#define IDLE 0.9
#define TICK_TENTH 0.553

/* 802.11's least frame takes 54 us with its preamble and the pause before it, and the mean backoff is of 68: more is a
 * bucket's, from which some go at once. */
#define BACKOFF 2

static bool may_back_off(const struct statistics *s)
{
    return s->pair.value < (1 + BACKOFF) * s->least_ns;
}

static bool is_stretched(const struct statistics *s, const struct noise *noise, double gap_ns)
{
    double queues_ns = -2 * log(s->idle) * s->pair.value + noise_gap_ns(noise) + TICK_TENTH * noise->tick_ns;

    return s->idle >= IDLE && gap_ns - s->least_ns > queues_ns + SURE * s->pair.sigma && may_back_off(s);
}

static bool have_one_mean(const struct statistics *s)
{
    double error_ns = SURE * hypot(s->pair.sigma, s->train.sigma);

    return s->train.n >= STATISTICS_TRAINS_LEAST
        && same_gap(s->pair.value, s->train.value, SAME_MEANS, error_ns);
}

static bool wait_by_themselves(const struct statistics *s, const struct noise *noise)
{
    return have_one_mean(s) && is_stretched(s, noise, s->pair.value) && statistics_add_up(s);
}

/* A backoff is as likely to be of any length. What comes in between by chance spares some gaps, lengthens most by little
 * and few by much; so the shortest of even ones is no link's. It shows also where first packets wait for what has to be
 * sent again. */
static bool back_off(const struct statistics *s, double gap_ns)
{
    return have_one_mean(s) && !s->batched && s->train.value > (1 + SAME_RIGHT) * gap_ns
        && s->gaps_uniform <= STATISTICS_UNIFORM && s->gaps_range_ns > 2 * SAME_RIGHT * gap_ns
        && s->gaps_range_ns > SURE * s->noise_ns && may_back_off(s)
        && gap_ns < (1 + SAME_RIGHT) * s->shortest_ns;
}

/* Where others take turns with ours, nearly all gaps of trains are alike, and trains vary hardly. Gaps of which most differ, and
 * that add up by chance, are of packets each of which waits for the medium, in front of a host that lets first packets wait. */
static bool are_no_turns(const struct statistics *s)
{
    return s->train.n >= STATISTICS_TRAINS_LEAST && !s->batched && 2 * s->regular < 1 && statistics_add_up(s)
        && may_back_off(s);
}

static bool left_at_once(const struct readings *pairs)
{
    unsigned count = 0;

    EACH_READING(reading, pairs)
        count += reading->at_once;
    return 2 * count > pairs->count;
}

/* Before trains bear it out, most pairs must show it, and not a few that a host held back, by what makes another rate;
 * and most left at once. */
static bool wait_perhaps(const struct seen *seen, const struct statistics *s)
{
    double most_ns = fmin(s->pair.value, s->middle_ns);

    return s->train.n < STATISTICS_TRAINS_LEAST && s->pair.n >= SCATTER_LEAST
        && is_stretched(s, &seen->noise, most_ns) && most_ns > (1 + SAME_RATE) * s->least_ns
        && left_at_once(seen->pairs);
}

/* Whose departures are told of pairs and not of trains lost some of these on its own host, and they may have left slowly. */
static bool nobody_tells(const struct seen *seen, const struct statistics *s)
{
    if (s->told)
        return false;
    EACH_READING(reading, seen->pairs)
        if (reading->spread_8ns != READING_UNTOLD)
            return false;
    return true;
}

static bool contend(const struct seen *seen, const struct statistics *s)
{
    return !s->batched
        && ((wait_by_themselves(s, &seen->noise) && (s->at_once || nobody_tells(seen, s)))
            || wait_perhaps(seen, s));
}

/* --- A pause at the head --- */

/* A grant that has to be asked for, or the longer one of two links: trains pause near their
 * head, and the rest comes at one rate, that of the link. Not at that of a host, which after an interrupt
 * that was held back takes all that came in no time. */
#define PAUSE 0.25
enum { TAIL_BATCHES = 6 };
#define TAILS_VARY 0.05

static double a_gap_of_a_quarter(const struct statistics *s, double ns)
{
    return ns / (s->tail_packets / (CURVE_QUARTERS - 1));
}

static double batch_ns(const struct statistics *s)
{
    return s->batched ? s->batch * s->tail.value : 0;
}

/* A host that holds interrupts back sees the first packet at once, and the others after the time of a batch.
 * Where the first one had to wait as well, and the second then for a batch's time once more, the rest was
 * asked for. */
#define BATCH_ALONE 0.5

static bool asks(const struct statistics *s)
{
    return s->pair.n > 0 && s->idle <= STATISTICS_IDLE_MOST && s->pair.value > BATCH_ALONE * batch_ns(s);
}

/* By so much: where only some packets come together the others' stamps are held as well. */
static double held_back_ns(const struct statistics *s)
{
    return s->batch > 1 && !asks(s) ? s->batch * s->tail.value : 0;
}

static bool pauses(const struct statistics *s)
{
    return s->train.n >= STATISTICS_TRAINS_LEAST && s->at_once && s->tail_packets >= TAIL_BATCHES * s->batch
        && s->head.value > SURE * s->head.sigma
        && s->head.value > fmax(PAUSE * s->tail.value, a_gap_of_a_quarter(s, held_back_ns(s)))
        && s->tail.value > TINY_GAP * s->train.value
        && fabs(s->longer.value) <= same_reach(s->tail.value, SAME_QUARTERS, SURE * s->longer.sigma);
}

/* --- Ends --- */

/* Behind queues no quarter of a train is longer than another, on average. A bucket that ends late
 * makes the last one longer, one that ends early the first one shorter; a late first stamp takes a
 * little of the first. Then the end of trains is nearest. */
static bool head_shorter(const struct statistics *s, double by_ns)
{
    return -s->head.value > fmax(SURE * s->head.sigma, by_ns);
}

static bool quarters_end_slower(const struct statistics *s)
{
    double uneven_ns = SAME_QUARTERS * s->tail.value + a_gap_of_a_quarter(s, s->noise_ns);

    return s->longer.value > fmax(SURE * s->longer.sigma, uneven_ns)
        || head_shorter(s, uneven_ns + a_gap_of_a_quarter(s, s->late_ns));
}

/* So few have Student's error, twice. */
bool access_may_end_slower(const struct statistics *s)
{
    return s->train.n > 1 && s->train.n < STATISTICS_TRAINS_LEAST && s->at_once && !s->batched
        && quarters_end_slower(s) && s->longer.value > 2 * student(s->longer.n) * s->longer.sigma;
}

/* --- Rates that vary --- */

/* A link that is slower takes longer for the first packet, too: its delay and the gap grow by the
 * same, and all gaps of a train, so that spans vary by far more than gaps do within one. Behind
 * queues first delay and gap have nothing to do with each other. */
#define TOGETHER 0.6
#define TOGETHER_ALONE 0.9
#define SLOPE_LEAST 0.5
#define SLOPE_MOST 1.4
#define VARIES 0.02
#define SPANS_VARY 20

/* A host that is late hides that: it adds to the delay what has nothing to do with the gap. But a rate that holds
 * for a while makes gaps of a train that follow each other alike, four of which vary as one of them: half way, by
 * factors, from independent ones. Then the delay may vary four times as much, and they go together where chance
 * makes them do so once in 700 times. */
enum { IN_A_ROW_TRAINS = 2 };
#define IN_A_ROW 2
#define SLOPE_IN_A_ROW 0.25

static bool go_together(const struct statistics *s)
{
    bool independent = s->train.n < STATISTICS_TRAINS_LEAST || s->varies < STATISTICS_INDEPENDENT;

    if (s->slope > SLOPE_MOST)
        return false;
    if (s->train.n >= IN_A_ROW_TRAINS && s->ratio >= IN_A_ROW && s->slope >= SLOPE_IN_A_ROW)
        return s->together >= BEYOND_CHANCE / sqrt(s->pair.n);
    return s->slope >= SLOPE_LEAST && s->together >= (independent ? TOGETHER_ALONE : TOGETHER);
}

static bool pairs_scatter(const struct statistics *s)
{
    return s->spread_ns > VARIES * s->pair.value + s->noise_ns;
}

/* First packets wait for a cycle, or for others' turns: gaps of whole ones, now one more, now one less, have two levels. */
static bool all_wait_evenly(const struct statistics *s)
{
    return s->range_ns > 0 && s->idle <= STATISTICS_IDLE_MOST && s->uniform <= STATISTICS_UNIFORM;
}

/* Two rates, now the one, now the other; a bucket that is empty now and then has two as well, but ends slower. */
static bool takes_turns(const struct statistics *s)
{
    return s->train.n >= STATISTICS_TRAINS_LEAST && (s->in_proportion || (s->in_runs && !all_wait_evenly(s)))
        && !quarters_end_slower(s);
}

/* What trains begin with a bucket lets pass: pairs are the line's before it, and gaps in a row are alike on either side
 * of where it ends, be that too near the end to tell what it is. */
static bool varies(const struct statistics *s)
{
    return takes_turns(s)
        || (s->shaped.bps <= 0 && s->pair.n >= SCATTER_LEAST && go_together(s) && pairs_scatter(s)
            && !quarters_end_slower(s));
}

/* Not as surely, but more than chance makes of it five in six times. */
#define TOGETHER_PERHAPS 1

bool access_may_vary(const struct statistics *s)
{
    if (s->levels_open)
        return true;
    if (s->shaped.bps > 0 || s->ratio < IN_A_ROW)
        return false;
    return s->pair.n == 0
        || (s->slope <= SLOPE_MOST && s->together >= TOGETHER_PERHAPS / sqrt(s->pair.n) && pairs_scatter(s));
}

/* Trains alone: to either side of their mean as far. Traffic that comes and goes only ever makes
 * some longer. */
#define LOPSIDED 0.2

static bool trains_vary(const struct statistics *s)
{
    double range_ns = s->most_train_ns - s->least_train_ns;
    double middle_ns = (s->most_train_ns + s->least_train_ns) / 2;

    return s->at_once && !s->batched && s->varies >= SPANS_VARY
        && range_ns > 2 * CANDIDATE_ERROR_MOST * middle_ns
        && fabs(s->train.value - middle_ns) <= LOPSIDED * range_ns;
}

/* --- Which of them --- */

static struct proposal of_turns(const struct statistics *s, const struct candidate *turns)
{
    struct proposal proposal = {*turns, {0}};

    if (turns->origin == ORIGIN_TURNS && are_no_turns(s)) {
        proposal = access_of_mean(s, &s->train, ORIGIN_CONTENTION);
        evidence_note(&proposal.evidence, AGAINST_TURNS, true);
        return proposal;
    }
    evidence_note(&proposal.evidence, AGAINST_UNTOLD, turns->origin != ORIGIN_TURNS_TOLD);
    return proposal;
}

static struct proposal of_varying(const struct statistics *s)
{
    struct proposal proposal = access_of_mean(s, s->train.n > 0 ? &s->train : &s->pair, ORIGIN_MEAN);

    evidence_note(&proposal.evidence, AGAINST_VARIES, true);
    return proposal;
}

/* Where nobody tells how trains left, their sender may have let each packet wait. Of pairs alone decide() says why
 * they are a guess. */
static struct proposal of_contention(const struct statistics *s, bool trains)
{
    bool few = s->train.n < STATISTICS_TRAINS_LEAST;
    struct proposal proposal = access_of_mean(s, few ? &s->pair : &s->train, ORIGIN_CONTENTION);

    evidence_note(&proposal.evidence, AGAINST_DEPARTURES, !few && !s->told);
    evidence_note(&proposal.evidence, AGAINST_UNSHOWN, few && trains);
    return proposal;
}

/* Where last quarters vary as sums of independent gaps, traffic got into some of these, and the others, if trains
 * agree on them, have none. */
static bool ends_alike(const struct statistics *s)
{
    return s->end.n > 0 && s->last_varies > 1.0 / STATISTICS_INDEPENDENT;
}

/* Of what comes singly behind a pause, and in no whole cycles that are alike, the mean is right only where trains agree on
 * that gap, too. Else traffic got in: in the cycles, and the commonest gap is that of their line; or on a link behind
 * them, and the mean is longer by it. */
static bool may_be_loaded(const struct statistics *s)
{
    bool agrees = s->end.n > 0 && same_gap(s->end.value, s->tail.value, SAME_QUARTERS, 0);

    return !s->batched && !agrees && s->held.gap.n == 0;
}

/* From the start of one cycle to that of another; nobody tells which part of the packets at either end went with the one
 * before. */
static struct proposal of_held(const struct statistics *s, enum origin origin)
{
    double gap_ns = s->held.gap.gap_ns * s->bytes;

    return of(s->bytes, gap_ns, s->held.gap.error_ns * s->bytes + s->held.one * gap_ns, origin);
}

/* The last three quarters may begin and end anywhere in a batch, and in a cycle that passes several packets, at the same
 * place of it in all trains where these start it. */
static struct proposal of_tail(const struct statistics *s)
{
    double off_ns = (s->batch - 1) / s->tail_packets * s->tail.value;
    bool loaded = may_be_loaded(s);
    struct proposal proposal;

    if (s->held.gap.n >= HELD_LEAST && s->held.packets >= CYCLE_PACKETS)
        return of_held(s, ORIGIN_TAIL);
    if (loaded && ends_alike(s))
        return access_of_mean(s, &s->end, ORIGIN_TAIL);
    proposal = of(s->bytes, s->tail.value, half_width(&s->tail) + off_ns, ORIGIN_TAIL);
    evidence_note(&proposal.evidence, AGAINST_TAILS, loaded);
    evidence_note(&proposal.evidence, AGAINST_VARIES, s->tail_spread > TAILS_VARY);
    return proposal;
}

static struct proposal of_cycles(const struct statistics *s)
{
    struct proposal proposal = of_held(s, ORIGIN_CYCLES);

    proposal.candidate.below_ns = cycles_added(s) * proposal.candidate.gap_ns;
    return proposal;
}

struct proposal access_read(const struct seen *seen, const struct statistics *s)
{
    struct candidate turns = turns_read(seen, s);

    if (turns.origin != ORIGIN_NONE)
        return of_turns(s, &turns);
    if (cycles_hold(s))
        return of_cycles(s);
    if (varies(s))
        return of_varying(s);
    if (contend(seen, s))
        return of_contention(s, seen->longs->count > 0);
    if (pauses(s))
        return of_tail(s);
    return (struct proposal){0};
}

/* Batches begin and end anywhere in a quarter. But from the start of one to that of another the path passes
 * what they hold, and the mean of a train is off by one of them at the most. */
static bool batches_end_slower(const struct statistics *s)
{
    double a_batch_ns = a_gap_of_a_quarter(s, batch_ns(s)) / CURVE_QUARTERS;
    double error_ns = a_batch_ns + SURE * hypot(s->end.sigma, s->train.sigma);

    return s->end.n >= STATISTICS_TRAINS_LEAST && s->end.value > s->train.value && head_shorter(s, 0)
        && !same_gap(s->train.value, s->end.value, SAME_QUARTERS, error_ns);
}

/* A last gap that is longer than its quarter is that of a bucket that ends in there. */
static bool ends_late(const struct statistics *s)
{
    double error_ns = SURE * hypot(s->very_last.sigma, s->last.sigma);

    return s->very_last.value > s->last.value
        && !same_gap(s->very_last.value, s->last.value, SAME_HALVES, error_ns);
}

static struct proposal of_ends(const struct statistics *s)
{
    if (!s->batched && ends_late(s))
        return access_of_mean(s, &s->very_last, ORIGIN_LAST);
    if (s->batched || ends_alike(s))
        return access_of_mean(s, &s->end, ORIGIN_LAST);
    return access_of_mean(s, &s->last, ORIGIN_LAST);
}

/* Traffic that shares a bucket moves the knee from train to train, but not the gap that most packets have behind
 * it: less than the mean by more than the ticks of a shaper make of it. What the bucket holds lets the first quarter
 * pass in less time still, where behind a queue traffic only lengthens that as well. */
struct shaped access_shared(const struct statistics *s, const struct candidate *pairs)
{
    double gap_ns = s->end.value, first_ns = s->tail.value + s->head.value;
    double error_ns, bits = s->bytes * 8e9;

    if (pairs->gap_ns <= 0 || s->train.n < STATISTICS_TRAINS_LEAST || s->batched || !s->at_once
        || !quarters_end_slower(s) || ends_late(s) || !ends_alike(s)
        || s->last_varies > STATISTICS_INDEPENDENT || s->last.value < (1 + SAME_FAR) * gap_ns
        || gap_ns < CURVE_SHIFT * first_ns)
        return (struct shaped){0};
    error_ns = half_width(&s->end);
    return (struct shaped){.bps = bits / gap_ns,
                           .low_bps = bits / (gap_ns + error_ns),
                           .high_bps = bits / fmax(gap_ns - error_ns, gap_ns / 10),
                           .peak_bps = candidate_bps(pairs)};
}

/* Most gaps behind a bucket that nobody shares are what it goes on with. Traffic that comes at random scatters them, and leaves
 * their mean: then they are independent. Where they scatter and make up for each other, a clock does that, or others whose
 * rates are constant: these take from all trains alike, and no more than ours have where most gaps hold one packet of theirs. */
#define SHARED_MOST 2

struct spared access_spared(const struct statistics *s, double bps)
{
    double gap_ns = s->bytes * 8e9 / bps;
    bool goes_on = s->end.n > 0 && same_gap(s->end.value, gap_ns, SAME_RATE, 0);

    if (s->last.n < STATISTICS_TRAINS_LEAST || s->batched || goes_on || 2 * s->regular >= 1
        || s->last_varies >= 1.0 / STATISTICS_INDEPENDENT)
        return (struct spared){0};
    return (struct spared){bps, SHARED_MOST * bps};
}

/* At ticks the commonest gap is not the mean. */
static bool is_slower(const struct statistic *end, double gap_ns)
{
    return end->n >= STATISTICS_TRAINS_LEAST
        && end->value - gap_ns > same_reach(gap_ns, SAME_FAR, SURE * end->sigma);
}

/* A bucket that ends within the last quarter is of the commonest gap of the second half no more, but of most last ones. */
double access_end_slower(const struct statistics *s, double bps)
{
    double bits = s->bytes * 8e9, gap_ns = bits / bps;

    if (s->batched || !is_slower(&s->last, gap_ns))
        return 0;
    if (is_slower(&s->end, gap_ns))
        return bits / s->end.value;
    return s->least_last_ns > (1 + SAME_FAR) * gap_ns + s->noise_ns ? bits / s->least_last_ns : 0;
}

/* Of few batches a train one fills a quarter, and the wait for it is no pause: it is as long as what comes then takes. */
static bool few_batches(const struct statistics *s)
{
    return s->batched && s->tail_packets < TAIL_BATCHES * s->batch && s->burst.n >= STATISTICS_TRAINS_LEAST;
}

double access_burst_bps(const struct statistics *s)
{
    return few_batches(s) ? s->bytes * 8e9 / s->burst.value : 0;
}

/* Where pauses() is not sure what comes after. */
static bool pauses_perhaps(const struct statistics *s)
{
    return s->head.value > SURE * s->head.sigma
        && s->head.value > PAUSE * s->tail.value + a_gap_of_a_quarter(s, held_back_ns(s))
        && !(few_batches(s) && s->pause.value < PAUSE * s->burst.value + SURE * s->pause.sigma);
}

/* Too few for quarters to be compared, but all of them slower than any traffic makes them. */
static struct proposal of_few(const struct seen *seen, const struct candidate *told)
{
    struct mean few;
    double gap_ns;

    if (told->gap_ns <= 0)
        return (struct proposal){0};
    few = shapes_crawl(&seen->shapes, candidate_bps(told));
    gap_ns = few.gap_ns * told->bytes;
    if (few.n == 0 || gap_ns <= told->gap_ns) /* they end no slower */
        return (struct proposal){0};
    return of(told->bytes, gap_ns, fmax(few.error_ns * told->bytes, ESTIMATE_GUESS * gap_ns), ORIGIN_TRAINS);
}

/* Trains too short for a curve: where last gaps are longer than first ones, most of the last ones. */
static struct proposal of_short(const struct seen *seen, const struct witness *told)
{
    const struct candidate *candidate = &told->candidate;
    double *sorted = seen->scratch.numbers, gap_ns;
    unsigned n = 0;

    if (seen->longs->count > 0 || candidate->gap_ns <= 0 || !evidence_has(told->evidence, AGAINST_TAILS))
        return (struct proposal){0};
    EACH_READING(reading, seen->pairs)
        if (!isnan(reading->last_ns) && sizes_alike(reading->bytes, candidate->bytes))
            sorted[n++] = (double)reading->last_ns * candidate->bytes / reading->bytes;
    sort_numbers(sorted, n);
    gap_ns = n > 0 ? mode_half_sample(sorted, n) : 0;
    return gap_ns <= candidate->gap_ns ? (struct proposal){0}
                                       : of(candidate->bytes, gap_ns, ESTIMATE_GUESS * gap_ns, ORIGIN_LAST);
}

/* What traffic adds to a gap stays in the train. Where each gap makes up for the one before it instead (settled.c), and
 * whole trains vary by far less than gaps that have nothing to do with each other, none is in there: if trains are slower
 * than what is told, the link is. It is shut now and then, or its rate or its blocks come and go. */
static bool make_up(const struct statistics *s, double gap_ns)
{
    return s->at_once && s->ratio <= CURVE_MADE_UP && s->varies < 1.0 / STATISTICS_INDEPENDENT
        && s->train.value - gap_ns > same_reach(gap_ns, SAME_RIGHT, SURE * s->train.sigma);
}

/* Packets that leave a bucket come at its rate as long as nothing delays them, behind a loaded link too: rows of one gap, the
 * same in several trains, that begin when the bucket is empty. Others at a constant rate make rows as well, but anywhere, and
 * put as many of their packets between pairs; turns begin with the first packets. */
enum { ROWS_LEAST = 3, ROWS_LEAST_OF_FEW = 2 };
#define ROWS_IN_PAIRS 0.1

static bool pairs_have(const struct readings *pairs, double gap_ns, uint32_t bytes)
{
    unsigned all = 0, have = 0;

    EACH_READING(reading, pairs) {
        if (!sizes_alike(reading->bytes, bytes))
            continue;
        all++;
        have += same_gap(reading->gap_ns, gap_ns, SAME_RATE, 0);
    }
    return have > ROWS_IN_PAIRS * all;
}

/* Most of the trains that have slower rows than that have the same, and none sooner. */
static struct statistic rows_beyond(const struct seen *seen, const struct statistics *s, double gap_ns)
{
    unsigned n = 0, least = s->train.n < STATISTICS_TRAINS_LEAST ? ROWS_LEAST_OF_FEW : ROWS_LEAST;
    struct moments rows = {0};
    double sorted[SHAPES_ROOM];

    EACH_LONGEST(shape, &seen->shapes) {
        if (shape->row_ns <= (1 + SAME_RIGHT) * gap_ns || shape->bytes != s->bytes)
            continue;
        if (shape->row_soon)
            return (struct statistic){0};
        sorted[n++] = shape->row_ns;
    }
    sort_numbers(sorted, n);
    for (unsigned i = 0; i < n; i++)
        if (same_gap(sorted[i], sorted[n / 2], SAME_COMMON, 0))
            moments_add(&rows, sorted[i]);
    return rows.count < least || 2 * rows.count < n || pairs_have(seen->pairs, rows.mean, s->bytes)
        ? (struct statistic){0}
        : moments_statistic(&rows);
}

static struct proposal of_rows(const struct seen *seen, const struct statistics *s, double gap_ns)
{
    struct statistic rows = {0};

    if (gap_ns > 0 && s->at_once && !s->batched)
        rows = rows_beyond(seen, s, gap_ns);
    return rows.n > 0 ? access_of_mean(s, &rows, ORIGIN_LAST) : (struct proposal){0};
}

/* A full packet's; 0: a bound, or none. */
static double told_gap_ns(const struct statistics *s, const struct candidate *told)
{
    return told->gap_ns > 0 && !told->limited ? candidate_gap_ns(told, s->bytes) : 0;
}

/* Of trains too short for a curve, a full packet's; n 0: there are none. */
static struct statistic last_of_short(const struct seen *seen, uint32_t bytes)
{
    struct moments last = {0};

    EACH_READING(reading, seen->pairs)
        if (!isnan(reading->last_ns) && !reading->longer)
            moments_add(&last, (double)reading->last_ns * bytes / reading->bytes);
    return moments_statistic(&last);
}

/* A bucket ends at the same packet of all trains. What is left at the end of each, however short, waits because nothing has
 * asked for it yet, and what came before that tells the rate. */
static struct statistic before_the_end(const struct seen *seen, const struct statistics *s)
{
    struct statistic inner = s->tail, last;

    if (s->longer.value <= SURE * s->longer.sigma)
        return (struct statistic){0};
    last = last_of_short(seen, s->bytes);
    inner.value = ((CURVE_QUARTERS - 1) * s->tail.value - s->last.value) / (CURVE_QUARTERS - 2);
    return last.n >= SHORT_LEAST && last.value > (1 + SAME_HALVES) * inner.value + SURE * last.sigma
        ? inner
        : (struct statistic){0};
}

/* Whole slots tell another gap than all of them on average: by over 2 %, surely. */
static bool are_slots(const struct seen *seen, const struct statistics *s, const struct statistic *mean,
                      double gap_ns)
{
    return gap_ns > 0 && fabs(mean->value - gap_ns) > SAME_RATE * gap_ns + BEYOND_CHANCE * mean->sigma
        && grid_holds(seen, s);
}

struct proposal access_deny(const struct seen *seen, const struct statistics *s, const struct witness *told)
{
    double gap_ns = told_gap_ns(s, &told->candidate);
    struct proposal rows;
    struct statistic inner;

    if (s->train.n < STATISTICS_TRAINS_LEAST) {
        rows = of_rows(seen, s, gap_ns);
        if (rows.candidate.origin != ORIGIN_NONE)
            return rows;
        if (are_slots(seen, s, &s->pair, gap_ns))
            return access_of_mean(s, &s->pair, ORIGIN_MEAN);
        return seen->shapes.count > 0 ? of_few(seen, &told->candidate) : of_short(seen, told);
    }
    inner = before_the_end(seen, s);
    if (s->batched ? batches_end_slower(s) : quarters_end_slower(s))
        return inner.n > 0 ? access_of_mean(s, &inner, ORIGIN_TAIL) : of_ends(s);
    rows = of_rows(seen, s, gap_ns);
    if (rows.candidate.origin != ORIGIN_NONE)
        return rows;
    if (gap_ns > 0 && back_off(s, gap_ns))
        return access_of_mean(s, &s->train, ORIGIN_CONTENTION);
    if (gap_ns > 0 && cycles_pause(seen, s, gap_ns))
        return access_of_mean(s, &s->train, ORIGIN_CYCLES);
    if (are_slots(seen, s, &s->train, gap_ns))
        return access_of_mean(s, &s->train, ORIGIN_MEAN);
    if (pauses_perhaps(s))
        return inner.n > 0 ? access_of_mean(s, &inner, ORIGIN_TAIL) : of_tail(s);
    if (trains_vary(s))
        return access_of_mean(s, &s->train, ORIGIN_MEAN);
    if (gap_ns > 0 && make_up(s, gap_ns))
        return access_of_mean(s, &s->train, ORIGIN_TRAINS);
    return (struct proposal){0};
}

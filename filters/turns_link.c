/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/turns_link.h"

#include "filters/candidate.h"
#include "filters/moments.h"
#include "filters/same.h"

#include <math.h>

/* --- What pairs are asked --- */

double turns_scaled_gap(const struct reading *reading, const struct statistics *s)
{
    return (double)reading->gap_ns / reading->bytes * s->bytes;
}

bool turns_in_proportion(const struct statistics *s, const struct reading *reading, struct turn turn)
{
    return same_gap(turns_scaled_gap(reading, s), turn.own_ns, SAME_PROPORTION, s->noise_ns);
}

double turns_saved_gap(const struct reading *reading, const struct statistics *s, double full_ns)
{
    return (full_ns - reading->gap_ns) / (1 - (double)reading->bytes / s->bytes);
}

struct turn turns_alike(double packet_ns)
{
    return (struct turn){packet_ns, packet_ns};
}

struct answers turns_ask(const struct seen *seen, const struct statistics *s, double below, question *asks,
                         struct turn turn)
{
    struct answers answers = {0};

    EACH_READING(reading, seen->pairs) {
        if (reading->bytes >= below * s->bytes)
            continue;
        answers.all++;
        answers.yes += asks(s, reading, turn);
    }
    return answers;
}

double turns_between(const struct statistics *s, const struct reading *reading, struct turn turn)
{
    return (reading->gap_ns - (double)reading->bytes / s->bytes * turn.own_ns) / turn.others_ns;
}

bool turns_has(const struct statistics *s, const struct reading *reading, struct turn turn)
{
    double others = turns_between(s, reading, turn);

    return !reading->limited && others >= -TURNS_PHASE && fabs(same_off_whole(others)) <= TURNS_PHASE;
}

bool turns_most_in(const struct seen *seen, const struct statistics *s, struct turn turn)
{
    return 2 * turns_ask(seen, s, INFINITY, turns_has, turn).yes > seen->pairs->count;
}

/* --- The rate of the link --- */

/* The turn that most pairs are in, and how many. */
struct likely {
    struct turn turn;
    unsigned yes;
};

static void likely_try(const struct seen *seen, const struct statistics *s, struct turn turn,
                       struct likely *likely)
{
    unsigned yes;

    if (!same_gap(turn.others_ns, s->range_ns, SAME_WAIT, 0)
        || turn.others_ns < TURNS_OTHERS_LEAST * turn.own_ns
        || turn.others_ns > statistics_frame_ns(s, turn.own_ns))
        return;
    yes = turns_ask(seen, s, INFINITY, turns_has, turn).yes;
    if (yes > likely->yes)
        *likely = (struct likely){turn, yes};
}

static double middle_gap_ns(const struct seen *seen, const struct statistics *s)
{
    double *sorted = seen->scratch.numbers;
    unsigned n = 0;

    EACH_READING(reading, seen->pairs)
        if (reading->bytes == s->bytes)
            sorted[n++] = reading->gap_ns;
    sort_numbers(sorted, n);
    return n > 0 ? sorted[n / 2] : 0;
}

/* In the long run each flow has as many bytes: our packet's own time is a whole part of a train's gap. What the
 * middle gap of pairs is longer than that is whole packets of the others, each near the longest wait. Pairs of one
 * size do not tell how long these are: as long as ours, then. */
static struct turn likely_turn(const struct seen *seen, const struct statistics *s)
{
    bool sizes =
        turns_ask(seen, s, READING_SMALLER, turns_has, turns_alike(s->range_ns)).all >= TURNS_FIT_LEAST;
    struct likely likely = {{0, 0}, seen->pairs->count / 2};
    double middle_ns = middle_gap_ns(seen, s);

    for (unsigned flows = 2; flows <= TURNS_FLOWS_MOST + 1; flows++) {
        double own_ns = s->middle_tail_ns / flows;

        likely_try(seen, s, turns_alike(own_ns), &likely);
        likely_try(seen, s, (struct turn){own_ns, s->range_ns}, &likely);
        for (unsigned others = 1; sizes && others <= 2 * TURNS_FLOWS_MOST; others++)
            likely_try(seen, s, (struct turn){own_ns, (middle_ns - own_ns) / others}, &likely);
    }
    return likely.turn;
}

/* Each gap is a packet's own time and that of whole packets of the others. Least squares tell the one from the
 * other where pairs have several sizes, or are behind more of the others and fewer. */
struct fit {
    unsigned count, alone, smaller; /* alone: of these with none of the others in between */
    double own, others, gap;        /* sums ... */
    double own2, own_others, others2, own_gap, others_gap, gap2; /* ... and those of products */
};

static void fit_add(struct fit *fit, double own, double others, double gap_ns)
{
    fit->count++;
    fit->alone += others == 0;
    fit->smaller += own < READING_SMALLER;
    fit->own += own;
    fit->others += others;
    fit->gap += gap_ns;
    fit->own2 += own * own;
    fit->own_others += own * others;
    fit->others2 += others * others;
    fit->own_gap += own * gap_ns;
    fit->others_gap += others * gap_ns;
    fit->gap2 += gap_ns * gap_ns;
}

/* Products of what is off the means. */
static struct fit fit_centred(const struct fit *fit)
{
    double n = fit->count;
    struct fit centred = *fit;

    centred.own2 -= fit->own * fit->own / n;
    centred.own_others -= fit->own * fit->others / n;
    centred.others2 -= fit->others * fit->others / n;
    centred.own_gap -= fit->own * fit->gap / n;
    centred.others_gap -= fit->others * fit->gap / n;
    centred.gap2 -= fit->gap * fit->gap / n;
    return centred;
}

/* A full packet's own time. The sums of the others' are 0 where all came at the rate of the link. */
static struct mean fit_solve(const struct fit *fit, unsigned unknowns)
{
    double others2 = fit->others2 > 0 ? fit->others2 : 1;
    double apart = fit->own2 * others2 - fit->own_others * fit->own_others, own_ns, others_ns, left_ns2;

    if (fit->count <= unknowns || apart <= 0)
        return (struct mean){0};
    own_ns = (fit->own_gap * others2 - fit->others_gap * fit->own_others) / apart;
    others_ns = (fit->others_gap * fit->own2 - fit->own_gap * fit->own_others) / apart;
    left_ns2 =
        fmax(fit->gap2 - own_ns * fit->own_gap - others_ns * fit->others_gap, 0) / (fit->count - unknowns);
    return (struct mean){own_ns, student(fit->count - unknowns + 1) * sqrt(left_ns2 * others2 / apart),
                         fit->count};
}

/* A gap of two of the others more would be as good an own time, if no packet came at the rate of the link. */
enum { ALONE_LEAST = 1 };

/* What the link adds to each packet, and no layer counts, takes as long beside a short one: full packets tell their own
 * time better, where enough of them came with none of the others in between.
 * A late first stamp takes as much from a short packet's gap as from a long one's, and no share of it; or less from
 * a long one, in which a processor falls asleep again. Gaps off their mean tell it as if it were the former. */
static struct mean fit_own(const struct fit *fit, const struct fit *full)
{
    struct mean own, own_full, late;
    struct fit centred;

    if (fit->count < TURNS_FIT_LEAST || fit->alone < ALONE_LEAST)
        return (struct mean){0};
    own = fit_solve(fit, 2);
    own_full = full->alone >= TURNS_FIT_LEAST ? fit_solve(full, 2) : own;
    if (own_full.gap_ns < own.gap_ns)
        return own_full;
    centred = fit_centred(fit);
    late = fit->smaller < TURNS_FIT_LEAST ? (struct mean){0} : fit_solve(&centred, 3);
    if (late.gap_ns - late.error_ns <= own.gap_ns)
        return own;
    return (struct mean){(own.gap_ns + late.gap_ns) / 2, late.error_ns + (late.gap_ns - own.gap_ns) / 2,
                         fit->count};
}

/* What has none of the others in between, and passed no bucket, tells the own time by itself. Where flows that pause stretch
 * trains as well, that is no whole part of a train's gap, and what fits best is another one. */
static bool alone_say_so(const struct moments *alone, const struct statistics *s, const struct mean *own)
{
    return alone->count < TURNS_FIT_LEAST
        || same_gap(alone->mean, own->gap_ns, 0, SAME_RATE * own->gap_ns + own->error_ns + s->noise_ns);
}

struct link turns_read_link(const struct seen *seen, const struct statistics *s)
{
    struct turn turn = likely_turn(seen, s);
    struct fit fit = {0}, full = {0};
    struct moments alone = {0};
    struct mean own;

    if (turn.own_ns <= 0)
        return (struct link){{0, 0}, 0};
    EACH_READING(reading, seen->pairs) {
        double share = (double)reading->bytes / s->bytes, others;

        others = round(turns_between(s, reading, turn));
        if (!reading->limited && same_gap(reading->gap_ns / share, turn.own_ns, SAME_WAIT, 0))
            moments_add(&alone, reading->gap_ns / share);
        if (!turns_has(s, reading, turn))
            continue;
        fit_add(&fit, share, others, reading->gap_ns);
        if (share >= READING_SMALLER)
            fit_add(&full, share, others, reading->gap_ns);
    }
    own = fit_own(&fit, &full);
    turn.own_ns = own.gap_ns;
    if (own.n == 0 || own.error_ns > ESTIMATE_GUESS * own.gap_ns || !turns_most_in(seen, s, turn)
        || !alone_say_so(&alone, s, &own))
        return (struct link){{0, 0}, 0};
    return (struct link){turn, own.error_ns};
}

/* --- A slower link before it --- */

/* From a slower link two packets come further apart than the link of turns sends them, and fewer of others get in between
 * where the second is less late, as the first waited longer. Where nothing holds the second back it does not matter how
 * long that was: so if none of those with the fewest in between has one of the shortest waits of its size, the chance of
 * that is small. */

/* Pairs of a size that are in turns, and of these with the fewest of others in between. */
struct fewest {
    double *wait_ns;
    unsigned all, count;
    double others;
    double first_ns, least_ns; /* least wait of all, and of the fewest */
    double second_ns;          /* least delay of their second packets */
    uint32_t bytes;            /* of a packet */
};

static void fewest_add(struct fewest *fewest, double wait_ns, double others, const struct reading *reading)
{
    if (fewest->all > 0 && !sizes_alike(reading->bytes, fewest->bytes))
        return; /* delays of two sizes do not compare */
    fewest->wait_ns[fewest->all++] = wait_ns;
    fewest->first_ns = fmin(fewest->first_ns, wait_ns);
    if (others > fewest->others)
        return;
    if (others < fewest->others) {
        fewest->others = others;
        fewest->count = 0;
        fewest->least_ns = fewest->second_ns = INFINITY;
    }
    fewest->count++;
    fewest->least_ns = fmin(fewest->least_ns, wait_ns);
    fewest->second_ns = fmin(fewest->second_ns, wait_ns + reading->gap_ns);
    fewest->bytes = reading->bytes;
}

/* Of orders that are all alike. */
static double fewest_chance(const struct fewest *fewest)
{
    unsigned shorter = 0;
    double chance = 1;

    for (unsigned i = 0; i < fewest->all; i++)
        shorter += fewest->wait_ns[i] < fewest->least_ns;
    for (unsigned i = 0; i < fewest->count; i++)
        chance *= (double)(fewest->all - shorter - i) / (fewest->all - i);
    return chance;
}

/* As far apart that link sends packets of so many bytes, at the most. */
static double fewest_apart_ns(const struct fewest *fewest, double bytes)
{
    return fewest->count > 0 ? (fewest->second_ns - fewest->first_ns) / (fewest->bytes / bytes) : INFINITY;
}

struct apart turns_apart(const struct seen *seen, const struct statistics *s, struct turn turn)
{
    struct fewest none = {.wait_ns = seen->scratch.numbers, .others = INFINITY, .first_ns = INFINITY};
    struct fewest full = none, smaller = none;

    smaller.wait_ns += seen->scratch.room;
    EACH_READING(reading, seen->pairs) {
        double own = (double)reading->bytes / s->bytes, wait_ns = reading_delay_ns(reading, s->slope_ns);
        bool is_full = sizes_alike(reading->bytes, s->bytes);

        if (reading_counts_wait(reading, s->segment) && (is_full || own < READING_SMALLER)
            && turns_has(s, reading, turn))
            fewest_add(is_full ? &full : &smaller, wait_ns, round(turns_between(s, reading, turn)), reading);
    }
    return (struct apart){fmin(fewest_apart_ns(&full, s->bytes), fewest_apart_ns(&smaller, s->bytes)),
                          fewest_chance(&full) * fewest_chance(&smaller)};
}

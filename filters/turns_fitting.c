/* SPDX-License-Identifier: BSD-3-Clause */
/* A turn that holds two smaller packets, and not two full ones, lets the second of the former follow at the rate of the link; the
 * latter's waits for a turn of each of the others, less what the one that is being served has had of its own. So the bytes that
 * smaller pairs lack save them more than trains take for as many, however short the others' packets are, and whether or not
 * waits show. No queue that sends packets as they come does that, and a late first stamp takes as much from either. A bucket
 * does; but what it spares is the same each time, while turns spare any part of one, or of the packets in it, and trains, which
 * take all turns in full, have gaps that are nearly alike. */
#include "filters/turns_fitting.h"

#include "filters/same.h"
#include "filters/turns_link.h"

#include <math.h>

enum { FITTING_SMALLER = 6, FITTING_FULL = 10 };

/* --- What pairs take --- */

/* Of gaps; and how far two in a row are apart, as what changes now and then leaves most of these alike. */
struct middle {
    unsigned n;
    double ns, error_ns, quartiles_ns, next_ns;
};

static struct middle middle_of(double *gap_ns, unsigned n, double *next_ns)
{
    struct middle middle = {.n = n};

    if (n < FITTING_SMALLER)
        return middle;
    for (unsigned i = 1; i < n; i++)
        next_ns[i - 1] = fabs(gap_ns[i] - gap_ns[i - 1]);
    middle.next_ns = sort_nth(next_ns, n - 1, (n - 1) / 2);
    sort_numbers(gap_ns, n);
    middle.ns = gap_ns[n / 2];
    middle.error_ns = sort_middle_error(gap_ns, n);
    middle.quartiles_ns = sort_quartiles_apart(gap_ns, n);
    return middle;
}

/* What full pairs say, or smaller ones, of the gap of a full packet. */
typedef double saying(const struct reading *reading, const struct statistics *s, double full_ns);

static bool takes_part(const struct reading *reading)
{
    return !reading->limited && !reading->behind;
}

static struct middle ask_pairs(const struct seen *seen, const struct statistics *s, bool smaller, saying *say,
                               double full_ns)
{
    double *said_ns = seen->scratch.numbers;
    unsigned n = 0;

    EACH_READING(reading, seen->pairs)
        if (takes_part(reading)
            && (smaller ? reading->bytes < READING_SMALLER * s->bytes : reading->bytes == s->bytes))
            said_ns[n++] = say(reading, s, full_ns);
    return middle_of(said_ns, n, said_ns + seen->scratch.room);
}

/* What a gap is over its part of that. */
static double over_its_part(const struct reading *reading, const struct statistics *s, double full_ns)
{
    return reading->gap_ns - full_ns * reading->bytes / s->bytes;
}

/* As if it had full packets. */
static double scaled_gap(const struct reading *reading, const struct statistics *s, double full_ns)
{
    (void)full_ns;
    return turns_scaled_gap(reading, s);
}

/* --- Parts of turns --- */

/* Quartiles of pairs of one size are so many times as far apart as stamps make them, and as those of gaps in trains are; and by
 * such a part of these. Of even ones two in a row are 0.6 times as far apart, in the middle, and hardly ever where the rate has
 * changed once or twice. */
#define APART 2
#define APART_LEAST 0.05
#define NEXT_APART 0.25

static double spread_of(const struct shape *shape)
{
    return SORT_QUARTILES * sqrt(shape->variance_ns2);
}

static bool are_apart(const struct seen *seen, const struct statistics *s, const struct middle *pairs)
{
    double noise_ns = fmax(s->noise_ns, shapes_middle(&seen->shapes, s->bytes, spread_of));

    return pairs->quartiles_ns > fmax(APART_LEAST * s->middle_tail_ns, APART * noise_ns)
        && pairs->next_ns > NEXT_APART * pairs->quartiles_ns;
}

/* Full ones have whole packets of others in between, not all that have any as many (a medium that pauses has always the same),
 * and hardly one has none: in a queue three in four would, as of smaller ones. */
#define IN_STEPS 0.8
#define AS_MANY 0.9
#define ALONE_MOST 0.25

static bool are_in_steps(const struct seen *seen, const struct statistics *s, double own_ns)
{
    unsigned of[TURNS_OWN_LEAST + 1] = {0}, all = 0, on = 0, most = 0;

    for (unsigned i = 0; i < seen->pairs->count && own_ns > 0; i++) {
        const struct reading *reading = readings_at(seen->pairs, i);
        double packets = reading->gap_ns / own_ns, whole = fmin(round(packets), TURNS_OWN_LEAST);
        bool is_on = fabs(packets - whole) <= TURNS_PHASE;

        if (!takes_part(reading) || reading->bytes != s->bytes)
            continue;
        all++;
        on += is_on;
        of[(unsigned)whole] += is_on;
        most = whole > 1 && of[(unsigned)whole] > most ? of[(unsigned)whole] : most;
    }
    return all > 0 && on >= IN_STEPS * all && most <= AS_MANY * (on - of[1]) && of[1] <= ALONE_MOST * all;
}

/* Smaller ones come faster than trains, and not so much faster that it would take more flows than anybody tells. */
static bool may_fit(const struct statistics *s, const struct middle *scaled)
{
    return scaled->n >= FITTING_SMALLER && scaled->ns <= (1 - SAME_UNTURNED) * s->middle_tail_ns
        && scaled->ns * TURNS_OWN_LEAST >= s->middle_tail_ns;
}

struct fitting turns_fitting(const struct seen *seen, const struct statistics *s)
{
    struct middle full, saves, smaller, scaled;
    double error_ns, own_ns;

    if (s->train.n < STATISTICS_TRAINS_LEAST || s->batched)
        return (struct fitting){false, 0};
    scaled = ask_pairs(seen, s, true, scaled_gap, 0);
    if (!may_fit(s, &scaled))
        return (struct fitting){false, 0};
    full = ask_pairs(seen, s, false, over_its_part, 0);
    saves = ask_pairs(seen, s, true, turns_saved_gap, full.ns);
    error_ns = BEYOND_CHANCE * hypot(saves.error_ns, full.error_ns) + s->noise_ns;
    if (full.n < FITTING_FULL || saves.ns <= (1 + SAME_RATE) * s->middle_tail_ns + error_ns)
        return (struct fitting){false, 0};
    smaller = ask_pairs(seen, s, true, over_its_part, scaled.ns);
    own_ns = scaled.quartiles_ns <= SAME_PROPORTION * scaled.ns + s->noise_ns ? scaled.ns : 0;
    if (!are_apart(seen, s, &full) && !are_apart(seen, s, &smaller) && !are_in_steps(seen, s, own_ns))
        return (struct fitting){false, 0};
    return (struct fitting){true, own_ns};
}

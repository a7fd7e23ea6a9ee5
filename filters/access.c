/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/access.h"

#include "filters/moments.h"
#include "filters/same.h"
#include "filters/skew.h"
#include "filters/turns.h"

#include <math.h>

/* Fewer long trains have no mean with an error. */
enum { TRAINS_LEAST = 5 };

/* Errors that chance makes once in 16 000 times. */
#define SURE 4

static double half_width(const struct statistic *mean)
{
    return student(mean->n) * mean->sigma + CLOCK_ERROR * mean->value;
}

static void tell(const struct statistics *s, double gap_ns, double error_ns, enum why why,
                 struct estimate *estimate)
{
    *estimate = (struct estimate){.state = STATE_CONVERGED, .why = why};
    estimate_from_gap(estimate, s->bytes, gap_ns, error_ns, 0);
    if (error_ns > FLOOR_ERROR_MOST * gap_ns)
        estimate_doubt(estimate);
}

/* --- Contention --- */

/* What stretches gaps on a chain of queues makes first packets wait as well: of a share u of them
 * that wait, gaps grow by u at most (Poisson arrivals see time averages), on several links by
 * -ln(1 - u) together. Where nine in ten wait for nothing and gaps are longer than that, each
 * packet waits for the medium by itself: 802.11's backoff. Pairs and trains then have one mean, and it
 * is the service rate; and spans add up from independent gaps. */
#define IDLE 0.9
#define INDEPENDENT 3

static bool waits_by_itself(const struct statistics *s)
{
    double stretch_ns = s->pair.value - s->least_ns;
    double queues_ns = -2 * log(s->idle) * s->pair.value + 2 * s->noise_ns;
    double error_ns = SURE * hypot(s->pair.sigma, s->train.sigma);

    return s->pair.n > 0 && s->train.n >= TRAINS_LEAST && s->at_once && !s->batched
        && s->idle >= IDLE && stretch_ns > queues_ns + SURE * s->pair.sigma
        && same_gap(s->pair.value, s->train.value, SAME_MEANS, error_ns)
        && s->varies < INDEPENDENT && s->varies > 1.0 / INDEPENDENT;
}

/* --- A pause at the head --- */

/* A grant that has to be asked for, or the longer one of two links: trains pause near their
 * head, and the rest comes at one rate, that of the link. */
#define PAUSE 0.25
enum { BATCHES_LEAST = 6 };
#define TAIL_SPREAD 0.05

static bool pauses(const struct statistics *s)
{
    return s->train.n >= TRAINS_LEAST && s->at_once
        && s->tail_packets >= BATCHES_LEAST * s->batch
        && s->head.value > SURE * s->head.sigma && s->head.value > PAUSE * s->tail.value
        && fabs(s->longer.value)
            <= same_reach(s->tail.value, SAME_QUARTERS, SURE * s->longer.sigma);
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
enum { PAIRS_LEAST = 16 };

static bool varies(const struct statistics *s)
{
    double spread_ns = s->pair.sigma * sqrt(s->pair.n);
    double together =
        s->train.n >= TRAINS_LEAST && s->varies >= SPANS_VARY ? TOGETHER : TOGETHER_ALONE;

    return s->pair.n >= PAIRS_LEAST && s->together >= together && s->slope >= SLOPE_LEAST
        && s->slope <= SLOPE_MOST && spread_ns > VARIES * s->pair.value + s->noise_ns;
}

/* Trains alone: to either side of their mean as far. Traffic that comes and goes only ever makes some
 * longer. */
#define LOPSIDED 0.2

static bool trains_vary(const struct statistics *s)
{
    double range_ns = s->most_train_ns - s->least_train_ns;
    double middle_ns = (s->most_train_ns + s->least_train_ns) / 2;

    return s->at_once && !s->batched && s->varies >= SPANS_VARY
        && fabs(s->train.value - middle_ns) <= LOPSIDED * range_ns;
}

/* --- Which of them --- */

static void tell_turns(const struct statistics *s, const struct turns *turns,
                       struct estimate *estimate)
{
    tell(s, turns->gap_ns, turns->error_ns, WHY_FAIR_QUEUE, estimate);
    if (!turns->told)
        estimate_doubt(estimate);
    if (estimate->state == STATE_CONVERGED)
        estimate->state = STATE_FAIR;
    if (turns->told)
        estimate->share_bps = s->bytes * 8e9 / turns->share_ns;
}

bool access_told(const struct seen *seen, const struct floor *pairs, const struct statistics *s,
                 struct estimate *estimate)
{
    struct turns turns;

    if (turns_found(seen, pairs, s, &turns)) {
        tell_turns(s, &turns, estimate);
    } else if (varies(s)) {
        const struct statistic *mean = s->train.n > 0 ? &s->train : &s->pair;

        tell(s, mean->value, half_width(mean), WHY_RATE_VARIES, estimate);
        estimate_doubt(estimate);
    } else if (waits_by_itself(s)) {
        tell(s, s->train.value, half_width(&s->train), WHY_CONTENTION, estimate);
    } else if (pauses(s)) {
        /* the last three quarters may begin and end anywhere in a batch */
        double off_ns = (s->batch - 1) / s->tail_packets * s->tail.value;

        tell(s, s->tail.value, half_width(&s->tail) + off_ns, WHY_HEAD_PAUSE, estimate);
        if (s->tail_spread > TAIL_SPREAD)
            estimate_doubt(estimate);
    } else {
        return false;
    }
    return true;
}

/* Behind queues no quarter of a train is longer than another, on average. A bucket that ends late
 * makes the last one longer, one that ends early the first one shorter; a late first stamp takes a
 * little of the first, and batches may begin or end in any, if there are some in each. Then the end
 * of trains is nearest. */
static double a_gap_of_a_quarter(const struct statistics *s, double ns)
{
    return ns / (s->tail_packets / (CURVE_QUARTERS - 1));
}

static double batch_ns(const struct statistics *s)
{
    return s->batched ? s->batch * s->tail.value : 0;
}

static double uneven_ns(const struct statistics *s)
{
    return SAME_QUARTERS * s->tail.value + a_gap_of_a_quarter(s, batch_ns(s) + s->noise_ns);
}

static bool ends_slower(const struct statistics *s)
{
    if (s->batched && s->tail_packets < BATCHES_LEAST * s->batch)
        return false;
    return s->longer.value > fmax(SURE * s->longer.sigma, uneven_ns(s))
        || -s->head.value > fmax(SURE * s->head.sigma, uneven_ns(s));
}

/* A pause of more than batches make, where pauses() is not sure what comes after. */
#define BATCHES_PAUSE 1.5

static bool pauses_perhaps(const struct statistics *s)
{
    return s->at_once && s->head.value > SURE * s->head.sigma
        && s->head.value
               > PAUSE * s->tail.value + a_gap_of_a_quarter(s, BATCHES_PAUSE * batch_ns(s));
}

void access_doubt(const struct statistics *s, struct estimate *estimate)
{
    if ((estimate->state != STATE_CONVERGED && estimate->state != STATE_TENTATIVE)
        || s->train.n < TRAINS_LEAST)
        return;
    if (ends_slower(s)) {
        tell(s, s->last.value, half_width(&s->last), WHY_LAST_GAPS_LONGER, estimate);
        estimate->advice = ADVICE_SEND_LONGER_TRAINS;
    } else if (pauses_perhaps(s)) {
        tell(s, s->tail.value, half_width(&s->tail), WHY_HEAD_PAUSE, estimate);
        estimate->advice = ADVICE_SEND_LONGER_TRAINS;
    } else if (trains_vary(s)) {
        tell(s, s->train.value, half_width(&s->train), WHY_RATE_VARIES, estimate);
    } else {
        return;
    }
    estimate_doubt(estimate);
}

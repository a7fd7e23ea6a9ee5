/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/stand.h"

#include "filters/candidate.h"
#include "filters/same.h"

/* Part of the trains that an estimate rests on: so many more bear it out; or so many times sure do. */
#define BORNE_OUT 0.5
enum { IN_ROW = 3 };

/* What a train says against a rate where proof is missing; where evidence refutes it, or the estimate is
 * not quite the same; and where it is another one. The first and the last were chosen on the seeds to tune on: twice as
 * much where proof is missing loses 41 of 3753 decisions on random paths, and one of 33 wrong ones; twice where it is
 * another one keeps 18 more of 5208, and 4 more of 48 wrong ones. */
#define MISSING 0.25
#define REFUTED 1
#define ELSEWHERE 4

/* Of those for it no more count: then half of the default window is new. */
#define BALANCE_MOST 128

void stand_forget(struct stand *stand)
{
    stand->balance = 0;
    stand->guess_bps = 0;
    stand->changed = true;
}

static bool same_bps(const struct estimate *a, const struct estimate *b, double share)
{
    return same_gap(a->capacity_bps, b->capacity_bps, share, 0);
}

static void follow_guess(struct stand *stand, const struct estimate *estimate, unsigned window)
{
    if (stand->guess_bps <= 0 || !same_gap(estimate->capacity_bps, stand->guess_bps, SAME_RATE, 0)) {
        stand->guess_bps = (float)estimate->capacity_bps;
        stand->guess_since = stand->trains;
        stand->guess_on = stand->changed ? 0 : (uint16_t)(window < UINT16_MAX ? window : UINT16_MAX);
        stand->changed = false;
        stand->in_row = 0;
    }
    if (!estimate_is_sure(estimate))
        stand->in_row = 0;
    else if (stand->in_row < IN_ROW)
        stand->in_row++;
}

static bool is_borne_out(const struct stand *stand)
{
    return stand->in_row >= IN_ROW || stand->trains - stand->guess_since >= BORNE_OUT * stand->guess_on;
}

/* It is not what was told any more, or more than proof is missing. */
static bool is_refuted(const struct estimate *before, const struct estimate *estimate, bool refuted)
{
    return refuted || !same_bps(estimate, before, SAME_RATE);
}

static double speaks_against(const struct estimate *before, const struct estimate *estimate, bool refuted)
{
    if (!same_bps(estimate, before, SAME_RIGHT))
        return ELSEWHERE;
    return is_refuted(before, estimate, refuted) ? REFUTED : MISSING;
}

/* What was told stays, and what it is now counts as error. Its interval is that of readings alone, and knows nothing of
 * what refutes it: then it is as wide as one that is told may be. */
static void keep(const struct estimate *before, struct estimate *estimate, bool refuted)
{
    struct estimate kept = *before;
    bool bound = kept.high_bps <= 0; /* there is no interval */

    if (!bound && same_bps(estimate, before, SAME_RATE))
        estimate_widen(&kept, estimate->capacity_bps, 0);
    if (!bound && is_refuted(before, estimate, refuted))
        estimate_widen(&kept, kept.capacity_bps, CANDIDATE_ERROR_MOST);
    kept.seen_bytes = estimate->seen_bytes;
    *estimate = kept;
}

static void keep_waiting(struct estimate *estimate)
{
    estimate_doubt(estimate);
    estimate->advice = ADVICE_WAIT;
    if (estimate->why == WHY_NONE)
        estimate->why = WHY_FEW_TRAINS;
}

void stand_take(struct stand *stand, const struct estimate *before, struct estimate *estimate,
                unsigned window, unsigned trains, bool refuted)
{
    double more = trains - stand->trains, balance = stand->balance;
    bool sure = estimate_is_sure(estimate), as_told = balance > 0 && same_bps(estimate, before, SAME_RIGHT);

    stand->trains = trains;
    follow_guess(stand, estimate, window);
    if (sure && (as_told || is_borne_out(stand))) {
        stand->balance = (float)fmin(fmax(as_told ? balance + more : 0, window), BALANCE_MOST);
        return;
    }
    if (balance > 0)
        stand->balance = (float)fmax(balance - more * speaks_against(before, estimate, refuted), 0);
    if (stand->balance > 0)
        keep(before, estimate, refuted);
    else if (sure)
        keep_waiting(estimate);
}

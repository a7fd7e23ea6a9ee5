/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/change.h"

#include "filters/same.h"

#include <string.h>

/* Since some train most agree on a gap that is not the usual one, and hardly any on that: of k such
 * trains m do so, of the n before them h did. If nothing had changed, each order of these would be
 * as likely as any other, and that the newest agree so often has the chance
 * binomial(k, m) (h + 1) ... (h + m) / ((n + 2) ... (n + m + 1)) (Polya's urn, from even odds).
 * The change is where that is least. */
#define CHANCE 1e-7
enum { RUN_LEAST = 5, RUN_MOST = 64, USUAL_FEW = 4 };

/* Below that what trains leave is a guess, and nothing is forgotten yet. */
#define DOUBT 1e-4

/* Trains that agree with each other and with most pairs of their time: their chance is the product of both. */
enum { RUN_LEAST_WITH_PAIRS = 3 };

/* A train that traffic lengthens has any gap between the usual one and far beyond. That the next one is as long is by chance
 * what the width of a level is of its distance; others behind it may be, as traffic lasts. Where fewer than so many of those before
 * are on the usual gap levels may be the path's. */
#define USUAL_MOST 0.9

/* So many of the newest are looked at first. */
enum { LOOK = 8 };

/* Readings that may have changed, and the pairs of the same time. */
struct view {
    const struct readings *readings, *pairs;
    const struct watch *usual, *by_pairs;
};

/* Misses in a row that make another gap beside the held one a change in the making
 * rather than a better look at the same path; and so many that it is not the path's. */
enum { CONTEST_LEAST = 3, MISSED_MOST = 64 };

static struct watch *watch_of(struct change *change, bool trains)
{
    return trains ? &change->longs : &change->pairs;
}

static struct watch watch_for(const struct witness *witness, const struct noise *noise)
{
    const struct candidate *candidate = &witness->candidate;
    const struct floors *floors = &witness->floors;

    if (candidate->gap_ns <= 0)
        return (struct watch){0};
    return (struct watch){
        .gap_ns = candidate->gap_ns,
        .middle_ns = floors->middle_ns,
        .bytes = candidate->bytes,
        .share = fmin(fmax(floors->same_ns / candidate->gap_ns, SAME_RATE), SAME_FAR),
        .noise_ns = fmin(2 * floors->half_ns, noise_gap_ns(noise) / 2),
        .floor = {floors->slope, floors->first_ns, floors->segment, floors->delays},
    };
}

static double gap_of(const struct watch *watch, const struct reading *reading)
{
    return (double)reading->gap_ns * watch->bytes / reading->bytes;
}

/* Gaps that say the same; only of trains whose first packet did not wait for so long that it explains
 * them. */
struct band {
    double low_ns, high_ns;
    bool unexplained;
};

/* About the usual gap. Stamps make as much of a train as of a pair, which is less of each gap. */
static struct band band_of(const struct watch *watch, const struct readings *readings)
{
    double gaps =
        readings->trains ? (double)readings_at(readings, readings->count - 1)->bytes / watch->bytes : 1;
    double reach_ns = same_reach(watch->gap_ns, watch->share, watch->noise_ns / gaps);

    return (struct band){watch->gap_ns - reach_ns, watch->gap_ns + reach_ns, false};
}

/* All that lie on the same side of it as this gap. */
static struct band side_of(struct band usual, double gap_ns)
{
    return gap_ns > usual.high_ns ? (struct band){usual.high_ns, INFINITY, true}
                                  : (struct band){0, usual.low_ns, true};
}

/* Whether it met a queue, of a packet more than what makes the gap as it is: on a link that became slower by
 * as much the first packet would have taken only as much longer as the gap did. */
static bool is_explained(const struct watch *watch, const struct reading *reading)
{
    const struct floor *floor = &watch->floor;
    double off_ns = fabs(gap_of(watch, reading) - watch->gap_ns);

    return floor->known && reading->segment == floor->segment
        && reading_delay_ns(reading, floor->slope) - floor->first_ns > off_ns + watch->gap_ns;
}

static bool is_hit(const struct watch *watch, struct band band, const struct reading *reading)
{
    double gap_ns = gap_of(watch, reading);

    return gap_ns >= band.low_ns && gap_ns <= band.high_ns
        && !(band.unexplained && is_explained(watch, reading));
}

static void push_level(struct change *change, double bps, unsigned until)
{
    if (change->count == LEVELS_ROOM)
        memmove(change->levels, change->levels + 1, --change->count * sizeof change->levels[0]);
    change->levels[change->count++] = (struct level){bps, until};
}

void change_forget(struct change *change)
{
    change->held.candidate.gap_ns = 0;
    change->pairs = change->longs = (struct watch){0};
}

/* All that is older than the newest so many goes. */
static void change_level(struct change *change, struct seen *seen, const struct readings *readings,
                         unsigned run, unsigned trains)
{
    if (change->held.candidate.gap_ns > 0)
        push_level(change, candidate_bps(&change->held.candidate), trains);
    seen_keep_since(seen, readings_at(readings, readings->count - run)->at_s);
    change_forget(change);
}

/* Of those from the index on. */
static unsigned count_hits(const struct readings *readings, unsigned from, const struct watch *watch,
                           struct band band)
{
    unsigned hits = 0;

    EACH_READING_FROM(reading, readings, from)
        hits += is_hit(watch, band, reading);
    return hits;
}

/* As each (h + 1 + i) / (n + 2 + i) is (h + 1) / (n + 2) at least, and binomial(k, m) is (k / m)^m at least,
 * the chance is no less than (k (h + 1) / (m (n + 2)))^m: within 5 / 4 it is above CHANCE for all m up to
 * RUN_MOST. */
static bool hardly_more(unsigned run, unsigned agreed, unsigned old, unsigned old_agreed)
{
    return 4 * agreed * (old + 2) <= 5 * run * (old_agreed + 1);
}

/* The chance that of a run so many agree where of the old ones so many did. */
static double change_chance(unsigned run, unsigned agreed, unsigned old, unsigned old_agreed)
{
    double product = 1;

    for (unsigned i = 0; i < agreed; i++)
        product *= (double)(run - i) / (i + 1) * (old_agreed + 1 + i) / (old + 2 + i);
    return product;
}

/* Pairs on one side of their middle gap, all of them and those that came since: a step that stamps hide in one pair
 * shows in many. Heads of trains are of the same trains, and do not count. */
struct sides {
    struct watch middle; /* no gap: pairs are not asked */
    struct band band;
    unsigned all, all_agreed;
    unsigned from, run, agreed; /* since that index */
};

static void sides_count(const struct sides *sides, const struct reading *reading, unsigned *count,
                        unsigned *agreed)
{
    if (!isnan(reading->last_ns))
        return;
    *count += 1;
    *agreed += is_hit(&sides->middle, sides->band, reading);
}

/* Beside trains that agree on a longer gap, or a shorter one. */
static struct sides sides_beside(const struct view *view, bool longer)
{
    double middle_ns = view->by_pairs->middle_ns;
    struct sides sides = {.middle = *view->by_pairs,
                          .band = {longer ? middle_ns : 0, longer ? INFINITY : middle_ns, true},
                          .from = view->pairs->count};

    if (!view->readings->trains)
        return (struct sides){0};
    sides.middle.gap_ns = middle_ns;
    EACH_READING(reading, view->pairs)
        sides_count(&sides, reading, &sides.all, &sides.all_agreed);
    return sides;
}

/* The chance that as many lie there; 1: most do not. Asked for one time after the other, the latest first. */
static double sides_chance(struct sides *sides, const struct readings *pairs, double since_s)
{
    while (sides->from > 0 && readings_at(pairs, sides->from - 1)->at_s >= since_s)
        sides_count(sides, readings_at(pairs, --sides->from), &sides->run, &sides->agreed);
    if (sides->middle.gap_ns <= 0 || 2 * sides->agreed <= sides->run)
        return 1;
    return fmin(
        1,
        change_chance(sides->run, sides->agreed, sides->all - sides->run, sides->all_agreed - sides->agreed));
}

static unsigned run_least(const struct view *view)
{
    return view->readings->trains ? RUN_LEAST_WITH_PAIRS : RUN_LEAST;
}

/* What the newest one says, if others do; no gap: they do not. */
static struct watch find_level(const struct view *view)
{
    const struct readings *readings = view->readings;
    struct watch level = *view->usual;
    struct moments near = {0};
    struct band band;

    level.gap_ns = gap_of(&level, readings_at(readings, readings->count - 1));
    band = band_of(&level, readings);
    for (unsigned i = 1; i <= LOOK && i <= readings->count; i++) {
        const struct reading *reading = readings_at(readings, readings->count - i);

        if (is_hit(&level, band, reading))
            moments_add(&near, gap_of(&level, reading));
    }
    level.gap_ns = near.count < run_least(view) ? 0 : near.mean;
    return level;
}

/* Of k, of which so many agree. all: of all readings. besides: the chance of what else speaks for a change. */
static double run_chance(const struct readings *readings, unsigned k, unsigned agreed, unsigned all,
                         double besides)
{
    unsigned old = readings->count - k, old_agreed = all - agreed;

    if (besides == 1 && (agreed < RUN_LEAST || hardly_more(k, agreed, old, old_agreed)))
        return 1;
    return besides * change_chance(k, agreed, old, old_agreed);
}

/* That a train is on this level if it is off the usual one; of pairs nothing is known. */
static double level_chance(const struct view *view, struct band band)
{
    double away_ns = fabs((band.low_ns + band.high_ns) / 2 - view->usual->gap_ns);

    return view->readings->trains && isfinite(away_ns) ? fmin((band.high_ns - band.low_ns) / away_ns, 1) : 1;
}

/* Since so many readings most are in a band, by that chance. */
struct run {
    unsigned count;
    double chance; /* 1: they were before */
};

static struct run find_run(const struct view *view, struct band band)
{
    const struct readings *readings = view->readings;
    unsigned all = 0, all_usual = 0; /* that agree, or are as usual: counted when it matters */
    unsigned agreed = 0, as_usual = 0;
    struct band usual_band = band_of(view->usual, readings);
    struct sides sides = {0};
    struct run least = {0, 1};
    double by_level = level_chance(view, band);

    for (unsigned k = 1; k <= RUN_MOST && k < readings->count && USUAL_FEW * as_usual <= RUN_MOST; k++) {
        const struct reading *reading = readings_at(readings, readings->count - k);
        double besides, by_chance;

        as_usual += is_hit(view->usual, usual_band, reading);
        if (!is_hit(view->usual, band, reading) || ++agreed < run_least(view) || 2 * agreed < k
            || USUAL_FEW * as_usual > agreed)
            continue;
        if (all == 0) {
            all = count_hits(readings, 0, view->usual, band);
            all_usual = by_level < 1 ? count_hits(readings, 0, view->usual, usual_band) : 0;
            sides = sides_beside(view, band.low_ns > view->usual->gap_ns);
        }
        besides = sides_chance(&sides, view->pairs, reading->at_s);
        if (by_level < 1 && all_usual - as_usual >= USUAL_MOST * (readings->count - k))
            besides *= by_level;
        by_chance = run_chance(readings, k, agreed, all, besides);
        if (by_chance < least.chance)
            least = (struct run){k, by_chance};
    }
    return least;
}

/* A rate that changes by some per cent from train to train agrees with none. But most of the newest lie to one
 * side of the usual gap then, by as small a chance. */
static bool most_on_one_side(const struct watch *usual, const struct view *view)
{
    const struct readings *readings = view->readings;
    double gap_ns = gap_of(usual, readings_at(readings, readings->count - 1));
    unsigned from = readings->count > LOOK ? readings->count - LOOK : 0;
    struct band side = side_of(band_of(usual, readings), gap_ns);

    return count_hits(readings, from, usual, side) >= run_least(view) && find_run(view, side).chance < CHANCE;
}

/* All pairs are heads of long trains, of which so many are yet to come. */
static bool are_heads(const struct seen *seen, unsigned to_come)
{
    return seen->pairs->count <= seen->longs->count + to_come;
}

/* level_ns: what long trains agree on before chance can be ruled out; 0: they do not. */
static enum change_seen begins_to_drift(struct watch *usual, const struct view *view, double level_ns)
{
    bool doubt = level_ns > 0, drifted = usual->drifts;

    usual->leaves_for_ns = (float)level_ns;
    usual->drifts = drifted || doubt || most_on_one_side(usual, view);
    return usual->drifts && !drifted ? CHANGE_DRIFTS : CHANGE_NONE;
}

static enum change_seen note_hit(struct watch *usual)
{
    bool drifted = usual->drifts;

    usual->missed = 0;
    usual->drifts = false;
    usual->leaves_for_ns = 0;
    return drifted ? CHANGE_BACK : CHANGE_NONE;
}

enum change_seen change_watch(struct change *change, struct seen *seen, const struct readings *readings,
                              unsigned trains)
{
    struct watch *usual = watch_of(change, readings->trains), level;
    struct view view = {readings, seen->pairs, usual, &change->pairs};
    struct run run = {0, 1};

    if (usual->gap_ns <= 0)
        return CHANGE_NONE;
    if (is_hit(usual, band_of(usual, readings), readings_at(readings, readings->count - 1)))
        return note_hit(usual);
    if (++usual->missed > MISSED_MOST && !usual->drifts) {
        change_forget(change);
        return CHANGE_NONE;
    }
    level = find_level(&view);
    if (level.gap_ns > 0)
        run = find_run(&view, band_of(&level, readings));
    if (run.chance >= CHANCE)
        return begins_to_drift(
            usual, &view, (readings->trains || are_heads(seen, 1)) && run.chance < DOUBT ? level.gap_ns : 0);
    change_level(change, seen, readings, run.count, trains);
    return CHANGE_LEVEL;
}

bool change_drifts(const struct change *change)
{
    return change->pairs.drifts || change->longs.drifts;
}

double change_leaves_for_bps(const struct change *change)
{
    const struct watch *watch = change->longs.leaves_for_ns > 0 ? &change->longs : &change->pairs;

    return watch->leaves_for_ns > 0 ? watch->bytes * 8e9 / watch->leaves_for_ns : 0;
}

bool change_disputes(const struct change *change, const struct candidate *candidate)
{
    const struct candidate *held = &change->held.candidate;
    const struct watch *watch = witness_by_trains(&change->held) ? &change->longs : &change->pairs;

    return candidate->gap_ns > 0 && held->gap_ns > 0 && watch->missed >= CONTEST_LEAST
        && !same_gap(candidate_gap_ns(candidate, held->bytes), held->gap_ns, SAME_RATE, 0);
}

/* Not while others than what is watched come in a row. */
static void set_watch(struct watch *watch, const struct watch *next)
{
    unsigned missed = watch->missed;

    if (watch->gap_ns > 0 && (missed >= CONTEST_LEAST || watch->drifts))
        return;
    *watch = *next;
    watch->missed = next->gap_ns > 0 ? missed : 0;
}

/* Whether pairs say what is told, to that share and what stamps make of them. */
static bool pairs_say(const struct watch *pairs, const struct watch *told, double share)
{
    double gap_ns;

    if (pairs->gap_ns <= 0 || told->gap_ns <= 0)
        return false;
    gap_ns = told->gap_ns * pairs->bytes / told->bytes;
    return same_gap(pairs->gap_ns, gap_ns, 0, same_reach(gap_ns, share, pairs->noise_ns));
}

/* Where all pairs are heads of long trains, and these say the same, they show a change sooner. One that says something else
 * moves what all say: so they are watched on, where they were. */
static bool trains_say(const struct seen *seen, const struct watch *longs, const struct watch *told)
{
    return told->gap_ns > 0 && are_heads(seen, 0)
        && ((longs->gap_ns > 0
             && same_gap(longs->gap_ns * told->bytes, told->gap_ns * longs->bytes, SAME_RATE, 0))
            || same_gap(shapes_gap(&seen->shapes, told->bytes).value, told->gap_ns, SAME_RATE, 0));
}

void change_hold(struct change *change, const struct seen *seen, const struct witness *told,
                 const struct witness *pairs, bool believed)
{
    struct watch as_told = watch_for(told, &seen->noise), by_pairs = watch_for(pairs, &seen->noise);
    struct watch none = {0};

    if (change->held.candidate.gap_ns > 0 && !believed)
        return;
    if (believed)
        change->held = *told;
    if (!pairs_say(&by_pairs, &as_told, SAME_FAR))
        by_pairs.share = SAME_UNTURNED; /* a host, or a bucket of hardly a frame, moves them by as much */
    if (!pairs_say(&by_pairs, &as_told, SAME_UNTURNED))
        by_pairs.gap_ns = 0;
    set_watch(&change->pairs, &by_pairs);
    set_watch(&change->longs,
              witness_by_trains(told) || trains_say(seen, &change->longs, &as_told) ? &as_told : &none);
}

struct left change_left(const struct change *change, unsigned trains, unsigned newest)
{
    struct left left = {.low_bps = INFINITY};

    for (unsigned i = 0; i < change->count; i++)
        left.count += trains - change->levels[i].until <= newest;
    for (unsigned i = change->count - left.count; i < change->count; i++) {
        left.low_bps = fmin(left.low_bps, change->levels[i].bps);
        left.high_bps = fmax(left.high_bps, change->levels[i].bps);
    }
    return left;
}

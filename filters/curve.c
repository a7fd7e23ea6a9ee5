/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/curve.h"

#include "filters/mode.h"
#include "filters/readings.h"
#include "filters/same.h"
#include "filters/sort.h"

#include <math.h>

/* ShaperProbe (Kanuparthy and Dovrolis, IMC 2011): the level shifts when gaps
 * before and after it are rank-separated and differ by a tenth at least. A
 * bucket of two packets has one gap before its knee; that the knee stands still
 * from train to train has to replace the three that ShaperProbe asks for. */
enum { TAIL_LEAST = 5 };

/* Share of gaps that may lie on the wrong side of the middle, and share of the
 * gaps' variance that two levels may leave unexplained. */
#define SHIFT_STRAY 0.1
#define SHIFT_UNEXPLAINED 0.3
#define SHIFT_LESS 1e-9 /* than rounding leaves: of knees as good the first one is told */

/* A gap longer than this many means is cross traffic or a lost time slice, and counts as that many when
 * levels are compared. */
#define GAP_CAP 3.0

/* Packets of a train that arrived in a row with none missing, and nothing in between: a loss
 * may hide an expansion, and a copy of a packet took as long on the link as the packet. */
struct piece {
    const struct sample_packet *packets;
    unsigned count;
    unsigned position; /* of its first packet, as they came */
};

/* The same, as numbers to compute with: they are gone over a dozen times. */
struct gap_run {
    const double *at_ns;  /* [count] */
    const double *gap_ns; /* [count], before each packet; before the first 0 */
    unsigned count;
    unsigned position; /* of its first packet, as they came; the others follow one by one */
    uint32_t bytes;    /* of that packet */
};

/* Whether all of a train came, if in another order. Nothing follows a packet that was overtaken; where nothing follows one
 * that was not, something else was in between. */
static bool came_whole(const struct sample *sample)
{
    unsigned highest = sample->packets[0].position;

    for (unsigned i = 1; i < sample->received; i++) {
        const struct sample_packet *packet = &sample->packets[i];

        if (packet->offset_ns < packet[-1].offset_ns
            || (!packet->follows && packet[-1].position == highest && packet->position == highest + 1))
            return false;
        highest = packet->position > highest ? packet->position : highest;
    }
    return sample->received == sample->sent;
}

static bool goes_on(const struct sample_packet *packet)
{
    return packet->follows && packet->position == packet[-1].position + 1
        && packet->offset_ns >= packet[-1].offset_ns;
}

/* A packet that others overtook was held up: sent again over the air, or on the longer of two links. To cut there leaves
 * away what that took, and what lies between two such cuts reads too fast. */
static void longest_run(const struct sample *sample, struct piece *longest)
{
    *longest = (struct piece){.count = 0};
    for (unsigned from = 0, end = 1; from < sample->received; from = end++) {
        while (end < sample->received && goes_on(&sample->packets[end]))
            end++;
        if (end - from > longest->count)
            *longest = (struct piece){&sample->packets[from], end - from, sample->packets[from].position};
    }
    if (longest->count < sample->received && came_whole(sample))
        *longest = (struct piece){sample->packets, sample->received, 0};
}

/* Mean gap from one packet to another. */
static double slope_between(const struct gap_run *run, unsigned first, unsigned last)
{
    return (run->at_ns[last] - run->at_ns[first]) / (last - first);
}

/* --- The commonest gap --- */

/* Mean of the gaps that lie within a hundredth of their half-sample mode; how many they are. */
static double common_gap(const struct gap_run *run, double *share)
{
    double sorted[SAMPLE_PACKETS_MOST], mode, sum = 0;
    unsigned n = 0, alike = 0;

    for (unsigned i = 1; i < run->count; i++)
        sorted[n++] = run->gap_ns[i];
    sort_numbers(sorted, n);
    mode = mode_half_sample(sorted, n);
    for (unsigned i = 0; i < n; i++)
        if (same_gap(sorted[i], mode, SAME_COMMON, 0)) {
            sum += sorted[i];
            alike++;
        }
    *share = (double)alike / n;
    return alike > 0 ? sum / alike : mode;
}

/* --- Lower envelope --- */

/* The packet of a stretch that lies lowest against a line of this slope. */
static unsigned lowest(const struct gap_run *run, unsigned from, unsigned to, double slope)
{
    double least_ns = INFINITY;
    unsigned best = from;

    for (unsigned i = from; i < to; i++) {
        double off_ns = run->at_ns[i] - slope * i;

        best = off_ns < least_ns ? i : best; /* no branch: none is foreseen */
        least_ns = off_ns < least_ns ? off_ns : least_ns;
    }
    return best;
}

/* A quarter of the run, or as much as its longest batch, so that a batch ends in it; at most half of the run.
 * Within a batch packets come at a line's rate, which may be no more than twice the link's. */
#define WITHIN_BATCH 0.5

static unsigned stretch(const struct gap_run *run)
{
    double mean = slope_between(run, 0, run->count - 1);
    unsigned most = run->count / 4, batch = 1;

    for (unsigned i = 1; i < run->count; i++) {
        bool within = run->gap_ns[i] < WITHIN_BATCH * mean;

        batch = within ? batch + 1 : 1;
        most = batch > most ? batch : most;
    }
    return most < run->count / 2 ? most : run->count / 2;
}

/* The last packet of a batch waited least. A line under the curve through the
 * lowest packets of its first and last stretch therefore has the slope that the
 * batches hide; which packets these are depends on the slope, hence up to three times. */
static void lowest_ends(const struct gap_run *run, unsigned *first, unsigned *last)
{
    unsigned part = stretch(run);

    *first = 0;
    *last = run->count - 1;
    for (int round = 0; round < 3; round++) {
        double slope = slope_between(run, *first, *last);
        unsigned before = *first, after = *last;

        *first = lowest(run, 0, part, slope);
        *last = lowest(run, run->count - part, run->count, slope);
        if (*first == before && *last == after)
            return;
    }
}

static void read_envelope(const struct gap_run *run, struct curve *curve)
{
    unsigned first, last;

    lowest_ends(run, &first, &last);
    curve->baseline = last - first;
    curve->gap_ns = slope_between(run, first, last);
    curve->lift_ns = run->at_ns[first] - curve->gap_ns * (run->position + first);
}

/* The mean that a gap in a batch is far below: the second half's; or that of the whole, where the second half took
 * so much less that it is one batch, or the end of one. */
static double batches_mean(const struct gap_run *run)
{
    unsigned last = run->count - 1;
    double half = slope_between(run, run->count / 2, last), all = slope_between(run, 0, last);

    return half < TINY_GAP * all ? all : half;
}

/* Whether one batch is followed by packets that come singly: batches of one clock hold alike, but for the last, which the
 * train ends. A bucket passes what it holds so, and then its rate. */
enum { SINGLY_LEAST = 2 };

static bool ends_singly(const struct gap_run *run, double tiny_ns)
{
    unsigned i = run->count;

    while (i > 1 && run->gap_ns[i - 1] >= tiny_ns)
        i--;
    if (run->count - i < SINGLY_LEAST)
        return false;
    while (i > 1 && run->gap_ns[i - 1] < tiny_ns)
        i--;
    return i <= 2; /* the first stamp may be late */
}

/* The longest gap has been read. */
static void read_tiny(const struct gap_run *run, const struct noise *noise, struct curve *curve)
{
    unsigned half = run->count / 2, tiny = 0;
    double tiny_ns = TINY_GAP * batches_mean(run);

    for (unsigned i = half + 1; i < run->count; i++)
        tiny += run->gap_ns[i] < tiny_ns;
    if (curve->longest_ns < noise->batch_ns || ends_singly(run, tiny_ns))
        tiny = 0;
    curve->tiny = (double)tiny / (run->count - 1 - half);
    curve->batches = run->count - 1 - half - tiny;
}

/* Where batches begin: with the train, or behind a gap that is longer than the mean of the second half. */
struct starts {
    unsigned count;
    uint8_t at[SAMPLE_PACKETS_MOST]; /* [count], ascending */
};

static void find_starts(const struct gap_run *run, struct starts *starts)
{
    double mean = slope_between(run, run->count / 2, run->count - 1);

    starts->at[0] = 0;
    starts->count = 1;
    for (unsigned i = 1; i < run->count; i++) {
        starts->at[starts->count] = (uint8_t)i;
        starts->count += run->gap_ns[i] > mean; /* no branch: no gap is foreseen */
    }
}

/* Whole batches lie before the start of the last one. The first ones may be others: what was there
 * when a clock ticked, what a bucket held, what nobody had asked for yet. So they are counted from
 * the end, as long as they are alike, to a packet. */
static void read_held(const struct gap_run *run, const struct starts *starts, struct curve *curve)
{
    unsigned last = starts->at[starts->count - 1], from = last;
    unsigned least = run->count, most = 0;

    for (unsigned n = starts->count - 1; n > 0 && curve->held_batches < CURVE_BATCHES_MOST; n--) {
        unsigned packets = from - starts->at[n - 1];

        least = packets < least ? packets : least;
        most = packets > most ? packets : most;
        if (most - least > 1)
            break;
        from -= packets;
        curve->held_batches++;
    }
    curve->held = last - from;
    curve->held_ns = run->at_ns[last] - run->at_ns[from];
}

/* Those at the end of it begin before the last quarter does, or are the last but one. */
static void read_last_batches(const struct gap_run *run, const struct starts *starts, struct curve *curve)
{
    unsigned quarter = (run->count - 1) * (CURVE_QUARTERS - 1) / CURVE_QUARTERS;
    unsigned last = starts->count - 1, from = last > 0 ? last - 1 : 0;

    while (starts->at[from] > quarter)
        from--;
    curve->end_ns = from > 0 ? slope_between(run, starts->at[from], starts->at[last]) : 0;
}

/* What comes at once was under way since the batch before it came. */
static void read_bursts(const struct gap_run *run, const struct starts *starts, struct curve *curve)
{
    unsigned first, second, last = run->count - 1;

    if (starts->count < 3)
        return;
    first = starts->at[1] - 1U; /* the last packets of these batches */
    second = starts->at[2] - 1U;
    curve->burst_ns = slope_between(run, first, starts->at[starts->count - 1] - 1U);
    curve->pause_ns = slope_between(run, first, second) - slope_between(run, second, last);
}

static void read_batches(const struct gap_run *run, struct curve *curve)
{
    struct starts starts;

    find_starts(run, &starts);
    read_held(run, &starts, curve);
    read_last_batches(run, &starts, curve);
    read_bursts(run, &starts, curve);
}

static void read_regular(const struct gap_run *run, const struct noise *noise, struct curve *curve)
{
    double stamps_ns = fmin(noise_gap_ns(noise), SAME_EVEN_MOST * curve->gap_ns);
    double reach_ns = same_reach(curve->gap_ns, SAME_EVEN, stamps_ns);
    unsigned alike = 0;

    for (unsigned i = 1; i < run->count; i++)
        alike += same_gap(run->gap_ns[i], curve->gap_ns, 0, reach_ns);
    curve->regular = (double)alike / (run->count - 1);
}

static void curve_read_parts(const struct gap_run *run, const struct extent *all, struct curve *curve)
{
    curve->variance_ns2 = all->of.squares / all->of.count;
    curve->longest_ns = all->most;
    for (unsigned q = 0; q < CURVE_QUARTERS; q++)
        curve->quarter_ns[q] = run->at_ns[(run->count - 1) * (q + 1) / CURVE_QUARTERS]
            - run->at_ns[(run->count - 1) * q / CURVE_QUARTERS];
}

/* What follows the packet of that place. */
static struct gap_run behind(const struct gap_run *run, unsigned from)
{
    return (struct gap_run){run->at_ns + from, run->gap_ns + from, run->count - from, run->position + from,
                            run->bytes};
}

/* Of so many of them, evenly spread: enough for a mode that others will have to bear out. */
enum { LATER_GAPS = 16 };

static double later_gap(const struct gap_run *run)
{
    unsigned inner = run->count - 3, n = inner < LATER_GAPS ? inner : LATER_GAPS;
    double sorted[LATER_GAPS];

    for (unsigned i = 0; i < n; i++)
        sorted[i] = run->gap_ns[2 + i * inner / n];
    sort_numbers(sorted, n);
    return mode_half_sample(sorted, n);
}

/* Independent gaps have a variance ratio of 1 (Lo and MacKinlay 1988). If a gap lacks what the one before it
 * has too much, as with late stamps, the ratio is a quarter, that of one gap in the four. The first gap is
 * not like the others. Coarse stamps add at most a quarter of a tick squared to a block, whatever they add to
 * a gap. */
enum { BLOCKS_LEAST = 6 };

/* NAN: of fewer. *short_share: of the gaps, of those that are short. */
static double ratio_of(const struct gap_run *run, const struct noise *noise, double *short_share)
{
    double tick_ns2 = noise->tick_ns * noise->tick_ns / (4 * CURVE_BLOCK * CURVE_BLOCK);
    unsigned last = run->count - 1, blocks = (last - 1) / CURVE_BLOCK;
    unsigned from = last - blocks * CURVE_BLOCK;
    double mean, gaps = 0, means = 0;
    unsigned shorts = 0;

    if (blocks < BLOCKS_LEAST)
        return NAN;
    mean = slope_between(run, from, last);
    for (unsigned i = from; i < last; i++) {
        double off = run->gap_ns[i + 1] - mean;

        gaps += off * off;
        shorts += off < (CURVE_SHORT - 1) * mean;
    }
    for (unsigned i = from; i < last; i += CURVE_BLOCK) {
        double off = slope_between(run, i, i + CURVE_BLOCK) - mean;

        means += off * off;
    }
    gaps /= blocks * CURVE_BLOCK - 1;
    means /= blocks - 1;
    *short_share = (double)shorts / (blocks * CURVE_BLOCK);
    return gaps > 0 ? CURVE_BLOCK * fmax(means - tick_ns2, 0) / gaps : NAN;
}

/* --- Level shift --- */

/* A run whose long gaps are cut to a cap. */
struct capped {
    double at_ns[SAMPLE_PACKETS_MOST], gap_ns[SAMPLE_PACKETS_MOST];
};

static struct gap_run cap_gaps(const struct gap_run *run, double cap_ns, struct capped *to)
{
    to->at_ns[0] = to->gap_ns[0] = 0;
    for (unsigned i = 1; i < run->count; i++) {
        to->gap_ns[i] = run->gap_ns[i] < cap_ns ? run->gap_ns[i] : cap_ns;
        to->at_ns[i] = to->at_ns[i - 1] + to->gap_ns[i];
    }
    return (struct gap_run){to->at_ns, to->gap_ns, run->count, run->position, run->bytes};
}

/* Gaps of the head on the tail's side of the middle, and the other way round. */
static bool separated(const struct gap_run *run, unsigned knee, double middle)
{
    unsigned high = 0, low = 0;

    for (unsigned i = 1; i <= knee; i++)
        high += run->gap_ns[i] > middle;
    for (unsigned i = knee + 2; i < run->count; i++)
        low += run->gap_ns[i] < middle;
    return high <= SHIFT_STRAY * knee && low <= SHIFT_STRAY * (run->count - 2 - knee);
}

/* The knee that leaves least variation within the two levels. The gap at the knee
 * itself belongs to neither: its packet waited for the rest of its tokens. It may be one further
 * on than leaves a tail. What gaps are over their mean adds up to nothing, so what lies behind a knee follows from what lies
 * before it. */
static unsigned best_knee(const struct gap_run *run, const struct extent *all)
{
    double squares = all->of.squares, enough = SHIFT_UNEXPLAINED * squares;
    double before = 1, behind = run->count - 3;
    unsigned best = 0;

    if (all->most < CURVE_SHIFT * all->least) /* as on most idle paths */
        return 0;
    for (unsigned knee = 1; knee + TAIL_LEAST < run->count; knee++, before++, behind--) {
        double head = run->at_ns[knee] - run->at_ns[0] - all->of.mean * before;
        double at = run->gap_ns[knee + 1] - all->of.mean, tail = head + at, within = squares - at * at;
        double levels =
            head * head * behind + tail * tail * before; /* times both counts: a division costs most */

        if ((within - enough) * before * behind < levels) {
            best = knee;
            enough = within - levels / (before * behind) - SHIFT_LESS * squares;
        }
    }
    return best;
}

/* Tokens: the packet at position k leaves when the bucket and what has flowed in
 * since the first packet suffice for k + 1 packets, so in the tail
 * bucket = (k + 1) * size - rate * offset(k); averaged over the tail. */
static double curve_bucket_of(const struct gap_run *run, unsigned from, double tail_gap_ns)
{
    double sum = 0;

    for (unsigned k = from; k < run->count; k++)
        sum += k + 1 - (run->at_ns[k] - run->at_ns[0]) / tail_gap_ns;
    return sum / (run->count - from) * run->bytes;
}

/* Behind the knee a shaper's timer is late, for some packets that then come closer together: along
 * the envelope the rate is that of the tokens. Where many gaps are alike all the same, that is what
 * other traffic leaves alone; not where stamps in ticks make them alike, nor where gaps make up for each other: then it
 * is the timer that ticks. */
#define TAIL_SHARE 0.3
#define TAIL_SLOWER 1.02

/* Ticks keep all packets within one of them of a line, and so do rare long gaps that come in time; that two of them are so
 * near by chance happens once in four trains, and ever less often where there are more. */
#define ONE_TICK 1.25
#define TWO_TICKS 1.75

static bool keep_time(const struct gap_run *tail, double common_ns)
{
    double slope = slope_between(tail, 0, tail->count - 1), longest_ns = 0, low_ns = 0, high_ns = 0;

    for (unsigned i = 1; i < tail->count; i++) {
        double off_ns = tail->at_ns[i] - tail->at_ns[0] - slope * i;

        longest_ns = fmax(longest_ns, tail->gap_ns[i]);
        low_ns = fmin(low_ns, off_ns);
        high_ns = fmax(high_ns, off_ns);
    }
    return (tail->count - 1) * (slope - common_ns) > TWO_TICKS * (longest_ns - common_ns)
        && high_ns - low_ns < ONE_TICK * (longest_ns - common_ns);
}

static double alike_gap(const struct gap_run *tail, const struct noise *noise, double slope)
{
    double share, short_share, mean = common_gap(tail, &share);

    if (noise->tick_ns > (TAIL_SLOWER - 1) * mean || !(slope > TAIL_SLOWER * mean && share >= TAIL_SHARE))
        return slope;
    return ratio_of(tail, noise, &short_share) <= CURVE_MADE_UP || keep_time(tail, mean) ? slope : mean;
}

static double tail_slope(const struct gap_run *tail)
{
    unsigned first = 0, last = tail->count - 1;

    if (tail->count >= SAMPLE_LONG)
        lowest_ends(tail, &first, &last);
    return slope_between(tail, first, last);
}

static double tail_gap(const struct gap_run *tail, const struct noise *noise, double slope)
{
    return tail->count < SAMPLE_LONG ? slope : alike_gap(tail, noise, slope);
}

/* Without its first gap. One longer gap among many may be traffic's, or a tick that the shaper left out. */
static double rest_gap(const struct gap_run *rest, const struct noise *noise)
{
    double slope = tail_slope(rest), gap_ns = tail_gap(rest, noise, slope);

    return same_gap(slope, gap_ns, SAME_FAR, 0) ? fmax(slope, gap_ns) : gap_ns;
}

/* Gaps are capped where levels are looked for, and those of the tail may all be: then the gap at the knee counts as one of
 * these, however short it is, and the last one of the head as that at the knee. By factors that is nearer to the head's. */
static unsigned past_head(const struct gap_run *run, unsigned knee)
{
    unsigned last = run->count - 1;

    while (knee > 0 && knee + 1 + TAIL_LEAST < run->count) {
        double head_ns = slope_between(run, 0, knee), rest_ns = slope_between(run, knee + 2, last);
        double next_ns = run->gap_ns[knee + 1];

        if (next_ns * next_ns >= head_ns * rest_ns || same_gap(run->gap_ns[knee + 2], rest_ns, SAME_ENDS, 0))
            break;
        knee++;
    }
    return knee;
}

/* Of gaps cut to the cap, if one is longer. */
static unsigned find_knee(const struct gap_run *run, const struct extent *all)
{
    double cap_ns = GAP_CAP * slope_between(run, 0, run->count - 1);
    struct capped store;
    struct gap_run capped;
    struct extent cut;

    if (all->most <= cap_ns)
        return best_knee(run, all);
    capped = cap_gaps(run, cap_ns, &store);
    cut = extent_of(capped.gap_ns + 1, capped.count - 1);
    return best_knee(&capped, &cut);
}

/* The knee that two levels show. Packets behind a late first stamp show none: they came sooner by no more
 * than a host needs to hand one over. */
static bool read_levels(const struct gap_run *run, const struct extent *all, const struct noise *noise,
                        struct curve *curve)
{
    unsigned knee = past_head(run, find_knee(run, all));
    struct gap_run tail, rest;

    if (knee == 0)
        return false;
    if (knee + 1 + TAIL_LEAST >= run->count)
        return true; /* what is left of the tail is too short, and of more of it too fast */
    curve->head_gap_ns = slope_between(run, 0, knee);
    tail = behind(run, knee + 1);
    rest = behind(run, knee + 2);
    curve->tail_gap_ns = tail_gap(&tail, noise, tail_slope(&tail));
    curve->rest_gap_ns = rest_gap(&rest, noise);
    if (curve->tail_gap_ns < CURVE_SHIFT * curve->head_gap_ns
        || knee * (curve->tail_gap_ns - curve->head_gap_ns) < noise->handover_ns
        || !separated(run, knee, (curve->head_gap_ns + curve->tail_gap_ns) / 2))
        return false;
    curve->knee = knee;
    curve->bucket_bytes = curve_bucket_of(run, knee + 1, curve->tail_gap_ns);
    return true;
}

/* A host that is late now and then hides the levels, but not the envelope: its line lies as many
 * gaps before the first packet as a bucket let pass, and these came in no time: a tenth of what
 * they would take, which packets behind one that waited rarely do. (In batches all do.) */
#define PASSED_GAP 0.1
#define PASSED_TINY 0.1

static void read_lead(const struct gap_run *run, const struct noise *noise, struct curve *curve)
{
    double lead = -curve->lift_ns / curve->gap_ns;
    unsigned knee = lead > 0 ? (unsigned)lead : 0;

    if (knee == 0 || curve->tiny > PASSED_TINY || knee >= run->count / 2
        || -curve->lift_ns < noise->handover_ns
        || run->at_ns[knee] - run->at_ns[0] > PASSED_GAP * knee * curve->gap_ns)
        return;
    curve->knee = knee;
    curve->head_gap_ns = slope_between(run, 0, knee);
    curve->tail_gap_ns = curve->rest_gap_ns = curve->gap_ns;
    curve->bucket_bytes = (1 + lead) * run->bytes;
}

/* Batches stand on two levels as well, and so do gaps before and behind a knee; the first of these may not be a whole
 * one. */
enum { TEETH_GAPS_LEAST = SAMPLE_LONG - 2 };

static void read_teeth(const struct gap_run *run, const struct extent *behind, const struct noise *noise,
                       struct curve *curve)
{
    unsigned from = curve->knee > 0 ? curve->knee + 3 : 2;

    if (curve->tiny <= PASSED_TINY && from + TEETH_GAPS_LEAST <= run->count) {
        struct extent of = from > 2 ? extent_of(run->gap_ns + from, run->count - from) : *behind;

        curve->teeth = teeth_read(run->gap_ns + from, &of, noise->tick_ns);
    }
}

/* How it ends; batches have been read. */
static void read_end(const struct gap_run *run, struct curve *curve)
{
    struct gap_run half = behind(run, run->count / 2);
    unsigned quarter =
        (run->count - 1) * (CURVE_QUARTERS - 1) / CURVE_QUARTERS + 1; /* begins with that gap */
    struct moments last = moments_of(run->gap_ns + quarter, run->count - quarter);
    double share;

    if (curve->tiny <= PASSED_TINY)
        curve->end_ns = common_gap(&half, &share);
    curve->last_ns = run->gap_ns[run->count - 1];
    curve->last_variance_ns2 = last.squares / last.count;
}

/* The longest of the gaps that so many in a row have, as far as stamps can tell. Turns begin with the second packet, or the
 * third. */
enum { ROW_LEAST = 8, ROW_FIRST = 4 };

static void read_row(const struct gap_run *run, unsigned from, unsigned to, struct curve *curve)
{
    double gap_ns = slope_between(run, from - 1, to - 1);

    if (gap_ns > curve->row_ns) {
        curve->row_ns = gap_ns;
        curve->row_soon = from < ROW_FIRST;
    }
}

static void read_rows(const struct gap_run *run, const struct noise *noise, struct curve *curve)
{
    double near_ns = noise_near_ns(noise), gaps = 1, span_ns = run->gap_ns[1]; /* of a row so far */
    unsigned from = 1;

    for (unsigned i = 2; i < run->count; i++) {
        double even_ns = SAME_EVEN * span_ns, stamps_ns = near_ns * gaps;

        if (same_gap(run->gap_ns[i] * gaps, span_ns, SAME_COMMON,
                     stamps_ns < even_ns ? stamps_ns : even_ns)) {
            gaps++;
            span_ns += run->gap_ns[i];
            continue;
        }
        if (i - from >= ROW_LEAST)
            read_row(run, from, i, curve);
        from = i;
        gaps = 1;
        span_ns = run->gap_ns[i];
    }
    if (run->count - from >= ROW_LEAST)
        read_row(run, from, run->count, curve);
}

static void convert(const struct piece *piece, double *at_ns, double *gap_ns)
{
    gap_ns[0] = 0;
    at_ns[0] = (double)piece->packets[0].offset_ns;
    for (unsigned i = 1; i < piece->count; i++) {
        at_ns[i] = (double)piece->packets[i].offset_ns;
        gap_ns[i] = at_ns[i] - at_ns[i - 1];
    }
}

bool curve_read(const struct sample *sample, const struct noise *noise, struct curve *curve)
{
    double at_ns[SAMPLE_PACKETS_MOST], gap_ns[SAMPLE_PACKETS_MOST];
    struct extent behind,
        all; /* of gaps: those but the first, which a late stamp may have made, or a bucket; all */
    struct piece longest;
    struct gap_run run;

    if (sample->received < SAMPLE_LONG)
        return false;
    longest_run(sample, &longest);
    if (longest.count < SAMPLE_LONG || longest.count > SAMPLE_PACKETS_MOST
        || longest.packets[longest.count - 1].offset_ns <= longest.packets[0].offset_ns)
        return false;
    convert(&longest, at_ns, gap_ns);
    run = (struct gap_run){at_ns, gap_ns, longest.count, longest.position, longest.packets[0].bytes};
    behind = all = extent_of(gap_ns + 2, run.count - 2);
    extent_add(&all, gap_ns[1]);
    *curve = (struct curve){.packets = run.count, .ratio = NAN};
    read_envelope(&run, curve);
    ticks_read(at_ns, gap_ns, &behind, &curve->ticks);
    curve_read_parts(&run, &all, curve);
    read_tiny(&run, noise, curve);
    read_batches(&run, curve);
    curve->later_ns = later_gap(&run);
    curve->ratio = ratio_of(&run, noise, &curve->short_share);
    read_regular(&run, noise, curve);
    read_end(&run, curve);
    read_rows(&run, noise, curve);
    if (run.position == 0 && !read_levels(&run, &all, noise, curve))
        read_lead(&run, noise, curve);
    read_teeth(&run, &behind, noise, curve);
    return curve->gap_ns > 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "queueing.h"

#include "filters/sort.h"

enum { SLOPES_MOST = QUEUEING_INTERVALS * (QUEUEING_INTERVALS - 1) / 2 };

/* Middles of intervals that lie further back than so many times those that may be kept tell
 * nothing of the present. */
enum { STALE_TIMES = 2 };

/* --- Packets --- */

/* SplitMix64 (Steele, Lea and Flood 2014): the same in every run. */
static uint64_t queueing_draw(struct queueing *queueing)
{
    uint64_t bits = queueing->random += UINT64_C(0x9e3779b97f4a7c15);

    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    return bits ^ bits >> 31;
}

/* Vitter's algorithm R: each of the interval is as likely among them as any other. Every n-th
 * would do no: trains have lengths of their own. */
static void queueing_keep(struct queueing *queueing, struct delay delay)
{
    uint64_t at = queueing->timed;

    if (at >= QUEUEING_KEPT)
        at = queueing_draw(queueing) % (at + 1);
    if (at < QUEUEING_KEPT)
        queueing->kept[at] = delay;
}

static void queueing_forget(struct queueing *queueing)
{
    queueing->timed = 0;
    queueing->middle_count = 0;
}

void queueing_begin_anew(struct queueing *queueing)
{
    queueing->floor = (struct floor){.begun = false};
    queueing_forget(queueing);
}

void queueing_set_byte(struct queueing *queueing, double byte_ns)
{
    floor_set_byte(&queueing->floor, byte_ns);
    queueing->middle_count = 0; /* of packets of all sizes, as they were read before */
}

void queueing_push(struct queueing *queueing, struct delay delay)
{
    if (floor_push(&queueing->floor, delay) == FLOOR_MOVED)
        queueing_forget(queueing);
    queueing_keep(queueing, delay);
    if (queueing->timed == 0
        || floor_over(&queueing->floor, delay) > floor_over(&queueing->floor, queueing->most))
        queueing->most = delay;
    queueing->timed++;
}

/* --- Intervals --- */

static double queueing_middle_of(double *values, unsigned count)
{
    sort_numbers(values, count);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static double median_over(const struct queueing *queueing, unsigned kept, double *greatest)
{
    double over[QUEUEING_KEPT];

    for (unsigned i = 0; i < kept; i++)
        over[i] = floor_over(&queueing->floor, queueing->kept[i]);
    *greatest = 0;
    for (unsigned i = 0; i < kept; i++)
        *greatest = over[i] > *greatest ? over[i] : *greatest;
    return queueing_middle_of(over, kept);
}

static int64_t queueing_ns_of(double over_ns)
{
    return over_ns > 0 ? (int64_t)(over_ns + 0.5) : 0;
}

/* --- Trend --- */

static void forget_middles(struct queueing *queueing, unsigned count)
{
    queueing->middle_count -= count;
    for (unsigned i = 0; i < queueing->middle_count; i++)
        queueing->middles[i] = queueing->middles[i + count];
}

/* As delays, not above the floor: that may move meanwhile. */
static void add_middle(struct queueing *queueing, unsigned kept, double median_ns, int64_t interval_ns)
{
    struct queueing_middle middle = {0, 0};
    unsigned stale = 0;

    if (queueing->middle_count == 0)
        queueing->first = queueing->kept[0];
    for (unsigned i = 0; i < kept; i++)
        middle.at_ns += (double)(queueing->kept[i].at_ns - queueing->first.at_ns) / kept;
    middle.ns =
        median_ns - floor_over(&queueing->floor, queueing->first) + queueing->floor.slope * middle.at_ns;
    while (stale < queueing->middle_count
           && middle.at_ns - queueing->middles[stale].at_ns
               > (double)STALE_TIMES * QUEUEING_INTERVALS * (double)interval_ns)
        stale++;
    if (stale == 0 && queueing->middle_count == QUEUEING_INTERVALS)
        stale = 1;
    forget_middles(queueing, stale);
    queueing->middles[queueing->middle_count++] = middle;
}

static double trend_of(const struct queueing *queueing)
{
    double slopes[SLOPES_MOST];
    unsigned count = 0;

    for (unsigned i = 1; i < queueing->middle_count; i++)
        for (unsigned j = 0; j < i; j++) {
            double apart_ns = queueing->middles[i].at_ns - queueing->middles[j].at_ns;

            if (apart_ns > 0)
                slopes[count++] = (queueing->middles[i].ns - queueing->middles[j].ns) / apart_ns;
        }
    if (queueing->middle_count < QUEUEING_TREND_LEAST || count == 0)
        return 0;
    return queueing_middle_of(slopes, count) - queueing->floor.slope;
}

struct queueing_figures queueing_end(struct queueing *queueing, int64_t interval_ns)
{
    unsigned kept = queueing->timed < QUEUEING_KEPT ? queueing->timed : QUEUEING_KEPT;
    struct queueing_figures figures = {.timed = queueing->timed};
    double median_ns, greatest_ns, most_ns;

    if (kept == 0)
        return figures;
    median_ns = median_over(queueing, kept, &greatest_ns);
    most_ns = floor_over(&queueing->floor, queueing->most); /* when it came; the floor may have moved */
    add_middle(queueing, kept, median_ns, interval_ns);
    figures.median_ns = queueing_ns_of(median_ns);
    figures.most_ns = queueing_ns_of(most_ns > greatest_ns ? most_ns : greatest_ns);
    figures.trend = trend_of(queueing);
    queueing->timed = 0;
    return figures;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "floor.h"

#include "common/stamp.h"
#include "filters/sort.h"

#include <math.h>

/* What stamps and schedulers make of the delay of a packet that met no queue. */
#define NEAR_NS 1e5

/* No clock that anyone steers runs off faster (RFC 5905), and none quite steadily, ns/ns. */
#define SKEW_MOST 5e-4
#define SKEW_WANDERS 2e-6

/* So far apart only clocks are, not paths. */
#define STEP_NS (10.0 * STAMP_NS_PER_S)

/* Buckets begin narrow and become wide, so that touches reach back over all there is. */
#define WIDTH_FIRST_NS (250 * STAMP_NS_PER_MS)
#define WIDTH_MOST_NS (20 * STAMP_NS_PER_S)
#define MEMORY_NS (600 * STAMP_NS_PER_S)

/* Fewer touches tell no slope, and not how well; with so many a floor stands for itself. */
enum { SLOPE_LEAST = 3, SURE_LEAST = 10, PROVEN_LEAST = 5 };

/* A higher floor is as straight as this one has been, within these bounds, and so much higher. */
#define UNEVEN_LEAST_NS NEAR_NS
#define UNEVEN_MOST_NS (10 * NEAR_NS)
#define RISE_LEAST_NS (2 * NEAR_NS)

double floor_over(const struct floor *floor, struct delay delay)
{
    return (double)(delay.ns - floor->origin.ns) - floor->level_ns
        - floor->slope * (double)(delay.at_ns - floor->origin.at_ns) - floor->byte_ns * delay.bytes;
}

/* --- Beginning --- */

static void floor_begin(struct floor *floor, struct delay delay)
{
    double slope = floor->slope, byte_ns = floor->byte_ns, uneven_ns = floor->uneven_ns;

    *floor = (struct floor){
        .origin = delay,
        .touches = {delay},
        .count = 1,
        .bucket_ns = delay.at_ns,
        .second_ns = delay.at_ns,
        .width_ns = WIDTH_FIRST_NS,
        .level_ns = -byte_ns * delay.bytes,
        .slope = slope,
        .byte_ns = byte_ns,
        .uneven_ns = uneven_ns,
        .begun = true,
    };
}

/* What cannot be compared with what was before. */
static bool floor_another_clock(const struct floor *floor, struct delay delay)
{
    double since_ns = (double)delay.at_ns - (double)floor->bucket_ns;
    double apart_ns = (double)delay.ns - (double)floor->origin.ns
        - floor->slope * ((double)delay.at_ns - (double)floor->origin.at_ns);

    return fabs(apart_ns) > STEP_NS || since_ns < -STEP_NS;
}

static bool below_reason(const struct floor *floor, struct delay delay, double over_ns)
{
    double since_ns = (double)(delay.at_ns - floor->touches[floor->count - 1].at_ns);

    return -over_ns > NEAR_NS + SKEW_MOST * fmax(since_ns, 0);
}

/* --- The line --- */

/* Quartiles of the slopes between any two of them. */
struct slopes {
    double low, middle, high;
};

enum { SLOPES_MOST = FLOOR_TOUCHES * (FLOOR_TOUCHES - 1) / 2 };

/* None is told by fewer than two different times: all 0. */
static struct slopes slopes_of(const struct delay *delays, unsigned count, double byte_ns)
{
    double slopes[SLOPES_MOST];
    unsigned n = 0;

    for (unsigned i = 1; i < count; i++)
        for (unsigned j = 0; j < i; j++) {
            double apart_ns = (double)(delays[i].at_ns - delays[j].at_ns);

            if (apart_ns > 0)
                slopes[n++] = ((double)(delays[i].ns - delays[j].ns)
                               - byte_ns * ((double)delays[i].bytes - delays[j].bytes))
                    / apart_ns;
        }
    if (n == 0)
        return (struct slopes){0, 0, 0};
    sort_numbers(slopes, n);
    return (struct slopes){slopes[n / 4], slopes[n / 2], slopes[n * 3 / 4]};
}

static double clamp(double value, double low, double high)
{
    return fmax(fmin(value, high), low);
}

static double floor_span_ns(const struct floor *floor)
{
    return (double)(floor->touches[floor->count - 1].at_ns - floor->touches[0].at_ns);
}

/* No touch lies below, nor what the bucket has so far. */
static void lie_under_all(struct floor *floor)
{
    double least_ns = INFINITY;

    floor->level_ns = 0;
    for (unsigned i = 0; i < floor->count; i++)
        least_ns = fmin(least_ns, floor_over(floor, floor->touches[i]));
    if (floor->bucket_begun)
        least_ns = fmin(least_ns, floor_over(floor, floor->bucket));
    floor->level_ns = least_ns;
}

/* On few touches the slope changes no more than it must to lie between the quartiles: where these
 * lie close together, or one is far away, it is left where it is. */
static void floor_fit(struct floor *floor)
{
    if (floor->count >= SLOPE_LEAST) {
        struct slopes slopes = slopes_of(floor->touches, floor->count, floor->byte_ns);

        floor->slope =
            floor->count < SURE_LEAST ? clamp(floor->slope, slopes.low, slopes.high) : slopes.middle;
        floor->slope = clamp(floor->slope, -SKEW_MOST, SKEW_MOST);
        floor->unsure =
            fmax(slopes.high - floor->slope, floor->slope - slopes.low) + NEAR_NS / floor_span_ns(floor);
    }
    lie_under_all(floor);
}

/* --- Touches --- */

static void forget_first(struct floor *floor, unsigned count)
{
    floor->count = (uint8_t)(floor->count - count);
    for (unsigned i = 0; i < floor->count; i++)
        floor->touches[i] = floor->touches[i + count];
}

/* The lower of each two is left, and buckets become twice as wide. */
static void floor_halve(struct floor *floor)
{
    for (unsigned i = 0; i < FLOOR_TOUCHES / 2; i++) {
        struct delay a = floor->touches[2 * i], b = floor->touches[2 * i + 1];

        floor->touches[i] = floor_over(floor, a) <= floor_over(floor, b) ? a : b;
    }
    floor->count = FLOOR_TOUCHES / 2;
    floor->width_ns *= 2;
}

static void add_touch(struct floor *floor, struct delay delay)
{
    if (floor->count == FLOOR_TOUCHES && floor->width_ns < WIDTH_MOST_NS)
        floor_halve(floor);
    else if (floor->count == FLOOR_TOUCHES)
        forget_first(floor, 1);
    floor->touches[floor->count++] = delay;
    floor_fit(floor);
}

/* Since the last touch clocks may have run so far apart. Before a slope is told they may have
 * from the first one on: then the last one is what this one is held against. */
static bool touches(const struct floor *floor, struct delay delay)
{
    struct delay last = floor->touches[floor->count - 1];
    double since_ns = fmax((double)(delay.at_ns - last.at_ns), 0);
    double over_ns = floor_over(floor, delay);

    if (floor->count < SURE_LEAST)
        return over_ns - floor_over(floor, last) <= NEAR_NS + SKEW_MOST * since_ns;
    return over_ns <= NEAR_NS + clamp(floor->unsure, SKEW_WANDERS, SKEW_MOST) * since_ns;
}

static void forget_old(struct floor *floor, int64_t now_ns)
{
    unsigned old = 0;

    while (old < floor->count && now_ns - floor->touches[old].at_ns > MEMORY_NS)
        old++;
    if (old == floor->count) /* what there is, is the floor now */
        floor_begin(floor, floor->bucket);
    else if (old > 0)
        forget_first(floor, old);
}

static void end_bucket(struct floor *floor, int64_t now_ns)
{
    if (floor->bucket_begun) {
        if (touches(floor, floor->bucket))
            add_touch(floor, floor->bucket);
        forget_old(floor, now_ns);
    }
    floor->bucket_begun = false;
    floor->bucket_ns = now_ns;
}

/* --- Rising --- */

/* How far the seconds lie about a line of their own, of that slope. */
static double unevenness(const struct floor *floor, double slope)
{
    double least = INFINITY, most = -INFINITY;

    for (unsigned i = 0; i < FLOOR_RISE_SECONDS; i++) {
        struct delay delay = floor->seconds[i];
        double ns = (double)(delay.ns - floor->seconds[0].ns)
            - slope * (double)(delay.at_ns - floor->seconds[0].at_ns) - floor->byte_ns * delay.bytes;

        least = fmin(least, ns);
        most = fmax(most, ns);
    }
    return most - least;
}

static void rise(struct floor *floor, double slope)
{
    struct delay seconds[FLOOR_RISE_SECONDS];

    for (unsigned i = 0; i < FLOOR_RISE_SECONDS; i++)
        seconds[i] = floor->seconds[i];
    floor->slope = slope;
    floor_begin(floor, seconds[0]);
    floor->width_ns = STAMP_NS_PER_S;
    for (unsigned i = 1; i < FLOOR_RISE_SECONDS; i++)
        add_touch(floor, seconds[i]);
    floor->bucket_ns = floor->second_ns = seconds[FLOOR_RISE_SECONDS - 1].at_ns;
}

/* Though the clocks' slope may have changed as well. */
static void look_at_seconds(struct floor *floor)
{
    double least_ns = INFINITY;
    double slope = slopes_of(floor->seconds, FLOOR_RISE_SECONDS, floor->byte_ns).middle;
    double uneven_ns = fmax(unevenness(floor, slope), UNEVEN_LEAST_NS);

    for (unsigned i = 0; i < FLOOR_RISE_SECONDS; i++)
        least_ns = fmin(least_ns, floor_over(floor, floor->seconds[i]));
    if (fabs(slope) > SKEW_MOST)
        return;
    if (least_ns > RISE_LEAST_NS && uneven_ns <= fmax(floor->uneven_ns, UNEVEN_LEAST_NS))
        rise(floor, slope);
    else if (least_ns <= NEAR_NS && uneven_ns <= UNEVEN_MOST_NS
             && (floor->uneven_ns <= 0 || uneven_ns < floor->uneven_ns))
        floor->uneven_ns = uneven_ns;
}

static void end_second(struct floor *floor, int64_t now_ns)
{
    bool begun = floor->second_begun;

    floor->second_begun = false;
    floor->second_ns = now_ns;
    if (!begun)
        return;
    if (floor->second_count == FLOOR_RISE_SECONDS) {
        floor->second_count--;
        for (unsigned i = 0; i < floor->second_count; i++)
            floor->seconds[i] = floor->seconds[i + 1];
    }
    floor->seconds[floor->second_count++] = floor->second;
    if (floor->second_count == FLOOR_RISE_SECONDS)
        look_at_seconds(floor);
}

/* What was least may be another packet's delay now; but of nearly the same. */
void floor_set_byte(struct floor *floor, double byte_ns)
{
    floor->byte_ns = byte_ns;
    if (floor->begun)
        floor_fit(floor);
}

void floor_note_loss(struct floor *floor)
{
    floor->second_count = 0;
}

/* --- Packets --- */

static void keep_least(const struct floor *floor, struct delay delay, struct delay *least, bool *begun)
{
    if (!*begun || floor_over(floor, delay) < floor_over(floor, *least))
        *least = delay;
    *begun = true;
}

enum floor_news floor_push(struct floor *floor, struct delay delay)
{
    bool another = floor->begun && floor_another_clock(floor, delay);
    bool proven = floor->count >= PROVEN_LEAST;
    double over_ns;

    if (!floor->begun || another) {
        floor_begin(floor, delay);
        return another ? FLOOR_MOVED : FLOOR_STAYS;
    }
    if (delay.at_ns - floor->bucket_ns >= floor->width_ns)
        end_bucket(floor, delay.at_ns);
    if (delay.at_ns - floor->second_ns >= STAMP_NS_PER_S)
        end_second(floor, delay.at_ns);
    over_ns = floor_over(floor, delay);
    if (below_reason(floor, delay, over_ns)) {
        floor_begin(floor, delay);
        return proven ? FLOOR_MOVED : FLOOR_STAYS;
    }
    if (over_ns < 0)
        floor->level_ns += over_ns;
    keep_least(floor, delay, &floor->bucket, &floor->bucket_begun);
    keep_least(floor, delay, &floor->second, &floor->second_begun);
    return FLOOR_STAYS;
}

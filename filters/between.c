/* SPDX-License-Identifier: BSD-3-Clause */
/* Others that never pause have a packet or more between any two of ours. How many that are differs as they come and go, and
 * by whose turn it was. So the gaps of full pairs stand on whole multiples of a packet's time, and those of smaller ones on
 * its share and whole multiples: which no ticks, no medium and no bucket have, and no number of trains has to be whole. */
#include "filters/between.h"

#include "filters/same.h"
#include "filters/statistics.h"

#include <math.h>

enum { SIZES = 2, SMALL = 0, FULL = 1 };

/* Most gaps are that near to a whole number of others: by chance one in ten is. */
#define BETWEEN_OFF 0.05
#define BETWEEN_ON 0.6

/* Of three such numbers, in both sizes, two follow each other: else others would be a part of what they are taken for. One
 * smaller pair, and no more than half of the full ones, had none in between: on a FIFO link most have none. */
enum { NUMBERS_LEAST = 3, SAME_LEAST = 2, BETWEEN_ALONE = 1 };
#define FULL_ALONE_MOST 0.5

/* Those that a pair with the least gap may have had in between; and any. */
enum { LEAST_MOST = 8, NUMBERS = 64 };
enum { BETWEEN_PAIRS = 12 };

/* Pairs on whole numbers of others. */
struct counts {
    double packet_ns;
    unsigned asked, on[SIZES];
    unsigned of[SIZES][NUMBERS];
    double packets2, packets_gap; /* sums of squares, and of products */
};

static unsigned size_of(const struct reading *reading, uint32_t bytes)
{
    return reading->bytes < READING_SMALLER * bytes ? SMALL : FULL;
}

static struct counts between_ask(const struct seen *seen, uint32_t bytes, double packet_ns, double longer)
{
    struct counts between = {.packet_ns = packet_ns};

    EACH_READING(reading, seen->pairs) {
        double own = (double)reading->bytes / bytes;
        double others = (reading->gap_ns / packet_ns - own) / longer, whole = round(others), packets;
        unsigned size = size_of(reading, bytes);

        if (reading->limited)
            continue;
        between.asked++;
        if (!(whole >= 0 && whole < NUMBERS) || fabs(others - whole) > BETWEEN_OFF)
            continue;
        packets = own + whole * longer;
        between.on[size]++;
        between.of[size][(unsigned)whole]++;
        between.packets2 += packets * packets;
        between.packets_gap += packets * reading->gap_ns;
    }
    return between;
}

static bool most_are_on(const struct counts *between)
{
    return between->asked >= BETWEEN_PAIRS
        && between->on[SMALL] + between->on[FULL] >= BETWEEN_ON * between->asked;
}

static bool numbers_show(const struct counts *between)
{
    unsigned numbers = 0, in_a_row = 0;

    for (unsigned size = 0; size < SIZES; size++)
        for (unsigned n = 0; n < NUMBERS; n++) {
            bool is = between->of[size][n] >= SAME_LEAST;

            numbers += is;
            in_a_row += is && n > 0 && between->of[size][n - 1] >= SAME_LEAST;
        }
    return numbers >= NUMBERS_LEAST && in_a_row > 0;
}

static bool others_hardly_pause(const struct counts *between)
{
    return between->of[SMALL][0] >= BETWEEN_ALONE
        && between->of[FULL][0] <= FULL_ALONE_MOST * between->on[FULL];
}

/* The second least gap of a size, as the least may be a late host's, and what of a full packet that pair's are. INFINITY: there
 * is none. */
struct near_least {
    double gap_ns, own;
};

static struct near_least gap_near_least(const struct seen *seen, uint32_t bytes, unsigned size)
{
    struct near_least next = {INFINITY, 1};
    double least_ns = INFINITY;

    EACH_READING(reading, seen->pairs) {
        if (reading->gap_ns >= next.gap_ns || reading->limited || size_of(reading, bytes) != size)
            continue;
        next = (struct near_least){fmax(least_ns, reading->gap_ns), (double)reading->bytes / bytes};
        least_ns = fmin(least_ns, reading->gap_ns);
    }
    return next;
}

static double between_try(const struct seen *seen, uint32_t bytes, double packet_ns, double longer)
{
    struct counts between;

    if (seen->noise.tick_ns > BETWEEN_OFF * packet_ns) /* stamps are whole numbers themselves */
        return 0;
    between = between_ask(seen, bytes, packet_ns, longer);
    if (!most_are_on(&between))
        return 0;
    between = between_ask(seen, bytes, between.packets_gap / between.packets2, longer);
    return most_are_on(&between) && numbers_show(&between) && others_hardly_pause(&between)
        ? between.packets_gap / between.packets2
        : 0;
}

/* The longest time that fits: parts of it fit as well. */
static double between_longest(const struct seen *seen, uint32_t bytes, const struct near_least least[SIZES],
                              double longer)
{
    double packet_ns = 0;

    for (unsigned size = 0; size < SIZES; size++)
        for (unsigned others = 0; others <= LEAST_MOST; others++) {
            double packets = least[size].own + others * longer;

            packet_ns = fmax(packet_ns, between_try(seen, bytes, least[size].gap_ns / packets, longer));
        }
    return packet_ns;
}

double between_bps(const struct seen *seen, uint32_t bytes)
{
    double longer = FRAME_MOST_BYTES / bytes, packet_ns;
    struct near_least least[SIZES];

    for (unsigned size = 0; size < SIZES; size++) {
        least[size] = gap_near_least(seen, bytes, size);
        if (isinf(least[size].gap_ns))
            return 0;
    }
    packet_ns = between_longest(seen, bytes, least, 1);
    if (packet_ns <= 0 && longer > 1 + SAME_RATE)
        packet_ns = between_longest(seen, bytes, least, longer);
    return packet_ns > 0 ? bytes * 8e9 / packet_ns : 0;
}

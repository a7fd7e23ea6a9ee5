/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/grid.h"

/* As near to a whole number are two gaps in ten by chance. */
#define GRID_OFF 0.1
#define GRID_ON 0.9

/* The tick is near the longest wait, which is known to a fifth; in such steps no gap of so many ticks is off by more than half of
 * GRID_OFF. */
enum { TICKS_MOST = 10 };
#define STEP (GRID_OFF / 2 / TICKS_MOST)

/* Full pairs on another multiple than the commonest one, and smaller pairs. */
#define OTHERWISE 0.1
enum { GRID_SMALLER = 3 };

struct grid {
    double off_most; /* any more of them off it, and there is none */
    unsigned off, smaller, full;
    unsigned of[TICKS_MOST + 1]; /* full ones of so many ticks */
};

static struct grid grid_ask(const struct seen *seen, const struct statistics *s, double tick_ns,
                            double off_most)
{
    struct grid grid = {.off_most = off_most};

    for (unsigned i = 0; i < seen->pairs->count && grid.off <= off_most; i++) {
        const struct reading *reading = readings_at(seen->pairs, i);
        double ticks = reading->gap_ns / tick_ns, whole = ticks - same_off_whole(ticks);

        if (reading->limited)
            continue;
        if (fabs(ticks - whole) > GRID_OFF || whole < 1) {
            grid.off++;
            continue;
        }
        if (reading->bytes < READING_SMALLER * s->bytes) {
            grid.smaller++;
            continue;
        }
        grid.full++;
        grid.of[(unsigned)fmin(whole, TICKS_MOST)]++;
    }
    return grid;
}

static bool grid_shows(const struct grid *grid)
{
    unsigned most = 0;

    for (unsigned i = 0; i <= TICKS_MOST; i++)
        most = grid->of[i] > most ? grid->of[i] : most;
    return grid->off <= grid->off_most && grid->smaller >= GRID_SMALLER
        && grid->full - most >= OTHERWISE * grid->full;
}

static unsigned count_unlimited(const struct readings *readings)
{
    unsigned count = 0;

    EACH_READING(reading, readings)
        count += !reading->limited;
    return count;
}

bool grid_holds(const struct seen *seen, const struct statistics *s)
{
    double all, off_most;

    if (!statistics_wait_evenly(s) || s->noise_ns > GRID_OFF * s->range_ns)
        return false;
    all = count_unlimited(seen->pairs);
    off_most = all - GRID_ON * all;
    for (double share = 1 - SAME_WAIT; share <= 1 + SAME_WAIT; share += STEP) {
        struct grid grid = grid_ask(seen, s, share * s->range_ns, off_most);

        if (grid_shows(&grid))
            return true;
    }
    return false;
}

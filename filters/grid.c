/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/grid.h"

/* As near to a whole number are two gaps in ten by chance. */
#define OFF_WHOLE 0.1
#define MOST 0.9

/* The tick is near the longest wait, which is known to a fifth; in such steps no gap of so many ticks is off by more than half of
 * OFF_WHOLE. */
enum { TICKS_MOST = 10 };
#define STEP (OFF_WHOLE / 2 / TICKS_MOST)

/* Full pairs on another multiple than the commonest one, and smaller pairs. */
#define OTHERWISE 0.1
enum { SMALLER_LEAST = 3 };

struct grid {
    unsigned all, on, smaller, full;
    unsigned of[TICKS_MOST + 1]; /* full ones of so many ticks */
};

static struct grid grid_ask(const struct seen *seen, const struct statistics *s, double tick_ns)
{
    struct grid grid = {0};

    for (unsigned i = 0; i < seen->pairs->count; i++) {
        const struct reading *reading = readings_at(seen->pairs, i);
        double ticks = reading->gap_ns / tick_ns;

        if (reading->limited)
            continue;
        grid.all++;
        if (fabs(same_off_whole(ticks)) > OFF_WHOLE || round(ticks) < 1)
            continue;
        grid.on++;
        if (reading->bytes < READING_SMALLER * s->bytes) {
            grid.smaller++;
            continue;
        }
        grid.full++;
        grid.of[(unsigned)fmin(round(ticks), TICKS_MOST)]++;
    }
    return grid;
}

static bool grid_shows(const struct grid *grid)
{
    unsigned most = 0;

    for (unsigned i = 0; i <= TICKS_MOST; i++)
        most = grid->of[i] > most ? grid->of[i] : most;
    return grid->on >= MOST * grid->all && grid->smaller >= SMALLER_LEAST
        && grid->full - most >= OTHERWISE * grid->full;
}

bool grid_holds(const struct seen *seen, const struct statistics *s)
{
    if (!statistics_wait_evenly(s) || s->noise_ns > OFF_WHOLE * s->range_ns)
        return false;
    for (double share = 1 - SAME_WAIT; share <= 1 + SAME_WAIT; share += STEP) {
        struct grid grid = grid_ask(seen, s, share * s->range_ns);

        if (grid_shows(&grid))
            return true;
    }
    return false;
}

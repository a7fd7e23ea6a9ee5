/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/ranked.h"

#include <string.h>

size_t ranked_bytes(unsigned room)
{
    return sizeof(struct ranked) + 2 * (size_t)room * sizeof(double);
}

void ranked_init(struct ranked *ranked, unsigned room)
{
    *ranked = (struct ranked){.room = room};
}

/* How many numbers are smaller than value. */
static unsigned rank_of(const double *sorted, unsigned count, double value)
{
    unsigned low = 0;

    while (low < count) {
        unsigned middle = low + (count - low) / 2;

        if (sorted[middle] < value)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

void ranked_drop(struct ranked *ranked)
{
    double *sorted = ranked->values + ranked->room;
    unsigned at = rank_of(sorted, ranked->count, ranked->values[ranked->oldest]);

    ranked->count--;
    memmove(sorted + at, sorted + at + 1, (ranked->count - at) * sizeof *sorted);
    ranked->oldest = (ranked->oldest + 1) % ranked->room;
}

void ranked_push(struct ranked *ranked, double value)
{
    double *sorted = ranked->values + ranked->room;
    unsigned at;

    if (ranked->count == ranked->room)
        ranked_drop(ranked);
    at = rank_of(sorted, ranked->count, value);
    memmove(sorted + at + 1, sorted + at, (ranked->count - at) * sizeof *sorted);
    sorted[at] = value;
    ranked->values[(ranked->oldest + ranked->count) % ranked->room] = value;
    ranked->count++;
}

double ranked_at(const struct ranked *ranked, unsigned i)
{
    return ranked->values[ranked->room + i];
}

double ranked_quantile(const struct ranked *ranked, double share)
{
    double at = share * (ranked->count > 0 ? ranked->count - 1 : 0);
    unsigned below = (unsigned)at;
    double low;

    if (ranked->count == 0)
        return 0;
    low = ranked_at(ranked, below);
    if (below + 1 == ranked->count)
        return low;
    return low + (at - below) * (ranked_at(ranked, below + 1) - low);
}

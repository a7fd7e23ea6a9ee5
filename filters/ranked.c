/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/ranked.h"

#include "filters/sort.h"

#include <string.h>

size_t ranked_bytes(unsigned room)
{
    return sizeof(struct ranked) + 2 * (size_t)room * sizeof(double);
}

void ranked_init(struct ranked *ranked, unsigned room)
{
    *ranked = (struct ranked){.room = room};
}

/* How many numbers are smaller than value. Which half a search goes to is not
 * predictable, so it is computed, not branched on. */
static unsigned rank_of(const double *sorted, unsigned count, double value)
{
    const double *low = sorted;

    while (count > 1) {
        unsigned half = count / 2;

        low += half * (low[half - 1] < value);
        count -= half;
    }
    return (unsigned)(low - sorted) + (count == 1 && *low < value);
}

void ranked_drop(struct ranked *ranked)
{
    double *sorted = ranked->values + ranked->room;
    unsigned at = rank_of(sorted, ranked->count, ranked->values[ranked->oldest]);

    ranked->count--;
    memmove(sorted + at, sorted + at + 1, (ranked->count - at) * sizeof *sorted);
    ranked->oldest = (ranked->oldest + 1) % ranked->room;
}

/* What lies between the old number and the place of the new one moves over. */
void ranked_replace(struct ranked *ranked, double value)
{
    double *sorted = ranked->values + ranked->room;
    double *oldest = &ranked->values[ranked->oldest];
    unsigned from = rank_of(sorted, ranked->count, *oldest);
    unsigned to = rank_of(sorted, ranked->count, value);

    if (from < to) {
        to--; /* the old one was counted */
        memmove(sorted + from, sorted + from + 1, (to - from) * sizeof *sorted);
    } else {
        memmove(sorted + to + 1, sorted + to, (from - to) * sizeof *sorted);
    }
    sorted[to] = value;
    ranked->oldest = (ranked->oldest + 1) % ranked->room;
    ranked->values[(ranked->oldest + ranked->count - 1) % ranked->room] = value;
}

void ranked_push(struct ranked *ranked, double value)
{
    double *sorted = ranked->values + ranked->room;
    unsigned at;

    if (ranked->count == ranked->room) {
        ranked_replace(ranked, value);
        return;
    }
    at = rank_of(sorted, ranked->count, value);
    memmove(sorted + at + 1, sorted + at, (ranked->count - at) * sizeof *sorted);
    sorted[at] = value;
    ranked->values[(ranked->oldest + ranked->count) % ranked->room] = value;
    ranked->count++;
}

void ranked_append(struct ranked *ranked, double value)
{
    ranked->values[(ranked->oldest + ranked->count) % ranked->room] = value;
    if (ranked->count < ranked->room)
        ranked->count++;
    else
        ranked->oldest = (ranked->oldest + 1) % ranked->room;
}

void ranked_sort(struct ranked *ranked)
{
    double *sorted = ranked->values + ranked->room;

    for (unsigned i = 0; i < ranked->count; i++)
        sorted[i] = ranked->values[(ranked->oldest + i) % ranked->room];
    sort_numbers(sorted, ranked->count);
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

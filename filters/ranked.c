/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/ranked.h"

#include "filters/sort.h"

/* Pending at most: this share of those in order, and so many. */
enum { PENDING_SHARE = 16, PENDING_MOST = 64 };

static unsigned ranked_least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned pending_most(unsigned count)
{
    return ranked_least(1 + count / PENDING_SHARE, PENDING_MOST);
}

static unsigned ring_room(const struct ranked *ranked)
{
    return ranked->room + pending_most(ranked->room);
}

size_t ranked_bytes(unsigned room)
{
    return sizeof(struct ranked) + (2 * (size_t)room + pending_most(room)) * sizeof(double);
}

void ranked_init(struct ranked *ranked, unsigned room)
{
    *ranked = (struct ranked){.room = room};
}

static double *ranked_in_order(const struct ranked *ranked)
{
    return (double *)ranked->values + ring_room(ranked);
}

/* The number that came so many ago, 1 being the last. */
static double ago(const struct ranked *ranked, unsigned n)
{
    unsigned at = ranked->next >= n ? ranked->next - n : ranked->next + ring_room(ranked) - n;

    return ranked->values[at];
}

/* count numbers, the first of them having come `from` ago, in ascending order. */
static void copy_sorted(const struct ranked *ranked, unsigned from, unsigned count, double *to)
{
    for (unsigned i = 0; i < count; i++)
        to[i] = ago(ranked, from - i);
    sort_numbers(to, count);
}

/* Both ascending; all of gone are there. */
static unsigned ranked_take_out(double *sorted, unsigned count, const double *gone, unsigned gone_count)
{
    unsigned kept = 0, found = 0;

    for (unsigned i = 0; i < count; i++) {
        if (found < gone_count && sorted[i] == gone[found])
            found++;
        else
            sorted[kept++] = sorted[i];
    }
    return kept;
}

/* From the end on, so that there is room. */
static void ranked_put_in(double *sorted, unsigned count, const double *come, unsigned come_count)
{
    while (come_count > 0) {
        bool ours = count > 0 && sorted[count - 1] > come[come_count - 1];

        sorted[count + come_count - 1] = ours ? sorted[count - 1] : come[come_count - 1];
        *(ours ? &count : &come_count) -= 1;
    }
}

void ranked_sort(struct ranked *ranked)
{
    unsigned all = ranked->count + ranked->pending, count = ranked_least(all, ranked->room);
    double numbers[PENDING_MOST], *sorted = ranked_in_order(ranked);

    if (all > count) {
        copy_sorted(ranked, all, all - count, numbers);
        ranked->count = ranked_take_out(sorted, ranked->count, numbers, all - count);
    }
    copy_sorted(ranked, ranked->pending, ranked->pending, numbers);
    ranked_put_in(sorted, ranked->count, numbers, ranked->pending);
    ranked->count = count;
    ranked->pending = 0;
}

bool ranked_push(struct ranked *ranked, double value)
{
    ranked->values[ranked->next] = value;
    ranked->next = ranked->next + 1 < ring_room(ranked) ? ranked->next + 1 : 0;
    if (++ranked->pending < pending_most(ranked->count))
        return false;
    ranked_sort(ranked);
    return true;
}

void ranked_copy(struct ranked *to, const struct ranked *from)
{
    for (unsigned n = ranked_least(from->count + from->pending, from->room); n > 0; n--)
        ranked_push(to, ago(from, n));
}

struct sorted ranked_sorted(const struct ranked *ranked)
{
    return (struct sorted){ranked_in_order(ranked), ranked->count};
}

double sorted_quantile(struct sorted sorted, double share)
{
    double at = share * (sorted.count > 0 ? sorted.count - 1 : 0);
    unsigned below = (unsigned)at;
    double low;

    if (sorted.count == 0)
        return 0;
    low = sorted.values[below];
    if (below + 1 == sorted.count)
        return low;
    return low + (at - below) * (sorted.values[below + 1] - low);
}

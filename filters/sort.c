/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/sort.h"

static const unsigned gaps[] = {103032, 45792, 20352, 9045, 4020, 1750, 701, 301, 132, 57, 23, 10, 4, 1};

enum { GAPS = sizeof gaps / sizeof *gaps };

/* Up to so many items all are compared with all. */
enum { QUICK_LEAST = 16, QUICK_EQUAL = 8 };

/* What a pivot makes of some items: so many before it, and up to end those that equal it. */
struct split {
    unsigned less, end;
};

/* Each is put among those before it by what is less and what is more: no branch. */
static void quick_numbers_few(double *values, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        double more = values[i];

        for (unsigned j = 0; j < i; j++) {
            double value = values[j];

            values[j] = value < more ? value : more;
            more = value < more ? more : value;
        }
        values[i] = more;
    }
}

#define ITEM double
#define BEFORE(a, b) ((a) < (b))
#define MOVE(to, from) ((to) = (from))
#define QUICK(name) quick_numbers_##name
#include "filters/quicksort.inc"

/* By members: to read a key as a whole a processor waits until both have been stored. */
static inline void move_key(struct sort_key *to, const struct sort_key *from)
{
    to->value = from->value;
    to->index = from->index;
}

/* Each is put where its rank is; those that are equal stay in their order. */
static void quick_keys_few(struct sort_key *keys, unsigned count)
{
    struct sort_key from[QUICK_LEAST];
    unsigned rank[QUICK_LEAST];

    for (unsigned i = 0; i < count; i++) {
        unsigned behind = 0;

        move_key(&from[i], &keys[i]);
        for (unsigned j = 0; j < i; j++) {
            bool before = from[i].value < from[j].value;

            rank[j] += before;
            behind += before;
        }
        rank[i] = i - behind;
    }
    for (unsigned i = 0; i < count; i++)
        move_key(&keys[rank[i]], &from[i]);
}

#define ITEM struct sort_key
#define BEFORE(a, b) ((a).value < (b).value)
#define MOVE(to, from) move_key(&(to), &(from))
#define QUICK(name) quick_keys_##name
#include "filters/quicksort.inc"

/* Twice as many as it takes if each halves what is left. */
static unsigned splits_of(unsigned count)
{
    unsigned splits = 0;

    for (; count > 0; count /= 2)
        splits += 2;
    return splits;
}

void sort_numbers(double *values, unsigned count)
{
    quick_numbers_sort(values, count, splits_of(count));
}

double sort_nth(double *values, unsigned count, unsigned n)
{
    unsigned splits = splits_of(count);

    while (count > QUICK_LEAST && splits-- > 0) {
        double pivot =
            quick_numbers_middle(values[count / 4], values[count / 2], values[count - 1 - count / 4]);
        unsigned less = quick_numbers_split(values, count, pivot, false);
        unsigned end = less + quick_numbers_split(values + less, count - less, pivot, true);

        if (n >= less && n < end)
            return pivot;
        if (n < less) {
            count = less;
        } else {
            values += end;
            count -= end;
            n -= end;
        }
    }
    quick_numbers_finish(values, count);
    return values[n];
}

void sort_keys(struct sort_key *keys, unsigned count)
{
    quick_keys_sort(keys, count, splits_of(count));
}

void sort_begin(struct sort_order *order, struct sort_key *keys, unsigned count)
{
    order->keys = keys;
    order->count = 0;
    order->left = 1;
    order->parts[0] = (struct sort_part){count, splits_of(count)};
}

void sort_more(struct sort_order *order)
{
    struct sort_part part = order->parts[--order->left];

    while (part.end - order->count > QUICK_LEAST && part.splits-- > 0) {
        struct sort_key *keys = order->keys + order->count;
        struct split split = quick_keys_part(keys, part.end - order->count);

        if (split.end > split.less) { /* few are before those that are equal */
            quick_keys_sort(keys, split.less, part.splits);
            order->count += split.end;
        } else {
            order->parts[order->left++] = part;
            part.end = order->count + split.less;
        }
    }
    quick_keys_finish(order->keys + order->count, part.end - order->count);
    order->count = part.end;
}

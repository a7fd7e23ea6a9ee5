/* SPDX-License-Identifier: BSD-3-Clause */
#include "missing.h"

/* Past FAR a sender has begun anew (RFC 3550, appendix A.1), or so many from behind what is
 * remembered in a row say so: nobody can tell what was lost. */
enum { FAR = 3000, REMEMBERED = 32, ANEW_PACKETS = 16 };

/* Of the numbers that are not late enough to be lost, those that have not come. */
static uint32_t awaited(const struct missing *missing)
{
    uint32_t count = 0;

    for (unsigned i = 0; i < MISSING_LATER; i++)
        count += !(missing->came >> i & 1);
    return count;
}

static struct missing_news missing_begin(struct missing *missing, uint32_t number)
{
    *missing = (struct missing){.begun = true, .newest = number, .came = UINT32_MAX};
    return (struct missing_news){.first = true};
}

static struct missing_news go_on(struct missing *missing, uint32_t number, uint32_t ahead)
{
    uint32_t before = awaited(missing);

    missing->newest = number;
    missing->came = (ahead < REMEMBERED ? missing->came << ahead : 0) | 1;
    return (struct missing_news){.first = true, .lost = before + ahead - 1 - awaited(missing)};
}

static struct missing_news come_late(struct missing *missing, uint32_t behind)
{
    uint32_t bit = 1U << behind;
    bool first = !(missing->came & bit);

    missing->came |= bit;
    return (struct missing_news){.first = first};
}

struct missing_news missing_note(struct missing *missing, uint32_t number, unsigned bits)
{
    uint32_t unit = 1U << (32 - bits); /* so that they wrap as 32 bits do */
    int32_t ahead = (int32_t)((number - missing->newest) * unit) / (int32_t)unit;

    if (!missing->begun || ahead > FAR)
        return missing_begin(missing, number);
    if (ahead <= -REMEMBERED)
        return ++missing->behind < ANEW_PACKETS ? (struct missing_news){.first = false}
                                                : missing_begin(missing, number);
    missing->behind = 0;
    return ahead > 0 ? go_on(missing, number, (uint32_t)ahead) : come_late(missing, (uint32_t)-ahead);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "intervals.h"

#include "pprec/cmd/tally.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 16 };

void intervals_fini(struct intervals *intervals)
{
    free(intervals->all);
    *intervals = (struct intervals){.all = NULL};
}

static bool intervals_is(const struct interval *interval, const struct interval *wanted)
{
    return interval->stream == wanted->stream && tally_same_source(&interval->source, &wanted->source);
}

static bool intervals_make_room(struct intervals *intervals)
{
    size_t room = intervals->room != 0 ? 2 * intervals->room : ROOM_FIRST;
    struct interval *all;

    if (intervals->count < intervals->room)
        return true;
    all = realloc(intervals->all, room * sizeof *all);
    if (all == NULL)
        return false;
    intervals->all = all;
    intervals->room = room;
    return true;
}

/* The stream at index: mostly it stands where it stood. The order changes where streams come,
 * at the end, or go. False when memory runs out. */
static bool intervals_place(struct intervals *intervals, size_t index, const struct interval *wanted)
{
    struct interval found = *wanted; /* with a new cursor */
    size_t at = index;

    while (at < intervals->count && !intervals_is(&intervals->all[at], wanted))
        at++;
    if (at == intervals->count) {
        if (!intervals_make_room(intervals))
            return false;
        intervals->count++;
    } else {
        found = intervals->all[at];
    }
    if (at != index)
        intervals->all[at] = intervals->all[index];
    intervals->all[index] = found;
    return true;
}

bool intervals_next(struct intervals *intervals, struct pprec *pprec, size_t index,
                    struct pprec_summary *summary)
{
    struct interval wanted, *at;

    memset(&wanted, 0, sizeof wanted);
    if (index == pprec_streams(pprec) && index < intervals->count)
        intervals->count = index; /* behind them stand those that have gone */
    if (pprec_stream_at(pprec, index, &wanted.source, &wanted.stream) < 0
        || !intervals_place(intervals, index, &wanted))
        return false;
    at = &intervals->all[index];
    return pprec_get_interval(pprec, &at->source, at->stream, &at->cursor, summary) == PPREC_OK;
}

void intervals_report(struct intervals *intervals, struct pprec *pprec, struct report *report,
                      double interval_s, int64_t time_ns)
{
    struct pprec_summary summary;

    for (size_t i = 0; intervals_next(intervals, pprec, i, &summary); i++)
        report_put_interval(report, &summary, interval_s, time_ns);
}

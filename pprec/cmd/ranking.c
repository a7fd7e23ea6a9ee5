/* SPDX-License-Identifier: BSD-3-Clause */
#include "ranking.h"

#include <stdlib.h>

struct ranking {
    struct pprec_summary *all;
    size_t count;
    size_t room;
};

enum { ROOM_FIRST = 16 };

struct ranking *ranking_new(void)
{
    return calloc(1, sizeof(struct ranking));
}

void ranking_free(struct ranking *ranking)
{
    if (ranking != NULL)
        free(ranking->all);
    free(ranking);
}

bool ranking_add(struct ranking *ranking, const struct pprec_summary *summary)
{
    if (ranking->count == ranking->room) {
        size_t room = ranking->room != 0 ? 2 * ranking->room : ROOM_FIRST;
        struct pprec_summary *all = realloc(ranking->all, room * sizeof *all);

        if (all == NULL)
            return false;
        ranking->all = all;
        ranking->room = room;
    }
    ranking->all[ranking->count++] = *summary;
    return true;
}

static int trust(enum pprec_state state)
{
    static const int order[] = {
        [PPREC_STATE_TENTATIVE] = 4,
        [PPREC_STATE_AMBIGUOUS] = 3,
        [PPREC_STATE_SENDER_LIMITED] = 2,
        [PPREC_STATE_INSUFFICIENT] = 1,
    };

    if (pprec_state_is_sure(state))
        return 5;
    return (size_t)state < sizeof order / sizeof order[0] ? order[state] : 0;
}

/* The stream whose first packet came first decides a tie. */
static int by_evidence(const void *left, const void *right)
{
    const struct pprec_summary *a = left, *b = right;
    int more = trust(b->capacity.state) - trust(a->capacity.state);

    if (more != 0)
        return more;
    if (a->counts.usable != b->counts.usable)
        return a->counts.usable < b->counts.usable ? 1 : -1;
    return (a->first_ns > b->first_ns) - (a->first_ns < b->first_ns);
}

size_t ranking_sort(struct ranking *ranking)
{
    if (ranking->count > 1)
        qsort(ranking->all, ranking->count, sizeof *ranking->all, by_evidence);
    return ranking->count;
}

const struct pprec_summary *ranking_at(const struct ranking *ranking, size_t i)
{
    return &ranking->all[i];
}

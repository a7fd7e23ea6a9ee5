/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside turns: what pairs tell of the link that flows take turns on. */
#ifndef FILTERS_TURNS_LINK_H
#define FILTERS_TURNS_LINK_H

#include "filters/statistics.h"

/* Others' packets have no less than so much of our longest one. */
#define TURNS_OTHERS_LEAST 0.5

/* As many flows beside ours are told, and it takes so many pairs. */
enum { TURNS_FLOWS_MOST = 8, TURNS_FIT_LEAST = 3 };

/* As many flows as that with packets twice as long as ours leave it so small a part of a turn. Less is
 * none: packets leave at the ticks of a clock, one at each. */
enum { TURNS_OWN_LEAST = 1 + 2 * TURNS_FLOWS_MOST };

/* Behind others' whole packets the gap of two smaller ones is so many of those and its own time; at
 * ticks so many ticks. */
#define TURNS_PHASE 0.1

/* Times of a full packet of ours, and of one of the others. */
struct turn {
    double own_ns, others_ns;
};

/* Of pairs of a size, as a share of the full one, how many there are, and how many say yes. */
struct answers {
    unsigned all, yes;
};

typedef bool question(const struct statistics *s, const struct reading *reading, struct turn turn);

struct answers turns_ask(const struct seen *seen, const struct statistics *s, double below, question *asks,
                         struct turn turn);

struct turn turns_alike(double packet_ns);

/* A pair's gap, if it had full packets. */
double turns_scaled_gap(const struct reading *reading, const struct statistics *s);

/* By how much a smaller pair's is shorter than that of full ones, as if it lacked all bytes of one. */
double turns_saved_gap(const struct reading *reading, const struct statistics *s, double full_ns);

/* Whether its gap, if it had full packets, is a packet's own time: a question. */
bool turns_in_proportion(const struct statistics *s, const struct reading *reading, struct turn turn);

/* How many of the others' packets take what the gap is longer than its own time. */
double turns_between(const struct statistics *s, const struct reading *reading, struct turn turn);

/* Whether that is a whole number: a question. What arrived as it left says no more of the link than that it is no slower. */
bool turns_has(const struct statistics *s, const struct reading *reading, struct turn turn);
bool turns_most_in(const struct seen *seen, const struct statistics *s, struct turn turn);

struct link {
    struct turn turn; /* 0: pairs do not tell it; more than half of them are in it */
    double error_ns;  /* of its own time: half the width of the 95 % interval */
};

struct link turns_read_link(const struct seen *seen, const struct statistics *s);

/* How far apart a slower link before it sends full packets, at the most; how likely waits are as long where there is none. */
struct apart {
    double most_ns, chance;
};

struct apart turns_apart(const struct seen *seen, const struct statistics *s, struct turn turn);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether what an estimate says of itself holds: its state, its interval, and that it stays. */
#ifndef TESTS_SIM_RELIABILITY_H
#define TESTS_SIM_RELIABILITY_H

#include "judge.h"

/* Of intervals, by half their width: up to .03 % of the estimate, .3 %, 1 %, more. */
enum { RELIABILITY_CLASSES = 4 };

/* How runs ended. */
struct reliability {
    unsigned runs;
    unsigned decided, wrong, held; /* the last: the interval holds the truth */
    struct {
        unsigned decided, held;
    } width[RELIABILITY_CLASSES];
    unsigned tentative;
    unsigned within_2;  /* tentative, off by 2 % at most */
    unsigned within_10; /* ... by 10 % */
    unsigned tentative_held;
    unsigned pairs_alone; /* tentative for want of long trains, whatever they show */
    unsigned bounds;      /* sender_limited */
    unsigned bounds_off;  /* over 1 % above the truth */
};

/* What became of decisions on paths that stay as they are. */
struct stability {
    unsigned runs;    /* on such paths, */
    unsigned decided; /* that decided at some time; of these: */
    unsigned lost;    /* no more after some train, if only for a while */
    unsigned jumped;  /* over 5 % from one decision to the next */
    unsigned first_wrong;
};

unsigned reliability_class(const struct estimate *estimate);

/* Adds runs to what is there. */
void reliability_add(struct reliability *reliability, const struct verdict_on_run *results, unsigned runs);
void stability_add(struct stability *stability, const struct verdict_on_run *results, unsigned runs);

#endif

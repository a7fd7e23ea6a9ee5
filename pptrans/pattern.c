/* SPDX-License-Identifier: BSD-3-Clause */
/* Which train comes when. */
#include "plan.h"

#include "common/stamp.h"

/* Of so many trains in a row one is of the mix. */
enum { AVAILABLE_TRAINS = 2, LOCATE_TRAINS = 3, TIGHT_TRAINS = 4 };

bool plan_mixes(const struct plan *plan)
{
    return plan->pattern != PLAN_ALIKE;
}

bool plan_paces(const struct plan *plan)
{
    return plan->pattern == PLAN_AVAILABLE || plan->pattern == PLAN_TIGHT;
}

bool plan_locates(const struct plan *plan)
{
    return plan->pattern == PLAN_LOCATE || plan->pattern == PLAN_TIGHT;
}

uint32_t plan_start(const struct plan *plan)
{
    switch (plan->pattern) {
    case PLAN_ALIKE: return 0;
    case PLAN_MIX: return PLAN_START;
    case PLAN_AVAILABLE: return AVAILABLE_TRAINS * PLAN_START;
    case PLAN_LOCATE: return LOCATE_TRAINS * PLAN_START;
    case PLAN_TIGHT: return TIGHT_TRAINS * PLAN_START;
    }
    return 0;
}

static uint32_t hops(const struct plan *plan)
{
    return plan->hop_to - plan->hop_from + 1U;
}

uint32_t plan_round(const struct plan *plan)
{
    switch (plan->pattern) {
    case PLAN_ALIKE: return 1;
    case PLAN_MIX: return PLAN_CYCLE;
    case PLAN_AVAILABLE: return PLAN_CYCLE * AVAILABLE_TRAINS * plan->ladder.rungs;
    case PLAN_LOCATE: return PLAN_CYCLE * LOCATE_TRAINS * hops(plan);
    case PLAN_TIGHT: return PLAN_CYCLE * TIGHT_TRAINS * hops(plan) * plan->ladder.rungs;
    }
    return 1;
}

double plan_round_s(const struct plan *plan)
{
    if (plan->pattern != PLAN_TIGHT)
        return 0;
    return plan->delay_ms / 1000 * TIGHT_TRAINS * hops(plan) * plan->ladder.rungs;
}

/* The mix's pairs in turn. */
static const struct plan_shape *pair_shape(const struct plan *plan, uint32_t pair)
{
    switch (pair % (PLAN_CYCLE - 1)) {
    case 2: return &plan->near_pair;
    case 4: return &plan->half_pair;
    default: return &plan->pair;
    }
}

static const struct plan_shape *mix_shape(const struct plan *plan, uint32_t train)
{
    uint32_t turn = (train - PLAN_START) % PLAN_CYCLE;

    if (train < PLAN_START)
        return train % 2 == 1 ? &plan->shorts[train / 2] : pair_shape(plan, train / 2);
    return turn == 0 ? &plan->train : pair_shape(plan, turn - 1);
}

/* As short as the mix's at first: the slowest rung takes longest then, too. */
static struct plan_shape paced_shape(const struct plan *plan, uint32_t turn, uint32_t rate)
{
    struct plan_shape shape = turn < PLAN_START ? plan->shorts[turn / 2] : plan->train;

    if (shape.length_log2 > plan->paced_log2)
        shape.length_log2 = plan->paced_log2;
    shape.rung = ladder_rung(&plan->ladder, rate);
    shape.gap_ns = shape.size_bytes * 8.0 * (double)STAMP_NS_PER_S / ladder_bps(&plan->ladder, shape.rung);
    return shape;
}

static void locating_length(const struct plan *plan, struct plan_shape *shape, bool dense)
{
    shape->length_log2 = plan->dense_log2;
    if (dense)
        return;
    while (1U << (shape->length_log2 - 1) >= plan->sparse_length)
        shape->length_log2--;
    shape->early = (uint8_t)((1U << shape->length_log2) - plan->sparse_length);
}

/* Hop by hop; in every second round the longer ones, but not while the pattern begins. */
static struct plan_shape locating_shape(const struct plan *plan, uint32_t turn, bool begins)
{
    struct plan_shape shape = plan->train;

    locating_length(plan, &shape, !begins && turn / hops(plan) % 2 == 1);
    shape.load_hops = (uint8_t)(plan->hop_from + turn % hops(plan));
    shape.marker_bytes = plan->marker_bytes;
    return shape;
}

/* Hop by hop at one rate, then at the next: most trains in a row differ by the hop alone. Its markers are as
 * large as its load, or the second would catch up with what is stored on its way. */
static struct plan_shape tight_shape(const struct plan *plan, uint32_t turn)
{
    struct plan_shape shape = paced_shape(plan, turn, turn / hops(plan));

    shape.load_hops = (uint8_t)(plan->hop_from + turn % hops(plan));
    return shape;
}

static struct plan_shape plan_fourth_shape(const struct plan *plan, uint32_t turn, uint32_t of_turn)
{
    switch (of_turn) {
    case 0: return *mix_shape(plan, turn);
    case 1: return paced_shape(plan, turn, turn);
    case 2: return locating_shape(plan, turn, turn < PLAN_START);
    default: return tight_shape(plan, turn);
    }
}

struct plan_shape plan_shape(const struct plan *plan, uint32_t train)
{
    uint32_t turn = train / LOCATE_TRAINS, of_turn = train % LOCATE_TRAINS;

    switch (plan->pattern) {
    case PLAN_ALIKE: return plan->train;
    case PLAN_MIX: return *mix_shape(plan, train);
    case PLAN_AVAILABLE:
        if (train % AVAILABLE_TRAINS == 0)
            return *mix_shape(plan, train / AVAILABLE_TRAINS);
        return paced_shape(plan, train / AVAILABLE_TRAINS, train / AVAILABLE_TRAINS);
    case PLAN_LOCATE:
        if (of_turn == 0)
            return *mix_shape(plan, turn);
        return locating_shape(plan, turn * (LOCATE_TRAINS - 1) + of_turn - 1, turn < PLAN_START);
    case PLAN_TIGHT: return plan_fourth_shape(plan, train / TIGHT_TRAINS, train % TIGHT_TRAINS);
    }
    return plan->train;
}

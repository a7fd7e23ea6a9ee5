/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the assembler: when a train is over, and handing it on. */
#ifndef PPREC_LIB_CLOSING_H
#define PPREC_LIB_CLOSING_H

#include "common/stamp.h"
#include "pprec/lib/assembly.h"

/* The longest wait for the next train to tell how this one left. */
#define CLOSING_SPACING_MAX_NS (60 * STAMP_NS_PER_S)

/* What fields of struct assembler_packet hold. A gap past that, 68 s, shows a clock that
 * was set. */
#define CLOSING_GAP_MOST_NS (INT64_C(1) << 36)

static inline int64_t closing_clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* The train's bit among those of the slots. */
static inline uint8_t closing_bit(uint32_t number)
{
    return (uint8_t)(1U << number % ASSEMBLER_SLOTS);
}

static inline struct assembler_packet *closing_packets(const struct assembler *assembler, uint32_t number)
{
    return assembler->packets + (number % 2 != 0 ? assembler->room : 0);
}

/* Nothing has followed it. */
static inline void closing_drop_stranger(struct assembler *assembler)
{
    if (assembler->stranger_held)
        ++*assembler->strangers;
    assembler->stranger_held = false;
}

/* Whether the train has a slot still. */
static inline bool closing_remembers(const struct assembler *assembler, uint32_t number)
{
    return assembler->used & closing_bit(number) && assembler->numbers[number % ASSEMBLER_SLOTS] == number;
}

/* Markers leave last of all: what has not come before the second dies on the way, or is late. */
static inline bool closing_all_came(const struct assembler_slot *slot)
{
    return slot->length != 0 && (slot->received == slot->length || slot->markers == 2);
}

/* A train has been opened or has got a packet: it may be over earlier than others. */
void closing_note_due(struct assembler *assembler, const struct assembler_slot *slot);

/* Hands on all trains up to this one, in order. */
void closing_through(struct assembler *assembler, uint32_t number);

/* As far as the train is remembered and open: when all of it is there and its departure
 * is told, or will not be. */
void closing_if_settled(struct assembler *assembler, uint32_t number);

/* Those for which nothing more is waited for at now_ns on that clock. */
void closing_overdue(struct assembler *assembler, uint8_t clock, int64_t now_ns);

#endif

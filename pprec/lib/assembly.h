/* SPDX-License-Identifier: BSD-3-Clause */
/* What an assembler holds: trains that are open, and where its stream stands. */
#ifndef PPREC_LIB_ASSEMBLY_H
#define PPREC_LIB_ASSEMBLY_H

#include "filters/sample.h"
#include "pprec/core.h"
#include "pprec/lib/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ASSEMBLER_TRAIN_MAX = 256,
    /* Trains remembered: this many a straggler or a duplicate may be behind. */
    ASSEMBLER_SLOTS = 4
};

/* A packet, in the order of arrival. Tens of thousands are kept, for packets that are
 * touched once: hence the fields of few bits. */
struct assembler_packet {
    uint64_t shifted_gap_ns : 37; /* since the one before, and 2^36 */
    uint64_t bytes : 18;
    uint64_t position : 8;
    uint64_t follows : 1;
};

struct assembler_slot {
    int64_t first_ns;
    int64_t last_ns;
    int64_t gap_max_ns;
    int64_t sent_ns;
    int64_t departure_span_ns; /* as the sender told it of this train */
    int64_t departed_ns;       /* of the packets with a time of their own the first, at ... */
    int64_t departed_last_ns;  /* ... and the last, at ... */
    uint16_t departed_at;
    uint16_t departed_last_at; /* ... these positions; the same: nothing is known of the span */
    uint16_t departed_step_ns; /* that times come in */
    uint32_t first_seq;
    uint32_t bytes;  /* of its first packet */
    uint32_t file;   /* that this one was read from */
    uint16_t length; /* 0: ends with the next train, or when nothing comes */
    uint16_t end;    /* after the last position seen */
    uint16_t received;
    uint16_t next_position; /* one past the highest that came */
    bool late;              /* begun when a later train had been handed on, or two had begun */
    bool kept;              /* its packets are; of those that two others have overtaken, their number */
    uint8_t clock;
    uint8_t load_hops; /* 0: all of its packets are to arrive; else inner ones need not */
    uint8_t marker_hops;
    uint8_t hops_left;   /* of its markers; 0: not known, or not the same */
    uint8_t markers;     /* that have come */
    uint8_t last_marker; /* position of the second, which ends the train; 0: it has not come */
    uint16_t load_payload_bytes;
    uint32_t marker_payload_bytes; /* of those that have come */
    uint32_t load_bytes;           /* of an inner packet at the layer */
};

struct assembler {
    uint32_t numbers[ASSEMBLER_SLOTS]; /* of the trains in the slots */
    uint8_t used, open;                /* a bit for each slot: open ones are not handed on yet */
    bool started;
    bool expects_departure; /* the sender tells how trains left */
    bool reported_any;
    bool next_seq_known;
    bool stranger_held;
    bool over;             /* nothing more comes, whatever was sent */
    uint8_t behind_trains; /* in a row, far behind the stream, of which ... */
    uint8_t due_clock;
    int64_t due_ns; /* an open train may want to be ended then, not before, on the clock
                       of the open ones; INT64_MIN when they have several; INT64_MAX */

    uint32_t newest; /* train */
    uint32_t newest_first_seq;
    int64_t newest_first_ns;
    int64_t newest_sent_ns;
    int64_t spacing_ns;        /* smoothed time between trains, 0: not known */
    uint32_t reported_train;   /* the newest handed on */
    uint32_t reported_end;     /* sequence number after it */
    uint16_t reported_missing; /* of its own packets */
    uint64_t never_sent;       /* packets counted as lost that were not: taken off the next ones */
    uint32_t next_seq;         /* one past the highest seen */
    uint32_t behind_train;     /* ... this is the last */
    uint32_t behind_seq;

    /* the packet that would directly follow the stream's last one, and the stamp that it would have */
    uint32_t follower_train;
    uint16_t follower_position;
    uint8_t follower_clock; /* PPREC_CLOCK_NONE: none would */
    uint8_t follower_source;

    uint32_t file;          /* that is read: the owner sets it */
    uint32_t reported_file; /* of the train that is being handed on */

    uint16_t room;                                            /* most packets of a train */
    struct assembler_packet *packets;                         /* [2 * room]: of the newest train and the one
                                         before, by the low bit of their numbers */
    struct assembler_slot slots[ASSEMBLER_SLOTS];             /* train number modulo their count */
    uint32_t seen[ASSEMBLER_SLOTS][ASSEMBLER_TRAIN_MAX / 32]; /* by position */

    struct pprec_arrival stranger; /* the last packet that was far from the stream */
    uint32_t stranger_bytes;

    const struct memory *memory; /* the owner's */
    struct pprec_counts *counts; /* the owner's */
    uint64_t *strangers;         /* packets that nothing followed; the owner's, NULL: none is a stranger */
    void (*miss)(void *owner, uint64_t packets);
    void (*report)(void *owner, struct sample *sample);
    void *owner;
};

/* What an assembler takes besides for trains of that length. */
static inline size_t assembler_bytes(unsigned train_length)
{
    return 2 * train_length * sizeof(struct assembler_packet);
}

#endif

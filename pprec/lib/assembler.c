/* SPDX-License-Identifier: BSD-3-Clause */
#include "assembler.h"

#include "common/serial.h"
#include "pprec/lib/closing.h"

#include <string.h>

#define SPACING_SMOOTHING 8

/* Of the fields of struct assembler_packet. */
#define GAP_MASK ((UINT64_C(1) << 37) - 1)
#define BYTES_MASK ((1U << 18) - 1)

/* Trains that announce no length: room for so many packets to begin with. */
enum { OPEN_ROOM_FIRST = 8 };

void assembler_init(struct assembler *a, const struct memory *memory, struct pprec_counts *counts,
                    uint64_t *dropped_here, void (*report)(void *owner, struct sample *sample),
                    void *owner)
{
    *a = (struct assembler){.memory = memory, .counts = counts, .dropped_here = dropped_here,
                            .report = report, .owner = owner, .due_ns = INT64_MAX};
}

void assembler_fini(struct assembler *a)
{
    memory_put(a->memory, a->packets);
    a->packets = NULL;
}

void assembler_reset(struct assembler *a)
{
    struct assembler old = *a;

    assembler_init(a, old.memory, old.counts, old.dropped_here, old.report, old.owner);
    a->packets = old.packets;
    a->room = old.room;
}

/* --- Taking in --- */

static struct assembler_slot *find(struct assembler *a, uint32_t number)
{
    return closing_remembers(a, number) ? &a->slots[number % ASSEMBLER_SLOTS] : NULL;
}

/* Packets to make room for; the doubling keeps growing rare where no length is
 * announced. */
static unsigned room_for(const struct assembler *a, const struct pprec_arrival *arrival)
{
    unsigned room = a->room < OPEN_ROOM_FIRST ? OPEN_ROOM_FIRST : a->room;

    if (arrival->train_length != 0)
        return arrival->train_length;
    while (room <= arrival->position)
        room *= 2;
    return room;
}

/* Makes room for trains of this length. */
static int make_room(struct assembler *a, unsigned length)
{
    struct assembler_packet *packets;

    if (length <= a->room)
        return 0;
    packets = memory_get(a->memory, assembler_bytes(length));
    if (packets == NULL)
        return PPREC_ENOMEM;
    if (a->room > 0) {
        memcpy(packets, a->packets, a->room * sizeof *packets);
        memcpy(packets + length, a->packets + a->room, a->room * sizeof *packets);
    }
    memory_put(a->memory, a->packets);
    a->packets = packets;
    a->room = (uint16_t)length;
    return 0;
}

static struct assembler_slot *open_slot(struct assembler *a, const struct pprec_arrival *arrival,
                                        uint32_t layer_bytes)
{
    unsigned at = arrival->train % ASSEMBLER_SLOTS;
    int32_t behind = serial_distance(arrival->train, a->newest);

    a->numbers[at] = arrival->train;
    a->used |= closing_bit(arrival->train);
    a->open |= closing_bit(arrival->train);
    memset(a->seen[at], 0, sizeof a->seen[at]);
    a->slots[at] = (struct assembler_slot){
        .kept = behind <= 1,
        .late = behind > 1
            || (a->reported_any && serial_before(arrival->train, a->reported_train)),
        .clock = arrival->received.clock,
        .first_seq = arrival->seq - arrival->position,
        .bytes = layer_bytes,
        .length = arrival->train_length,
        .first_ns = arrival->received.ns,
        .last_ns = arrival->received.ns,
        .sent_ns = arrival->sent_ns,
        .departure_span_ns = SAMPLE_UNKNOWN_NS,
    };
    return &a->slots[at];
}

static void note_spacing(struct assembler *a, int64_t first_ns)
{
    int64_t spacing_ns = closing_clamp(first_ns - a->newest_first_ns, 0, CLOSING_SPACING_MAX_NS);

    if (a->started)
        a->spacing_ns += a->spacing_ns == 0
            ? spacing_ns : (spacing_ns - a->spacing_ns) / SPACING_SMOOTHING;
    a->newest_first_ns = first_ns;
}

static void note_departure(struct assembler *a, const struct pprec_arrival *arrival)
{
    struct assembler_slot *slot = find(a, arrival->departure_train);
    bool told = arrival->departure_span_ns != PPREC_UNKNOWN_NS;

    if (told && slot != NULL)
        slot->departure_span_ns = arrival->departure_span_ns;
    /* of its first train nobody can tell yet; one that sends times may */
    a->expects_departure = told || (!a->started && arrival->sent_ns != PPREC_UNKNOWN_NS);
}

/* A train newer than all before: the last but one will get no more, and of the
 * last one it is now known whether its departure is told. */
static void begin_train(struct assembler *a, const struct pprec_arrival *arrival)
{
    note_departure(a, arrival);
    note_spacing(a, arrival->received.ns);
    if (a->started)
        closing_through(a, arrival->train - 2);
    a->started = true;
    a->newest = arrival->train;
    a->newest_first_seq = arrival->seq - arrival->position;
    a->newest_sent_ns = arrival->sent_ns;
    closing_if_settled(a, arrival->train - 1);
}

/* The sender begins anew under its old name: trains far behind the newest that
 * left after it. */
static bool restarted(const struct assembler *a, const struct pprec_arrival *arrival)
{
    return arrival->sent_ns != PPREC_UNKNOWN_NS && a->newest_sent_ns != PPREC_UNKNOWN_NS
        && arrival->sent_ns > a->newest_sent_ns;
}

static void forget(struct assembler *a)
{
    assembler_finish(a);
    a->used = 0;
    a->started = a->reported_any = a->last_valid = a->next_seq_known = false;
    a->spacing_ns = 0;
}

/* The slot of the arrival's train, begun if need be; NULL when the train is too
 * far behind to be remembered. */
static struct assembler_slot *slot_for(struct assembler *a, const struct pprec_arrival *arrival,
                                       uint32_t layer_bytes)
{
    struct assembler_slot *slot = find(a, arrival->train);
    int32_t behind = serial_distance(arrival->train, a->newest);

    if (slot != NULL)
        return slot;
    if (a->started && behind >= ASSEMBLER_SLOTS && restarted(a, arrival))
        forget(a);
    if (a->started && behind >= ASSEMBLER_SLOTS)
        return NULL;
    if (!a->started || behind < 0)
        begin_train(a, arrival);
    return open_slot(a, arrival, layer_bytes);
}

/* RFC 4737, section 3: reordered when a later number came before. */
static void count_first_copy(struct assembler *a, const struct pprec_arrival *arrival)
{
    a->counts->packets++;
    if (a->next_seq_known && serial_before(arrival->seq, a->next_seq)) {
        a->counts->reordered++;
        return;
    }
    a->next_seq_known = true;
    a->next_seq = arrival->seq + 1;
}

static bool directly_follows(const struct assembler *a, const struct pprec_arrival *arrival)
{
    return a->last_valid && a->last_train == arrival->train
        && a->last_position + 1 == arrival->position
        && a->last_clock == arrival->received.clock
        && a->last_source == arrival->received.source;
}

static void keep(struct assembler *a, const struct assembler_slot *slot,
                 const struct pprec_arrival *arrival, int64_t gap_ns, uint32_t layer_bytes)
{
    bool evidence = slot->received > 0 && gap_ns > -CLOSING_GAP_MOST_NS && gap_ns < CLOSING_GAP_MOST_NS
        && arrival->received.clock == slot->clock && slot->clock != PPREC_CLOCK_NONE;

    closing_packets(a, arrival->train)[slot->received] = (struct assembler_packet){
        .shifted_gap_ns = (uint64_t)(evidence ? gap_ns + CLOSING_GAP_MOST_NS : CLOSING_GAP_MOST_NS) & GAP_MASK,
        .bytes = layer_bytes & BYTES_MASK,
        .position = (uint8_t)arrival->position,
        .follows = evidence && directly_follows(a, arrival),
    };
}

static void add_packet(struct assembler *a, struct assembler_slot *slot,
                       const struct pprec_arrival *arrival, uint32_t layer_bytes)
{
    bool one_clock = arrival->received.clock == slot->clock && slot->clock != PPREC_CLOCK_NONE;
    int64_t received_ns = one_clock ? arrival->received.ns : slot->last_ns;
    int64_t gap_ns = received_ns - slot->last_ns;

    if (slot->kept)
        keep(a, slot, arrival, gap_ns, layer_bytes);
    if (gap_ns > slot->gap_max_ns)
        slot->gap_max_ns = gap_ns;
    slot->last_ns = received_ns;
    slot->received++;
    if (arrival->position >= slot->end)
        slot->end = (uint16_t)(arrival->position + 1);
    closing_note_due(a, slot);
}

/* True when the position had been seen. */
static bool mark_seen(struct assembler *a, uint32_t number, unsigned position)
{
    uint32_t *word = &a->seen[number % ASSEMBLER_SLOTS][position / 32];
    uint32_t bit = UINT32_C(1) << position % 32;
    bool seen = *word & bit;

    *word |= bit;
    return seen;
}

static bool contradicts(const struct assembler_slot *slot, const struct pprec_arrival *arrival)
{
    return slot->length != arrival->train_length
        || slot->first_seq != arrival->seq - arrival->position;
}

/* A first copy: 1 when it came in time for its train. */
static int take(struct assembler *a, struct assembler_slot *slot,
                const struct pprec_arrival *arrival, uint32_t layer_bytes)
{
    bool over = !(a->open & closing_bit(arrival->train));

    count_first_copy(a, arrival);
    if (slot == NULL || slot->late || over)
        a->counts->late++;
    if (slot == NULL || over) {
        a->last_valid = false;
        return 0;
    }
    add_packet(a, slot, arrival, layer_bytes);
    /* Nothing follows a packet that others of its train overtook: what held it back
     * may have held the next one too, and let both go at once. */
    a->last_valid = arrival->position >= slot->next_position;
    if (a->last_valid)
        slot->next_position = (uint16_t)(arrival->position + 1);
    a->last_train = arrival->train;
    a->last_position = arrival->position;
    a->last_clock = arrival->received.clock;
    a->last_source = arrival->received.source;
    closing_if_settled(a, arrival->train);
    return slot->late ? 0 : 1;
}

/* A number this far ahead is a stray one, until the next packet goes on from there
 * (as RFC 3550, appendix A.1, has it): one datagram must not end a stream. */
#define STRAY_AHEAD (1 << 20)
enum { STRAY_REACH = 2 * ASSEMBLER_TRAIN_MAX };

static bool strays(struct assembler *a, const struct pprec_arrival *arrival)
{
    bool confirmed = a->stray_known && arrival->seq - a->stray_seq <= STRAY_REACH;

    if (!a->next_seq_known || serial_distance(a->next_seq, arrival->seq) < STRAY_AHEAD)
        return false;
    a->stray_known = true;
    a->stray_seq = arrival->seq;
    return !confirmed;
}

int assembler_push(struct assembler *a, const struct pprec_arrival *arrival, uint32_t layer_bytes)
{
    struct assembler_slot *slot;

    if (strays(a, arrival))
        return PPREC_EFOREIGN;
    if (make_room(a, room_for(a, arrival)) < 0)
        return PPREC_ENOMEM;
    slot = slot_for(a, arrival, layer_bytes);
    if (slot != NULL && contradicts(slot, arrival))
        return PPREC_EFOREIGN;
    if (slot != NULL && mark_seen(a, arrival->train, arrival->position)) {
        a->counts->duplicate++;
        a->last_valid = false;
        return 0;
    }
    return take(a, slot, arrival, layer_bytes);
}

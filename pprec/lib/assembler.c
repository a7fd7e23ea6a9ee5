/* SPDX-License-Identifier: BSD-3-Clause */
#include "assembler.h"

#include "common/serial.h"
#include "pprec/lib/closing.h"

#include <string.h>

#define SPACING_SMOOTHING 8

/* Of trains that leave at random two may follow each other at once: the first spacing counts as no less, until others do. */
#define SPACING_FIRST_NS (200 * STAMP_NS_PER_MS)

/* Of the fields of struct assembler_packet. */
#define GAP_MASK ((UINT64_C(1) << 37) - 1)
#define BYTES_MASK ((1U << 18) - 1)

/* For trains that announce no length: they begin with room for this many packets. */
enum { OPEN_ROOM_FIRST = 8 };

void assembler_init(struct assembler *a, const struct memory *memory, struct pprec_counts *counts,
                    uint64_t *strangers, void (*miss)(void *owner, uint64_t packets),
                    void (*report)(void *owner, struct sample *sample), void *owner)
{
    *a = (struct assembler){.memory = memory,
                            .counts = counts,
                            .strangers = strangers,
                            .miss = miss,
                            .report = report,
                            .owner = owner,
                            .due_ns = INT64_MAX};
}

void assembler_fini(struct assembler *a)
{
    closing_drop_stranger(a);
    memory_put(a->memory, a->packets);
    a->packets = NULL;
}

void assembler_reset(struct assembler *a)
{
    struct assembler old = *a;

    assembler_init(a, old.memory, old.counts, old.strangers, old.miss, old.report, old.owner);
    a->packets = old.packets;
    a->room = old.room;
}

void assembler_finish(struct assembler *a)
{
    closing_drop_stranger(a);
    a->over = true;
    closing_through(a, a->newest);
    a->over = false;
}

void assembler_tick(struct assembler *a, uint8_t clock, int64_t now_ns)
{
    closing_overdue(a, clock, now_ns);
}

/* --- Taking in --- */

static struct assembler_slot *assembler_find(struct assembler *a, uint32_t number)
{
    return closing_remembers(a, number) ? &a->slots[number % ASSEMBLER_SLOTS] : NULL;
}

/* Packets to make room for. If no length is announced, doubling keeps growing rare. */
static unsigned assembler_room_for(const struct assembler *a, const struct pprec_arrival *arrival)
{
    unsigned room = a->room < OPEN_ROOM_FIRST ? OPEN_ROOM_FIRST : a->room;

    if (arrival->train_length != 0)
        return arrival->train_length;
    while (room <= arrival->position)
        room *= 2;
    return room;
}

static int get_room(struct assembler *a, unsigned length)
{
    struct assembler_packet *packets = memory_get(a->memory, assembler_bytes(length));

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

/* Makes room for trains of this length. */
static inline int assembler_make_room(struct assembler *a, unsigned length)
{
    return length <= a->room ? 0 : get_room(a, length);
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
        .late = behind > 1 || (a->reported_any && serial_before(arrival->train, a->reported_train)),
        .clock = arrival->received.clock,
        .first_seq = arrival->seq - arrival->position,
        .bytes = layer_bytes,
        .file = a->file,
        .length = arrival->train_length,
        .first_ns = arrival->received.ns,
        .last_ns = arrival->received.ns,
        .sent_ns = arrival->sent_ns,
        .departure_span_ns = SAMPLE_UNKNOWN_NS,
        .departed_ns = SAMPLE_UNKNOWN_NS,
        .load_hops = arrival->load_hops,
        .marker_hops = arrival->marker_hops,
        .load_payload_bytes = arrival->load_payload_bytes,
        .load_bytes = layer_bytes + arrival->load_payload_bytes - arrival->payload_bytes,
    };
    return &a->slots[at];
}

static void note_spacing(struct assembler *a, int64_t first_ns)
{
    int64_t spacing_ns = closing_clamp(first_ns - a->newest_first_ns, 0, CLOSING_SPACING_MAX_NS);

    if (a->started)
        a->spacing_ns += a->spacing_ns == 0
            ? closing_clamp(spacing_ns, SPACING_FIRST_NS, CLOSING_SPACING_MAX_NS)
            : (spacing_ns - a->spacing_ns) / SPACING_SMOOTHING;
    a->newest_first_ns = first_ns;
}

static void note_departure(struct assembler *a, const struct pprec_arrival *arrival)
{
    struct assembler_slot *slot = assembler_find(a, arrival->departure_train);
    bool told = arrival->departure_span_ns != PPREC_UNKNOWN_NS;

    if (told && slot != NULL)
        slot->departure_span_ns = arrival->departure_span_ns;
    /* of its first train nobody can tell yet; one that sends times may */
    a->expects_departure = told || (!a->started && arrival->sent_ns != PPREC_UNKNOWN_NS);
}

/* abs-send-time of RTP counts 2^-18 s, iperf microseconds. */
static uint16_t departed_step_ns(enum pprec_kind kind)
{
    return kind == PPREC_KIND_RTP ? 3815 : kind == PPREC_KIND_IPERF ? 1000 : 0;
}

static void note_departed(struct assembler_slot *slot, const struct pprec_arrival *arrival)
{
    bool first = slot->departed_ns == SAMPLE_UNKNOWN_NS;

    if (arrival->departed_ns == PPREC_UNKNOWN_NS || arrival->departed_ns == 0)
        return; /* 0: of a program that knows no such field */
    slot->departed_step_ns = departed_step_ns(arrival->kind);
    if (first || arrival->position < slot->departed_at) {
        slot->departed_ns = arrival->departed_ns;
        slot->departed_at = arrival->position;
    }
    if (first || arrival->position > slot->departed_last_at) {
        slot->departed_last_ns = arrival->departed_ns;
        slot->departed_last_at = arrival->position;
    }
}

/* A train newer than all before came. So the last but one gets no more packets, and it is known whether the
 * departure of the last one is told. */
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

static void assembler_forget(struct assembler *a)
{
    assembler_finish(a);
    a->used = 0;
    a->started = a->reported_any = a->next_seq_known = false;
    a->follower_clock = PPREC_CLOCK_NONE;
    a->spacing_ns = 0;
}

/* The slot of the arrival's train, begun if need be; NULL when the train is too
 * far behind to be remembered. */
static struct assembler_slot *slot_for(struct assembler *a, const struct pprec_arrival *arrival,
                                       uint32_t layer_bytes)
{
    struct assembler_slot *slot = assembler_find(a, arrival->train);
    int32_t behind = serial_distance(arrival->train, a->newest);

    if (slot != NULL)
        return slot;
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
    return a->follower_train == arrival->train && a->follower_position == arrival->position
        && a->follower_clock == arrival->received.clock && a->follower_source == arrival->received.source;
}

static void assembler_keep(struct assembler *a, const struct assembler_slot *slot,
                           const struct pprec_arrival *arrival, int64_t gap_ns, uint32_t layer_bytes)
{
    bool evidence = slot->received > 0 && gap_ns > -CLOSING_GAP_MOST_NS && gap_ns < CLOSING_GAP_MOST_NS
        && arrival->received.clock == slot->clock;

    closing_packets(a, arrival->train)[slot->received] = (struct assembler_packet){
        .shifted_gap_ns = (uint64_t)(CLOSING_GAP_MOST_NS + (evidence ? gap_ns : 0)) & GAP_MASK,
        .bytes = layer_bytes & BYTES_MASK,
        .position = (uint8_t)arrival->position,
        .follows = evidence && directly_follows(a, arrival),
    };
}

/* The first packet and the last; a last one that is smaller than the load tells that it is (common/wire.h). */
static bool assembler_is_marker(const struct pprec_arrival *arrival)
{
    return arrival->position == 0 || arrival->position + 1 == arrival->train_length
        || arrival->payload_bytes < arrival->load_payload_bytes;
}

static void note_marker(struct assembler_slot *slot, const struct pprec_arrival *arrival)
{
    bool same = slot->markers == 0 || slot->hops_left == arrival->hops_left;

    slot->hops_left = same ? arrival->hops_left : 0;
    slot->marker_payload_bytes = arrival->payload_bytes;
    if (arrival->position > 0)
        slot->last_marker = (uint8_t)arrival->position;
    slot->markers++;
}

static void add_packet(struct assembler *a, struct assembler_slot *slot, const struct pprec_arrival *arrival,
                       uint32_t layer_bytes)
{
    bool one_clock = arrival->received.clock == slot->clock;
    int64_t received_ns = one_clock ? arrival->received.ns : slot->last_ns;
    int64_t gap_ns = received_ns - slot->last_ns;

    if (slot->kept)
        assembler_keep(a, slot, arrival, gap_ns, layer_bytes);
    if (gap_ns > slot->gap_max_ns)
        slot->gap_max_ns = gap_ns;
    note_departed(slot, arrival);
    if (slot->load_hops != 0 && assembler_is_marker(arrival))
        note_marker(slot, arrival);
    slot->last_ns = received_ns;
    slot->received++;
    if (arrival->position >= slot->end)
        slot->end = (uint16_t)(arrival->position + 1);
    if (slot->received == 1 || gap_ns < 0 || closing_all_came(slot)) /* else it is due later than it was */
        closing_note_due(a, slot);
}

/* True when the position had been seen. */
static bool assembler_mark_seen(struct assembler *a, uint32_t number, unsigned position)
{
    uint32_t *word = &a->seen[number % ASSEMBLER_SLOTS][position / 32];
    uint32_t bit = UINT32_C(1) << position % 32;
    bool seen = *word & bit;

    *word |= bit;
    return seen;
}

/* Behind the last marker, or a second last one. */
static bool out_of_place(const struct assembler_slot *slot, const struct pprec_arrival *arrival)
{
    bool last = arrival->position > 0 && assembler_is_marker(arrival);

    if (slot->last_marker == 0)
        return last && arrival->position + 1 < slot->end;
    return arrival->position > slot->last_marker || (last && arrival->position < slot->last_marker);
}

/* Whether a packet of a train with a load contradicts it: another load, another size, or no place for it. */
static bool other_load(const struct assembler_slot *slot, const struct pprec_arrival *arrival)
{
    if (slot->load_hops != arrival->load_hops || slot->marker_hops != arrival->marker_hops
        || slot->load_payload_bytes != arrival->load_payload_bytes || out_of_place(slot, arrival))
        return true;
    if (!assembler_is_marker(arrival))
        return arrival->payload_bytes != slot->load_payload_bytes;
    return slot->markers > 0 && arrival->payload_bytes != slot->marker_payload_bytes;
}

static bool contradicts(const struct assembler_slot *slot, const struct pprec_arrival *arrival)
{
    return slot->length != arrival->train_length || slot->first_seq != arrival->seq - arrival->position
        || slot->load_hops != arrival->load_hops || (slot->load_hops != 0 && other_load(slot, arrival));
}

/* Most packets are in the midst of the newest train. */
static bool may_be_whole(const struct assembler *a, const struct assembler_slot *slot, uint32_t number)
{
    return slot->length != 0 ? slot->received >= slot->length : number != a->newest;
}

/* Nothing follows a packet that others of its train overtook: what held it back may have held the next one
 * too, and let both go at once. */
static void note_follower(struct assembler *a, struct assembler_slot *slot,
                          const struct pprec_arrival *arrival)
{
    uint16_t next = (uint16_t)(arrival->position + 1);

    a->follower_clock = PPREC_CLOCK_NONE;
    if (arrival->position < slot->next_position)
        return;
    slot->next_position = next;
    a->follower_train = arrival->train;
    a->follower_position = next;
    a->follower_clock = arrival->received.clock;
    a->follower_source = arrival->received.source;
}

/* A first copy: 1 when it came in time for its train. */
static int assembler_take(struct assembler *a, struct assembler_slot *slot,
                          const struct pprec_arrival *arrival, uint32_t layer_bytes)
{
    bool over = !(a->open & closing_bit(arrival->train));

    count_first_copy(a, arrival);
    if (slot == NULL || slot->late || over)
        a->counts->late++;
    if (slot == NULL || over) {
        a->follower_clock = PPREC_CLOCK_NONE;
        return 0;
    }
    add_packet(a, slot, arrival, layer_bytes);
    note_follower(a, slot, arrival);
    if (may_be_whole(a, slot, arrival->train))
        closing_if_settled(a, arrival->train);
    return slot->late ? 0 : 1;
}

/* The rest of taking in: the packet's numbers are near the stream's. */
static int assembler_enter(struct assembler *a, const struct pprec_arrival *arrival, uint32_t layer_bytes)
{
    struct assembler_slot *slot = slot_for(a, arrival, layer_bytes);

    if (slot != NULL && contradicts(slot, arrival))
        return PPREC_EFOREIGN;
    if (slot != NULL && assembler_mark_seen(a, arrival->train, arrival->position)) {
        a->counts->duplicate++;
        a->follower_clock = PPREC_CLOCK_NONE;
        return 0;
    }
    return assembler_take(a, slot, arrival, layer_bytes);
}

/* --- Strangers --- */

/* As in RFC 3550, appendix A.1, but closer, so that a made-up packet costs at most this many trains. Beyond
 * NEW_PACKETS nobody can tell what was lost, and the stream counts as new. */
enum { FAR_TRAINS = 8, FAR_PACKETS = 16 * ASSEMBLER_TRAIN_MAX, BEHIND_TRAINS = 3 };
#define NEW_PACKETS (1 << 20)

static bool assembler_within(int32_t distance, int32_t most)
{
    return distance <= most && distance >= -most;
}

/* The sender begins anew under its old name: trains far behind the newest that
 * left after it. */
static bool restarted(const struct assembler *a, const struct pprec_arrival *arrival)
{
    return arrival->sent_ns != PPREC_UNKNOWN_NS && a->newest_sent_ns != PPREC_UNKNOWN_NS
        && arrival->sent_ns > a->newest_sent_ns;
}

static bool far_off(const struct assembler *a, const struct pprec_arrival *arrival)
{
    int32_t trains = serial_distance(a->newest, arrival->train);
    int32_t packets = serial_distance(a->next_seq, arrival->seq);

    if (trains == 0 && assembler_within(packets, FAR_PACKETS)) /* as most are */
        return false;
    return a->strangers != NULL && a->started && a->next_seq_known
        && (trains > FAR_TRAINS || packets > FAR_PACKETS || (trains > 0 && packets < -FAR_PACKETS)
            || (trains <= -ASSEMBLER_SLOTS && restarted(a, arrival)));
}

/* Not the same one again. Whichever of the two overtook the other. */
static bool assembler_goes_on(const struct pprec_arrival *from, const struct pprec_arrival *arrival)
{
    return assembler_within(serial_distance(from->train, arrival->train), FAR_TRAINS)
        && assembler_within(serial_distance(from->seq, arrival->seq), 2 * ASSEMBLER_TRAIN_MAX)
        && from->seq != arrival->seq;
}

/* Two packets of which one goes on from the other are the stream: it went far while nobody listened, or has
 * begun anew. */
static int follow_stranger(struct assembler *a, const struct pprec_arrival *arrival, uint32_t layer_bytes)
{
    const struct pprec_arrival first = a->stranger;

    if (assembler_make_room(a, assembler_room_for(a, &first)) < 0
        || assembler_make_room(a, assembler_room_for(a, arrival)) < 0)
        return PPREC_ENOMEM;
    a->stranger_held = false;
    if (first.seq - a->next_seq >= NEW_PACKETS || serial_distance(a->newest, first.train) < 0)
        assembler_forget(a);
    assembler_enter(a, &first, a->stranger_bytes);
    return assembler_enter(a, arrival, layer_bytes);
}

static int meet_stranger(struct assembler *a, const struct pprec_arrival *arrival, uint32_t layer_bytes)
{
    if (a->stranger_held && assembler_goes_on(&a->stranger, arrival))
        return follow_stranger(a, arrival, layer_bytes);
    closing_drop_stranger(a);
    a->stranger_held = true;
    a->stranger = *arrival;
    a->stranger_bytes = layer_bytes;
    return 0;
}

/* Where others were believed that were not the stream's, it shows up behind them. */
static bool returns(struct assembler *a, const struct pprec_arrival *arrival)
{
    uint32_t trains = arrival->train - a->behind_train;
    bool follows;

    if (!a->started || serial_distance(a->newest, arrival->train) >= -FAR_TRAINS) {
        a->behind_trains = 0;
        return false;
    }
    follows = a->behind_trains > 0 && trains <= FAR_TRAINS
        && arrival->seq - a->behind_seq - 1 < 2 * ASSEMBLER_TRAIN_MAX;
    if (!follows)
        a->behind_trains = 0;
    if (!follows || trains > 0)
        a->behind_trains++;
    a->behind_train = arrival->train;
    a->behind_seq = arrival->seq;
    return a->behind_trains >= BEHIND_TRAINS;
}

/* What was due before this packet came ends before it is looked at, whoever looked when: so a capture of what came
 * tells the same as whoever received it, and let time pass between the packets, too. */
static void assembler_let_pass(struct assembler *a, const struct pprec_stamp *now)
{
    if (a->due_ns <= now->ns)
        closing_overdue(a, now->clock, now->ns);
}

int assembler_push(struct assembler *a, const struct pprec_arrival *arrival, uint32_t layer_bytes)
{
    assembler_let_pass(a, &arrival->received);
    if (far_off(a, arrival))
        return meet_stranger(a, arrival, layer_bytes);
    if (assembler_make_room(a, assembler_room_for(a, arrival)) < 0)
        return PPREC_ENOMEM;
    closing_drop_stranger(a);
    if (returns(a, arrival))
        assembler_forget(a);
    return assembler_enter(a, arrival, layer_bytes);
}

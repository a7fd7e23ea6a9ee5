/* SPDX-License-Identifier: BSD-3-Clause */
#include "assembler.h"

#include "common/serial.h"
#include "common/stamp.h"

#include <string.h>

/* Waiting for the rest of a train: this long since its last packet, and more on
 * slow paths, where its gaps show how slow. A gap past the largest (1.2 kbit/s
 * with 1500 bytes) shows a clock that was set. */
#define REST_WAIT_NS (2 * STAMP_NS_PER_S)
#define REST_WAIT_GAPS 8
#define REST_WAIT_GAP_MAX_NS (10 * STAMP_NS_PER_S)

/* Waiting for the next train to tell how this one left: so many times the
 * stream's own spacing (of Poisson spacings e^-5, 0.7 %, are longer), within
 * bounds; the last when it is not known yet. */
#define DEPARTURE_WAIT_SPACINGS 5
#define DEPARTURE_WAIT_MIN_NS (100 * STAMP_NS_PER_MS)
#define DEPARTURE_WAIT_MAX_NS (60 * STAMP_NS_PER_S)
#define DEPARTURE_WAIT_FIRST_NS STAMP_NS_PER_S

#define SPACING_SMOOTHING 8

/* What fields of struct assembler_packet hold. A gap past that, 68 s, shows a clock that
 * was set. */
#define GAP_MOST_NS (INT64_C(1) << 36)
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

static uint8_t bit_of(uint32_t number)
{
    return (uint8_t)(1U << number % ASSEMBLER_SLOTS);
}

static struct assembler_packet *packets_of(const struct assembler *a, uint32_t number)
{
    return a->packets + (number % 2 != 0 ? a->room : 0);
}

/* --- Handing on --- */

static uint16_t length_of(const struct assembler_slot *slot)
{
    return slot->length != 0 ? slot->length : slot->end;
}

/* By sequence number: what is missing in the train, and the trains of which
 * nothing came between the one before and this. What this host dropped is not the
 * network's loss: it is taken off the first packets that are missed. */
static void count_lost(struct assembler *a, const struct assembler_slot *slot)
{
    int32_t skipped = serial_distance(a->reported_end, slot->first_seq);
    uint64_t missing = (uint64_t)(length_of(slot) - slot->received);
    uint64_t ours = 0;

    if (a->reported_any && skipped > 0)
        missing += (uint64_t)skipped;
    if (a->dropped_here != NULL)
        ours = *a->dropped_here < missing ? *a->dropped_here : missing;
    if (ours > 0)
        *a->dropped_here -= ours;
    a->counts->lost += missing - ours;
}

/* Where the packets were not kept, as many as came, and no gap between them. */
static void unpack(const struct assembler *a, uint32_t number, const struct assembler_slot *slot,
                   struct sample_packet *packets)
{
    const struct assembler_packet *kept = packets_of(a, number);
    int64_t offset_ns = 0;

    for (unsigned i = 0; i < slot->received; i++) {
        if (!slot->kept) {
            packets[i] = (struct sample_packet){.bytes = slot->bytes};
            continue;
        }
        offset_ns += (int64_t)kept[i].shifted_gap_ns - GAP_MOST_NS;
        packets[i] = (struct sample_packet){
            .offset_ns = offset_ns,
            .bytes = (uint32_t)kept[i].bytes,
            .position = (uint16_t)kept[i].position,
            .follows = kept[i].follows,
        };
    }
}

static void hand_on(struct assembler *a, uint32_t number)
{
    const struct assembler_slot *slot = &a->slots[number % ASSEMBLER_SLOTS];
    struct sample_packet packets[ASSEMBLER_TRAIN_MAX];
    struct sample sample = {
        .time_ns = slot->first_ns,
        .sent_ns = slot->sent_ns,
        .departure_span_ns = slot->departure_span_ns,
        .train = number,
        .sent = length_of(slot),
        .received = slot->received,
        .packet_bytes = slot->bytes,
        .packets = packets,
        .verdict = slot->late ? VERDICT_LATE : VERDICT_OK,
    };

    unpack(a, number, slot, packets);
    a->open &= (uint8_t)~bit_of(number);
    if (!slot->late) { /* a late one was counted as lost when it was skipped */
        count_lost(a, slot);
        a->reported_any = true;
        a->reported_train = number;
        a->reported_end = slot->first_seq + length_of(slot);
    }
    a->counts->trains++;
    a->report(a->owner, &sample);
}

/* False when there is none. */
static bool oldest_open(const struct assembler *a, uint32_t *number)
{
    bool found = false;

    for (unsigned i = 0; i < ASSEMBLER_SLOTS; i++) {
        if (!(a->open & 1U << i) || (found && !serial_before(a->numbers[i], *number)))
            continue;
        *number = a->numbers[i];
        found = true;
    }
    return found;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static int64_t patience_ns(const struct assembler *a, const struct assembler_slot *slot)
{
    if (slot->length == 0 || slot->received < slot->length)
        return REST_WAIT_NS
            + REST_WAIT_GAPS * clamp(slot->gap_max_ns, 0, REST_WAIT_GAP_MAX_NS);
    if (a->spacing_ns == 0)
        return DEPARTURE_WAIT_FIRST_NS;
    return clamp(DEPARTURE_WAIT_SPACINGS * a->spacing_ns, DEPARTURE_WAIT_MIN_NS,
                 DEPARTURE_WAIT_MAX_NS);
}

/* A train has been opened or has got a packet: patience with the others is as it was, or
 * longer. */
static void note_due(struct assembler *a, const struct assembler_slot *slot)
{
    int64_t due_ns = slot->last_ns + patience_ns(a, slot);

    if (a->due_ns == INT64_MAX)
        a->due_clock = slot->clock;
    else if (a->due_clock != slot->clock)
        due_ns = INT64_MIN;
    if (due_ns < a->due_ns)
        a->due_ns = due_ns;
}

static void note_all_due(struct assembler *a)
{
    a->due_ns = INT64_MAX;
    for (unsigned i = 0; i < ASSEMBLER_SLOTS; i++)
        if (a->open & 1U << i)
            note_due(a, &a->slots[i]);
}

/* Hands on all trains up to this one, in order. */
static void close_through(struct assembler *a, uint32_t number)
{
    uint32_t oldest = 0;

    while (oldest_open(a, &oldest) && !serial_before(number, oldest))
        hand_on(a, oldest);
    note_all_due(a);
}

void assembler_finish(struct assembler *a)
{
    close_through(a, a->newest);
}

static bool settled(const struct assembler *a, uint32_t number)
{
    const struct assembler_slot *slot = &a->slots[number % ASSEMBLER_SLOTS];

    if (slot->length == 0)
        return serial_before(number, a->newest);
    return slot->received == slot->length
        && (!a->expects_departure || slot->departure_span_ns != SAMPLE_UNKNOWN_NS
            || serial_before(number, a->newest));
}

static bool remembered(const struct assembler *a, uint32_t number)
{
    return a->used & bit_of(number) && a->numbers[number % ASSEMBLER_SLOTS] == number;
}

static void close_if_settled(struct assembler *a, uint32_t number)
{
    if (remembered(a, number) && a->open & bit_of(number) && settled(a, number))
        close_through(a, number);
}

void assembler_tick(struct assembler *a, uint8_t clock, int64_t now_ns)
{
    for (unsigned i = 0; i < ASSEMBLER_SLOTS; i++) {
        const struct assembler_slot *slot = &a->slots[i];

        if (a->open & 1U << i && slot->clock == clock
            && now_ns - slot->last_ns >= patience_ns(a, slot))
            close_through(a, a->numbers[i]);
    }
    note_all_due(a);
}

/* --- Taking in --- */

static struct assembler_slot *find(struct assembler *a, uint32_t number)
{
    return remembered(a, number) ? &a->slots[number % ASSEMBLER_SLOTS] : NULL;
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
    a->used |= bit_of(arrival->train);
    a->open |= bit_of(arrival->train);
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
    int64_t spacing_ns = clamp(first_ns - a->newest_first_ns, 0, DEPARTURE_WAIT_MAX_NS);

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
        close_through(a, arrival->train - 2);
    a->started = true;
    a->newest = arrival->train;
    a->newest_first_seq = arrival->seq - arrival->position;
    a->newest_sent_ns = arrival->sent_ns;
    close_if_settled(a, arrival->train - 1);
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
    bool evidence = slot->received > 0 && gap_ns > -GAP_MOST_NS && gap_ns < GAP_MOST_NS
        && arrival->received.clock == slot->clock && slot->clock != PPREC_CLOCK_NONE;

    packets_of(a, arrival->train)[slot->received] = (struct assembler_packet){
        .shifted_gap_ns = (uint64_t)(evidence ? gap_ns + GAP_MOST_NS : GAP_MOST_NS) & GAP_MASK,
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
    note_due(a, slot);
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
    bool over = !(a->open & bit_of(arrival->train));

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
    close_if_settled(a, arrival->train);
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

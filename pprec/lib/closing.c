/* SPDX-License-Identifier: BSD-3-Clause */
#include "pprec/lib/closing.h"

#include "common/serial.h"

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
#define DEPARTURE_WAIT_FIRST_NS STAMP_NS_PER_S

/* --- Handing on --- */

/* Packets of it that were to come: of a train whose inner packets were to die on the way the two
 * markers, unless others came too. */
static uint16_t expected_of(const struct assembler_slot *slot, uint16_t sent)
{
    bool load_died = slot->load_hops != 0 && slot->received == slot->markers;

    return load_died && sent > 2 ? 2 : sent;
}

static uint16_t closing_length_of(const struct assembler_slot *slot)
{
    if (slot->last_marker != 0)
        return (uint16_t)(slot->last_marker + 1);
    return slot->length != 0 ? slot->length : slot->end;
}

/* Where a later train begins at a number of this one, nothing was sent from there on (common/wire.h). And of the newest
 * train nobody knows what would have come after the end of all. */
static uint16_t sent_of(const struct assembler *a, uint32_t number, const struct assembler_slot *slot)
{
    uint16_t sent = a->over && number == a->newest ? slot->end : closing_length_of(slot);

    for (unsigned i = 0; i < ASSEMBLER_SLOTS && slot->end < sent; i++) {
        int32_t ahead = serial_distance(slot->first_seq, a->slots[i].first_seq);

        if (a->used & 1U << i && serial_before(number, a->numbers[i]) && ahead >= slot->end && ahead < sent)
            sent = (uint16_t)ahead;
    }
    return sent;
}

/* Of the train before, whose end was not waited for, so many were missed and had not been sent. */
static uint64_t missed_too_many(const struct assembler *a, int32_t skipped)
{
    uint32_t overlap = skipped < 0 ? 0U - (uint32_t)skipped : 0;

    return overlap < a->reported_missing ? overlap : a->reported_missing;
}

/* By sequence number: what is missing in the train, and the trains of which
 * nothing came between the one before and this. */
static void closing_tell_missing(struct assembler *a, const struct assembler_slot *slot, uint16_t sent)
{
    int32_t skipped = serial_distance(a->reported_end, slot->first_seq);
    uint16_t expected = expected_of(slot, sent);
    uint64_t missing = (uint64_t)(expected - slot->received);
    uint64_t never_sent;

    if (a->reported_any && skipped > 0)
        missing += (uint64_t)skipped;
    if (a->reported_any)
        a->never_sent += missed_too_many(a, skipped);
    a->reported_missing = (uint16_t)(expected - slot->received);
    never_sent = a->never_sent < missing ? a->never_sent : missing;
    a->never_sent -= never_sent;
    if (missing > never_sent)
        a->miss(a->owner, missing - never_sent);
}

/* Where the packets were not kept, as many as came, and no gap between them. */
static void unpack(const struct assembler *a, uint32_t number, const struct assembler_slot *slot,
                   struct sample_packet *packets)
{
    const struct assembler_packet *kept = closing_packets(a, number);
    unsigned known = slot->kept ? slot->received : 0;
    int64_t offset_ns = 0;

    for (unsigned i = known; i < slot->received; i++)
        packets[i] = (struct sample_packet){.bytes = slot->bytes};
    for (unsigned i = 0; i < known; i++) {
        offset_ns += (int64_t)kept[i].shifted_gap_ns - CLOSING_GAP_MOST_NS;
        packets[i] = (struct sample_packet){
            .offset_ns = offset_ns,
            .bytes = (uint32_t)kept[i].bytes,
            .position = (uint16_t)kept[i].position,
            .follows = kept[i].follows,
        };
    }
}

static bool departures_known(const struct assembler_slot *slot)
{
    return slot->departed_last_at > slot->departed_at && slot->departed_last_ns >= slot->departed_ns;
}

/* As its sender told it, or by its packets' own times, as far as they go: no more than a step
 * beyond their difference. */
static int64_t departure_of(const struct assembler_slot *slot, uint16_t sent)
{
    double gap_ns;

    if (slot->departure_span_ns != SAMPLE_UNKNOWN_NS || !departures_known(slot))
        return slot->departure_span_ns;
    gap_ns = ((double)(slot->departed_last_ns - slot->departed_ns) + slot->departed_step_ns)
        / (slot->departed_last_at - slot->departed_at);
    return gap_ns * (sent - 1) < (double)SAMPLE_SPAN_OVER_NS ? (int64_t)(gap_ns * (sent - 1))
                                                             : SAMPLE_SPAN_OVER_NS;
}

static void closing_report(struct assembler *a, uint32_t number, const struct assembler_slot *slot,
                           uint16_t sent)
{
    struct sample_packet packets[ASSEMBLER_TRAIN_MAX];
    struct sample sample = {
        .time_ns = slot->first_ns,
        .sent_ns = slot->sent_ns,
        .departure_span_ns = departure_of(slot, sent),
        .train = number,
        .sent = sent,
        .received = slot->received,
        .packet_bytes = slot->bytes,
        .packets = packets,
        .verdict = slot->late ? VERDICT_LATE : VERDICT_OK,
        .load_hops = slot->load_hops,
        .marker_hops = slot->marker_hops,
        .hops_left = slot->hops_left,
        .load_bytes = slot->load_hops != 0 ? slot->load_bytes : 0,
    };

    unpack(a, number, slot, packets);
    a->counts->trains++;
    a->reported_file = slot->file;
    a->report(a->owner, &sample);
}

/* A single packet that announced no others: audio, or the whole of a small frame. */
static bool is_alone(const struct assembler_slot *slot)
{
    return slot->length == 0 && slot->end == 1;
}

static void closing_hand_on(struct assembler *a, uint32_t number)
{
    const struct assembler_slot *slot = &a->slots[number % ASSEMBLER_SLOTS];
    uint16_t sent = sent_of(a, number, slot);

    a->open &= (uint8_t)~closing_bit(number);
    if (!slot->late) { /* a late one was counted as lost when it was skipped */
        closing_tell_missing(a, slot, sent);
        a->reported_any = true;
        a->reported_train = number;
        a->reported_end = slot->first_seq + sent;
    }
    if (!is_alone(slot))
        closing_report(a, number, slot, sent);
}

/* False when there is none. */
static bool oldest_open(const struct assembler *a, uint32_t *number)
{
    bool found = false;

    for (unsigned i = 0, left = a->open; left != 0; i++, left >>= 1) {
        if (!(left & 1) || (found && !serial_before(a->numbers[i], *number)))
            continue;
        *number = a->numbers[i];
        found = true;
    }
    return found;
}

/* --- Waiting --- */

static int64_t patience_ns(const struct assembler *a, const struct assembler_slot *slot)
{
    if (!closing_all_came(slot))
        return REST_WAIT_NS + REST_WAIT_GAPS * closing_clamp(slot->gap_max_ns, 0, REST_WAIT_GAP_MAX_NS);
    if (a->spacing_ns == 0)
        return DEPARTURE_WAIT_FIRST_NS;
    return closing_clamp(DEPARTURE_WAIT_SPACINGS * a->spacing_ns, DEPARTURE_WAIT_MIN_NS,
                         CLOSING_SPACING_MAX_NS);
}

/* Patience with the other trains is as it was, or longer. */
void closing_note_due(struct assembler *a, const struct assembler_slot *slot)
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
    for (unsigned i = 0, left = a->open; left != 0; i++, left >>= 1)
        if (left & 1)
            closing_note_due(a, &a->slots[i]);
}

void closing_through(struct assembler *a, uint32_t number)
{
    uint32_t oldest = 0;

    if (a->open == 0)
        return; /* nor is anything due */
    while (oldest_open(a, &oldest) && !serial_before(number, oldest))
        closing_hand_on(a, oldest);
    note_all_due(a);
}

static bool settled(const struct assembler *a, uint32_t number)
{
    const struct assembler_slot *slot = &a->slots[number % ASSEMBLER_SLOTS];

    if (slot->length == 0)
        return serial_before(number, a->newest);
    return closing_all_came(slot)
        && (!a->expects_departure || slot->departure_span_ns != SAMPLE_UNKNOWN_NS || departures_known(slot)
            || serial_before(number, a->newest));
}

void closing_if_settled(struct assembler *a, uint32_t number)
{
    if (closing_remembers(a, number) && a->open & closing_bit(number) && settled(a, number))
        closing_through(a, number);
}

void closing_overdue(struct assembler *a, uint8_t clock, int64_t now_ns)
{
    for (unsigned i = 0; i < ASSEMBLER_SLOTS; i++) {
        const struct assembler_slot *slot = &a->slots[i];

        if (a->open & 1U << i && slot->clock == clock && now_ns - slot->last_ns >= patience_ns(a, slot))
            closing_through(a, a->numbers[i]);
    }
    note_all_due(a);
}

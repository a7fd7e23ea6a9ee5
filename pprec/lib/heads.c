/* SPDX-License-Identifier: BSD-3-Clause */
#include "heads.h"

#include "filters/sort.h"

#include <math.h>
#include <stddef.h>

/* Gaps that are known in a cell, from which it says something, and the share of them that makes it
 * short or long: frames that queue behind the one before have no head. */
enum { KNOWN_LEAST = 3 };
#define SHARE 0.75

/* Gaps are alike that differ by so many of their own quartiles or the tail's, whichever are further apart (a
 * tail of one long frame scatters less than many frames do), within these bounds; what is shorter by twice
 * that is short. By SHORT_GAP no stamp is late, but a bucket lets pass. */
#define QUARTILES 3
#define ALIKE_LEAST 0.005
#define ALIKE_MOST 0.05
#define SHORT_GAP 0.9

/* Trains in a row, from which fewer packets are believed to pass at once. */
enum { FEWER_TRAINS = 32 };

/* The last gap of each cell: between the packet of that position and the one before. */
static const uint16_t last_of[HEADS_CELLS] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,  12,
                                              13, 14, 15, 16, 20, 24, 32, 48, 64, 96, 128, 255};

static unsigned heads_cell_of(uint16_t position)
{
    unsigned cell = position <= 16 ? position - 1U : 16;

    while (last_of[cell] < position && cell + 1 < HEADS_CELLS)
        cell++;
    return cell;
}

static unsigned heads_known(const struct heads *heads, unsigned cell)
{
    return heads->pushed[cell] < HEADS_KEPT ? heads->pushed[cell] : HEADS_KEPT;
}

static void heads_keep(struct heads *heads, unsigned cell, float gap_ns)
{
    heads->gaps_ns[cell][heads->pushed[cell] % HEADS_KEPT] = gap_ns;
    if (++heads->pushed[cell] == 2 * HEADS_KEPT)
        heads->pushed[cell] = HEADS_KEPT;
}

/* What gaps of a cell are like. */
struct gaps_like {
    float gap_ns, alike;
};

static struct gaps_like heads_like(const struct heads *heads, unsigned cell)
{
    double sorted[HEADS_KEPT], middle, alike;
    unsigned count = heads_known(heads, cell);

    for (unsigned i = 0; i < count; i++)
        sorted[i] = heads->gaps_ns[cell][i];
    sort_numbers(sorted, count);
    middle = sorted[count / 2];
    alike = middle > 0 ? QUARTILES * sort_quartiles_apart(sorted, count) / middle : ALIKE_MOST;
    return (struct gaps_like){(float)middle, (float)fmin(fmax(alike, ALIKE_LEAST), ALIKE_MOST)};
}

/* Share of the cell's gaps that are at least least_ns and at most most_ns. */
static bool most_within(const struct heads *heads, unsigned cell, float least_ns, float most_ns)
{
    unsigned count = heads_known(heads, cell), within = 0;

    for (unsigned i = 0; i < count; i++)
        within += heads->gaps_ns[cell][i] >= least_ns && heads->gaps_ns[cell][i] <= most_ns;
    return within >= SHARE * count;
}

static bool is_tail(const struct heads *heads, unsigned cell, struct gaps_like tail)
{
    float alike;

    if (heads_known(heads, cell) < KNOWN_LEAST)
        return true;
    alike = (float)fmax(tail.alike, heads_like(heads, cell).alike);
    return most_within(heads, cell, (1 - alike) * tail.gap_ns, (1 + alike) * tail.gap_ns);
}

/* Packets before the tail, whose cells are alike; 0 where the first gaps are none shorter. */
static uint16_t find_head(struct heads *heads)
{
    int cell = HEADS_CELLS - 1;
    struct gaps_like tail;

    while (cell >= 0 && heads_known(heads, (unsigned)cell) < KNOWN_LEAST)
        cell--;
    if (cell <= 0)
        return 0;
    tail = heads_like(heads, (unsigned)cell);
    while (cell >= 0 && is_tail(heads, (unsigned)cell, tail))
        cell--;
    heads->bucket = cell >= 0 && most_within(heads, 0, 0, (float)SHORT_GAP * tail.gap_ns);
    return cell >= 0 && most_within(heads, 0, 0, (1 - 2 * tail.alike) * tail.gap_ns) ? last_of[cell] : 0;
}

static bool heads_settle(struct heads *heads, uint16_t packets)
{
    bool more = packets > heads->packets;

    if (packets >= heads->packets) {
        heads->fewer_trains = 0;
        heads->packets = packets;
        return more;
    }
    if (heads->fewer_trains == 0 || packets > heads->fewer)
        heads->fewer = packets;
    if (++heads->fewer_trains == FEWER_TRAINS) {
        heads->packets = heads->fewer;
        heads->fewer_trains = 0;
    }
    return false;
}

bool heads_push(struct heads *heads, const struct sample *sample)
{
    for (unsigned i = 1; i < sample->received; i++) {
        const struct sample_packet *packet = &sample->packets[i];
        int64_t gap_ns = packet->offset_ns - packet[-1].offset_ns;

        if (packet->follows && gap_ns >= 0 && packet->bytes > 0)
            heads_keep(heads, heads_cell_of(packet->position), (float)gap_ns / (float)packet->bytes);
    }
    return heads_settle(heads, find_head(heads));
}

bool heads_cut(const struct heads *heads, const struct sample *sample, struct sample *tail,
               struct sample_packet *room)
{
    uint16_t head = heads->packets;
    int64_t begin_ns = 0;

    *tail = *sample;
    tail->packets = room;
    tail->received = 0;
    for (unsigned i = 0; i < sample->received; i++) {
        struct sample_packet packet = sample->packets[i];

        if (packet.position < head)
            continue;
        if (tail->received == 0)
            begin_ns = packet.offset_ns;
        packet.offset_ns -= begin_ns;
        packet.position = (uint16_t)(packet.position - head);
        packet.follows = packet.follows && tail->received > 0;
        room[tail->received++] = packet;
    }
    if (tail->received < 2 || sample->sent < head + 2)
        return false;
    tail->sent = (uint16_t)(sample->sent - head);
    tail->time_ns += begin_ns;
    if (sample->departure_span_ns != SAMPLE_UNKNOWN_NS) {
        double gap_ns = (double)sample->departure_span_ns / (sample->sent - 1);

        tail->departure_span_ns = (int64_t)(gap_ns * (tail->sent - 1));
        if (tail->sent_ns != SAMPLE_UNKNOWN_NS)
            tail->sent_ns = sample_sum_ns(tail->sent_ns, (int64_t)(gap_ns * head));
    }
    return true;
}

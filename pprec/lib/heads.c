/* SPDX-License-Identifier: BSD-3-Clause */
#include "heads.h"

#include "filters/sort.h"

#include <math.h>
#include <stddef.h>

/* Gaps on either side of a knee at least, and by how many standard deviations those before it are the
 * shorter ones: it is looked for at each place, and again and again. */
enum { KNOWN_LEAST = 3 };
#define SURE 4

/* So many of the first gaps must be short: frames that queue behind the one before have no head. */
#define SHARE 0.75

/* Gaps are alike that differ by so many of the tail's quartiles, within these bounds; what is shorter by twice
 * that is short. By SHORT_GAP few stamps are late, but a bucket lets pass. */
#define QUARTILES 3
#define ALIKE_LEAST 0.005
#define ALIKE_MOST 0.05
#define SHORT_GAP 0.9

/* Once all is known that is kept, a look after so many trains; and trains in a row, from which fewer packets are
 * believed to pass at once. */
enum { LOOK_EVERY = 8, FEWER_TRAINS = 64 };

enum { GAPS_MOST = HEADS_CELLS * HEADS_KEPT };

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

/* --- Where the head ends --- */

/* All gaps in order, each with its cell. */
static unsigned sort_all(const struct heads *heads, struct sort_key *keys)
{
    unsigned count = 0;

    for (unsigned cell = 0; cell < HEADS_CELLS; cell++)
        for (unsigned i = 0; i < heads_known(heads, cell); i++)
            keys[count++] = (struct sort_key){heads->gaps_ns[cell][i], cell};
    sort_keys(keys, count);
    return count;
}

/* Of each cell's gaps the places in order, from 1; those that are equal share theirs. */
static void sum_ranks(const struct sort_key *keys, unsigned count, double *sums)
{
    for (unsigned i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && keys[end].value == keys[i].value;)
            end++;
        for (unsigned k = i; k < end; k++)
            sums[keys[k].index] += 0.5 * (i + 1 + end);
    }
}

/* By how many standard deviations some of all gaps are shorter than the others (Mann and Whitney 1947). */
static double rank_score(unsigned some, unsigned all, double rank_sum)
{
    double others = (double)all - some;

    if (some < KNOWN_LEAST || others < KNOWN_LEAST)
        return 0;
    return (0.5 * some * (all + 1.0) - rank_sum) / sqrt(some * others * (all + 1.0) / 12);
}

/* The gaps of cells from that one on, in order. */
static unsigned keep_from(unsigned from, struct sort_key *keys, unsigned count)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < count; i++)
        if (keys[i].index >= from)
            keys[kept++] = keys[i];
    return kept;
}

/* The cell, from that one on, up to which gaps are the most surely shorter than after it, and -1 where at none
 * (cf. Pettitt 1979, of changes whose place is not known). */
static int find_knee(const struct heads *heads, unsigned from, const struct sort_key *keys, unsigned count)
{
    double sums[HEADS_CELLS] = {0}, sum = 0, most = SURE;
    unsigned before = 0;
    int knee = -1;

    sum_ranks(keys, count, sums);
    for (unsigned cell = from; cell < HEADS_CELLS; cell++) {
        double score;

        before += heads_known(heads, cell);
        sum += sums[cell];
        score = rank_score(before, count, sum);
        if (score > most) {
            most = score;
            knee = (int)cell;
        }
    }
    return knee;
}

/* What gaps after the knee are like. */
struct gaps_like {
    double gap_ns, alike;
};

static struct gaps_like find_tail(const struct sort_key *keys, unsigned count)
{
    double sorted[GAPS_MOST], middle, alike;

    for (unsigned i = 0; i < count; i++)
        sorted[i] = keys[i].value;
    middle = sorted[count / 2];
    alike = middle > 0 ? QUARTILES * sort_quartiles_apart(sorted, count) / middle : ALIKE_MOST;
    return (struct gaps_like){middle, fmin(fmax(alike, ALIKE_LEAST), ALIKE_MOST)};
}

/* Share of the cell's gaps that are shorter than least_ns, less those that are longer than most_ns: a late stamp
 * makes one gap longer and the next one shorter, other traffic makes them longer, a bucket shorter alone. */
static double share_shorter(const struct heads *heads, int cell, double least_ns, double most_ns)
{
    unsigned count = heads_known(heads, (unsigned)cell);
    int more = 0;

    for (unsigned i = 0; i < count; i++) {
        float gap_ns = heads->gaps_ns[cell][i];

        more += (gap_ns < least_ns) - (gap_ns > most_ns);
    }
    return count > 0 ? (double)more / count : 0;
}

/* The last cell, of those from that one on, before a tail, whose gaps are alike; -1: there is none. Of keys only the
 * tail's are left. A bucket is now fuller, now less full: what follows the knee and is short in part is no tail. */
static int find_end(const struct heads *heads, unsigned from, struct sort_key *keys, unsigned *count,
                    struct gaps_like *tail)
{
    int cell;

    *count = keep_from(from, keys, *count);
    cell = find_knee(heads, from, keys, *count);
    if (cell < 0)
        return -1;
    *count = keep_from((unsigned)cell + 1, keys, *count);
    *tail = find_tail(keys, *count);
    while (
        cell + 1 < HEADS_CELLS
        && share_shorter(heads, cell + 1, (1 - tail->alike) * tail->gap_ns, (1 + tail->alike) * tail->gap_ns)
            > 1 - SHARE)
        cell++;
    return cell;
}

/* --- Whether it is a bucket's --- */

/* One that is empty stays so until the train is over. Where gaps were long and are short again, another flow's packets
 * were between ours until it ended. So many in a row: stamps are late one by one. */
enum { IN_A_ROW = 3, BACK_LEAST = 2, BACK_KEPT = 32 };

/* The gap before it. */
static bool is_long(const struct sample_packet *packet, double long_ns)
{
    return (double)(packet->offset_ns - packet[-1].offset_ns) > long_ns * packet->bytes;
}

/* So many in a row, up to that packet. */
static bool has_long(const struct sample *sample, unsigned last, double long_ns)
{
    unsigned row = 0;

    for (unsigned i = 1; i <= last && row < IN_A_ROW; i++)
        row = is_long(&sample->packets[i], long_ns) ? row + 1 : 0;
    return row == IN_A_ROW;
}

static void note_end(struct heads *heads, const struct sample *sample)
{
    unsigned last = sample->received - 1U - IN_A_ROW, at_end = 0;

    if (heads->long_ns <= 0 || sample->received < 2 * IN_A_ROW + 1
        || !has_long(sample, last, (double)heads->long_ns))
        return;
    for (unsigned i = last + 1; i < sample->received; i++)
        at_end += is_long(&sample->packets[i], (double)heads->long_ns);
    if (heads->went_on + heads->came_back == BACK_KEPT) {
        heads->went_on /= 2;
        heads->came_back /= 2;
    }
    heads->went_on = (uint8_t)(heads->went_on + (at_end == IN_A_ROW));
    heads->came_back = (uint8_t)(heads->came_back + (at_end == 0));
}

static bool come_back(const struct heads *heads)
{
    return heads->came_back >= BACK_LEAST
        && heads->came_back > (1 - SHARE) * (heads->came_back + heads->went_on);
}

/* --- Where heads end --- */

static double first_gap(const struct heads *heads)
{
    unsigned count = heads_known(heads, 0);
    double sorted[HEADS_KEPT];

    for (unsigned i = 0; i < count; i++)
        sorted[i] = heads->gaps_ns[0][i];
    sort_numbers(sorted, count);
    return count > 0 ? sorted[count / 2] : 0;
}

/* Packets that pass before the first tail, and before the last: what goes on behind one bucket may be what another one
 * lets pass. */
struct ends {
    uint16_t first, last; /* 0 where the first gaps are none shorter */
};

static struct ends find_ends(struct heads *heads)
{
    struct sort_key keys[GAPS_MOST];
    unsigned count = sort_all(heads, keys), from;
    struct gaps_like tail;
    int cell = find_end(heads, 0, keys, &count, &tail);
    struct ends ends = {0, 0};

    heads->bucket = cell >= 0 && share_shorter(heads, 0, SHORT_GAP * tail.gap_ns, INFINITY) >= SHARE;
    heads->long_ns = 0;
    if (cell < 0 || share_shorter(heads, 0, (1 - 2 * tail.alike) * tail.gap_ns, INFINITY) < SHARE)
        return ends;
    ends.first = last_of[cell];
    do {
        ends.last = last_of[cell];
        heads->long_ns = heads->bucket ? (float)(first_gap(heads) + tail.gap_ns) / 2 : 0;
        from = (unsigned)cell + 1;
        cell = find_end(heads, from, keys, &count, &tail);
    } while (cell >= 0 && share_shorter(heads, (int)from, SHORT_GAP * tail.gap_ns, INFINITY) >= SHARE);
    return ends;
}

/* True where they are more than was known. */
static bool heads_settle(struct heads_end *end, uint16_t packets, unsigned unseen)
{
    bool more = packets > end->packets;

    if (packets >= end->packets) {
        end->fewer_trains = 0;
        end->packets = packets;
        return more;
    }
    if (end->fewer_trains == 0 || packets > end->fewer)
        end->fewer = packets;
    end->fewer_trains = (uint8_t)(end->fewer_trains + unseen);
    if (end->fewer_trains >= FEWER_TRAINS) {
        end->packets = end->fewer;
        end->fewer_trains = 0;
    }
    return false;
}

/* True where as many gaps were known of all places already as are kept. */
static bool keep_gaps(struct heads *heads, const struct sample *sample)
{
    bool known = true;

    for (unsigned i = 1; i < sample->received; i++) {
        const struct sample_packet *packet = &sample->packets[i];
        unsigned cell = heads_cell_of(packet->position);
        int64_t gap_ns = packet->offset_ns - packet[-1].offset_ns;

        if (packet->follows && gap_ns >= 0 && packet->bytes > 0) {
            known = known && heads_known(heads, cell) == HEADS_KEPT;
            heads_keep(heads, cell, (float)gap_ns / (float)packet->bytes);
        }
    }
    return known;
}

/* True where there was one. */
static bool heads_drop(struct heads *heads)
{
    bool had = heads->first.packets > 0;

    heads->first = heads->last = (struct heads_end){0};
    heads->bucket = false;
    heads->unseen = 0;
    return had;
}

static bool is_larger(const struct heads *heads)
{
    return heads->last.packets > heads->first.packets;
}

bool heads_push(struct heads *heads, const struct sample *sample)
{
    bool known = keep_gaps(heads, sample), larger = is_larger(heads), more;
    struct ends ends;

    note_end(heads, sample);
    heads->unseen++;
    if (known && heads->unseen < LOOK_EVERY)
        return false;
    ends = find_ends(heads);
    if (come_back(heads))
        return heads_drop(heads);
    more = heads_settle(&heads->first, ends.first, heads->unseen);
    heads_settle(&heads->last, ends.last, heads->unseen);
    heads->unseen = 0;
    return !larger && (more || is_larger(heads));
}

bool heads_cut(const struct heads *heads, const struct sample *sample, struct sample *tail,
               struct sample_packet *room)
{
    uint16_t head = heads->first.packets;
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
    if (tail->received < 2 || sample->sent < head + 2 || sample->sent < heads->last.packets + 2)
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

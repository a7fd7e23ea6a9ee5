/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/policer.h"

#include <math.h>

/* --- One train --- */

/* Positions that are missing count as lost where packets behind them came, or the tail. */
static unsigned head_of(const struct sample *sample)
{
    unsigned head = 0;

    while (head < sample->received && sample->packets[head].position == head)
        head++;
    return head;
}

/* A queue that is full drops as well, and lets as much pass as the link carries; a policer less: by its rate, by the share
 * of what came, or by survivors that are too few for a queue by two standard deviations and more. */
#define QUEUE_SHARE 0.7
#define DEVIATIONS 2

/* Where the policer stands behind the narrow link lost packets leave holes in time, and arrivals
 * tell its rate. Before that link the queue closes them. */
#define HOLE 0.6

static bool leaves_holes(const struct sample *sample, unsigned head, double gap_ns)
{
    const struct sample_packet *last = &sample->packets[sample->received - 1];
    const struct sample_packet *before = &sample->packets[head - 1];
    int came = (int)(sample->received - head), missing = last->position - before->position - came;
    double late_ns = (double)(last->offset_ns - before->offset_ns) - came * gap_ns;

    return came <= QUEUE_SHARE * (came + missing)
        && late_ns > HOLE * missing * gap_ns; /* less: the last one was overtaken */
}

/* While the rest of the train left, a full queue sent so many and perhaps one more: what began
 * with the train goes on in step with it. */
static double due_after(const struct sample *sample, unsigned head, double gap_ns)
{
    double departed_ns = (double)sample->departure_span_ns / (sample->sent - 1);

    return sample->departure_span_ns == SAMPLE_UNKNOWN_NS || gap_ns <= 0
        ? 0
        : floor((sample->sent - 1 - head) * departed_ns / gap_ns);
}

static double head_gap(const struct sample *sample, unsigned head)
{
    return (double)sample->packets[head - 1].offset_ns / (head - 1);
}

/* A policer whose tokens come at ticks lets some packets in a row pass at each of them. So the rate is what came from the start
 * of one row to that of another: the last row may be cut short. One row tells none. */
static void read_rows(const struct sample *sample, unsigned head, struct cut *cut)
{
    const struct sample_packet *packets = sample->packets;
    unsigned last = sample->received - 1U;

    while (last > head && packets[last - 1].position + 1 == packets[last].position)
        last--;
    cut->passed = (uint8_t)(last - head);
    cut->between_ns = (float)(packets[last].offset_ns - packets[head].offset_ns);
}

static bool read_cut(const struct sample *sample, struct cut *cut)
{
    const struct sample_packet *packets = sample->packets;
    unsigned head = head_of(sample), after = sample->received - head;

    if (head < 2 || head == sample->sent)
        return false;
    *cut = (struct cut){.head = (uint8_t)head,
                        .survivors = (uint8_t)after,
                        .bytes = sample->packet_bytes,
                        .head_ns = (float)packets[head - 1].offset_ns};
    cut->holes = after > 1 && leaves_holes(sample, head, head_gap(sample, head));
    if (cut->holes)
        read_rows(sample, head, cut);
    return true;
}

/* --- All of them --- */

#define FADES (1.0 / 64)

void policer_push(struct policer *policer, const struct sample *sample, bool curved)
{
    bool lost = sample->received < sample->sent;
    struct cut cut;

    if (sample->sent < SAMPLE_LONG) {
        policer->short_packets += sample->sent - FADES * policer->short_packets;
        policer->short_lost += sample->sent - sample->received - FADES * policer->short_lost;
        return;
    }
    if (sample->received < 2)
        return;
    policer->unread += ((float)(lost && !curved) - policer->unread) / POLICER_ROOM;
    policer->lost += ((float)(sample->sent - sample->received) / sample->sent - policer->lost) / POLICER_ROOM;
    if (!lost || !read_cut(sample, &cut)) {
        policer->trains += policer->trains < POLICER_ROOM;
        return;
    }
    policer->trains -= policer->trains > 0;
    if (!cut.holes) {
        policer->seen += cut.survivors - FADES * policer->seen;
        policer->due += due_after(sample, cut.head, head_gap(sample, cut.head)) - FADES * policer->due;
    }
    policer->ring[policer->next] = cut;
    policer->next = (policer->next + 1) % POLICER_ROOM;
    policer->count += policer->count < POLICER_ROOM;
}

/* Three trains cut at one place; the heads' spread, as a share; random loss. */
enum { CUTS_LEAST = 3 };
#define HEADS_ALIKE 0.25
#define LOSS_MOST 0.02

struct sums {
    double head, head_ns, least, most; /* packets of heads, their time */
    double passed, between_ns;         /* where there are holes: what came behind heads, in which time */
    unsigned holes;
};

static void policer_add(struct sums *sums, const struct cut *cut)
{
    sums->head += cut->head;
    sums->head_ns += cut->head_ns;
    sums->least = fmin(sums->least, cut->head);
    sums->most = fmax(sums->most, cut->head);
    sums->holes += cut->holes;
    sums->passed += cut->passed;
    sums->between_ns += cut->between_ns;
}

static const struct cut *cut_at(const struct policer *policer, unsigned i)
{
    return &policer->ring[(policer->next + 2 * POLICER_ROOM - policer->count + i) % POLICER_ROOM];
}

static bool too_few(const struct policer *policer)
{
    double most = QUEUE_SHARE * policer->due;

    return policer->seen < most - DEVIATIONS * sqrt(most);
}

static bool may_be_cut(const struct policer *policer)
{
    return policer->count >= CUTS_LEAST && policer->trains < policer->count
        && policer->short_lost <= LOSS_MOST * policer->short_packets;
}

struct policed policer_read(const struct policer *policer)
{
    struct sums sums = {.least = INFINITY};
    struct policed policed = {.too_few = too_few(policer)};
    double head, bytes;

    if (!may_be_cut(policer))
        return policed;
    for (unsigned i = 0; i < policer->count; i++)
        policer_add(&sums, cut_at(policer, i));
    head = sums.head / policer->count;
    bytes = cut_at(policer, policer->count - 1)->bytes;
    policed.cut = sums.most - sums.least <= HEADS_ALIKE * head + 1;
    if (2 * sums.holes > policer->count && sums.passed > 0)
        policed.bps = sums.passed * bytes * 8e9 / sums.between_ns;
    /* where what came meanwhile is more than the heads, none is seen */
    policed.burst_bytes = fmax((head + 0.5) * bytes - policed.bps / 8e9 * sums.head_ns / policer->count, 0);
    return policed;
}

bool policer_hides(const struct policer *policer)
{
    return 2 * policer->unread > 1;
}

/* At random short trains lose as large a share. */
#define LONG_LOST 0.1
#define LONG_MORE 2

bool policer_loses(const struct policer *policer)
{
    return policer->lost > LONG_LOST
        && policer->lost * policer->short_packets >= LONG_MORE * policer->short_lost;
}

bool policed_holds(const struct policed *policed, double capacity_bps)
{
    return policed->cut && (policed->bps > 0 ? policed->bps <= QUEUE_SHARE * capacity_bps : policed->too_few);
}

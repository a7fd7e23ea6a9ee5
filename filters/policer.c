/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/policer.h"

#include "filters/curve.h"

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

/* Where the policer stands behind the narrow link, lost packets leave holes in time; before it
 * the queue closes them, and only departures tell when packets were there. */
#define HOLE 0.6

static bool leaves_holes(const struct sample *sample, unsigned head)
{
    double gap_ns = (double)sample->packets[head - 1].offset_ns / (head - 1);
    double due_ns = 0, late_ns = 0;

    for (unsigned i = head; i < sample->received; i++) {
        unsigned missing = sample->packets[i].position - sample->packets[i - 1].position - 1U;

        due_ns += missing * gap_ns;
        late_ns += (double)(sample->packets[i].offset_ns - sample->packets[i - 1].offset_ns) - gap_ns;
    }
    return late_ns > HOLE * due_ns;
}

static double depart_gap_ns(const struct sample *sample)
{
    return sample->departure_span_ns == SAMPLE_UNKNOWN_NS
        ? NAN : (double)sample->departure_span_ns / (sample->sent - 1);
}

static bool read_cut(const struct sample *sample, struct cut *cut)
{
    const struct sample_packet *packets = sample->packets;
    unsigned head = head_of(sample), after = sample->received - head;

    if (head < 2 || head == sample->sent)
        return false;
    *cut = (struct cut){.head = (uint16_t)head, .survivors = (uint16_t)after,
                        .bytes = sample->packet_bytes,
                        .head_ns = (float)(depart_gap_ns(sample) * (head - 1))};
    if (after == 0)
        return true;
    cut->holes = leaves_holes(sample, head);
    cut->between = packets[sample->received - 1].position - packets[head].position;
    cut->between_ns = (float)(depart_gap_ns(sample) * cut->between);
    if (cut->holes) {
        cut->between_ns = (float)(packets[sample->received - 1].offset_ns - packets[head].offset_ns);
        cut->head_ns = (float)packets[head - 1].offset_ns;
    }
    return true;
}

/* --- All of them --- */

#define FADES (1.0 / 64)

void policer_push(struct policer *policer, const struct sample *sample)
{
    struct cut cut;

    if (sample->received < 2)
        return;
    if (sample->sent < CURVE_LEAST_PACKETS) {
        policer->short_packets += sample->sent - FADES * policer->short_packets;
        policer->short_lost += sample->sent - sample->received - FADES * policer->short_lost;
        return;
    }
    if (!read_cut(sample, &cut)) {
        policer->trains += policer->trains < POLICER_ROOM;
        return;
    }
    policer->trains -= policer->trains > 0;
    policer->ring[policer->next] = cut;
    policer->next = (policer->next + 1) % POLICER_ROOM;
    policer->count += policer->count < POLICER_ROOM;
}

/* Three trains cut at one place; the heads' spread, as a share; random loss. */
enum { CUTS_LEAST = 3 };
#define HEADS_ALIKE 0.25
#define LOSS_MOST 0.02

/* A queue that is full drops as well, and lets as much pass as the link carries; a policer less. */
#define QUEUE_SHARE 0.7

struct sums {
    double head, least, most, survivors, ns, positions, bytes, burst;
};

static void add(struct sums *sums, const struct cut *cut)
{
    sums->head += cut->head;
    sums->least = fmin(sums->least, cut->head);
    sums->most = fmax(sums->most, cut->head);
    if (cut->survivors > 1 && cut->between_ns > 0) {
        sums->survivors += cut->survivors - 1;
        sums->ns += cut->between_ns;
    }
}

static const struct cut *cut_at(const struct policer *policer, unsigned i)
{
    return &policer->ring[(policer->next + 2 * POLICER_ROOM - policer->count + i) % POLICER_ROOM];
}

bool policer_found(const struct policer *policer, struct estimate *estimate)
{
    struct sums sums = {.least = INFINITY};
    const struct cut *last;
    double head, rate_bps, bytes;

    if (policer->count < CUTS_LEAST || policer->trains >= policer->count
        || policer->short_lost > LOSS_MOST * policer->short_packets)
        return false;
    for (unsigned i = 0; i < policer->count; i++)
        add(&sums, cut_at(policer, i));
    last = cut_at(policer, policer->count - 1);
    head = sums.head / policer->count;
    if (sums.most - sums.least > HEADS_ALIKE * head + 1)
        return false;
    bytes = last->bytes;
    rate_bps = sums.ns > 0 ? sums.survivors * bytes * 8e9 / sums.ns : 0;
    if (estimate->capacity_bps > 0 && rate_bps > QUEUE_SHARE * estimate->capacity_bps)
        return false;
    estimate->policed_bps = rate_bps;
    estimate->policed_burst_bytes = (head + 0.5) * bytes
        - (isnan(last->head_ns) ? 0 : rate_bps / 8e9 * last->head_ns);
    return true;
}

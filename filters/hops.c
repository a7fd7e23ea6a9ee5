/* SPDX-License-Identifier: BSD-3-Clause */
/* The window of trains, the path's length, and of each train how late its last marker came. */
#include "filters/hops.h"

#include "filters/hops_cells.h"
#include "filters/skew.h"

struct seen_train {
    int64_t time_ns;
    int64_t delay_ns;    /* of the first marker */
    int64_t gap_ns;      /* from marker to marker */
    int64_t departed_ns; /* the same at the sender, or SAMPLE_UNKNOWN_NS */
    uint32_t load_bytes, marker_bytes;
    uint16_t inner; /* packets of load */
    uint8_t load_hops;
    uint8_t limits; /* links of the path by the markers' hop limits; 0: not known */
    bool whole;     /* its load has crossed the whole path */
};

struct hops {
    uint32_t count; /* trains in the ring */
    uint32_t next;
    struct seen_train ring[HOPS_WINDOW];
    /* While an estimate is made. */
    struct hops_reading reading[HOPS_WINDOW];
    double at[HOPS_WINDOW], delay[HOPS_WINDOW];
    uint32_t hull[HOPS_WINDOW];
    struct hops_cells cells;
};

size_t hops_bytes(void)
{
    return sizeof(struct hops);
}

void hops_init(struct hops *hops)
{
    hops->count = hops->next = 0;
}

/* --- One train --- */

/* By the markers, which lose one at every router: 0 when that is no length of a path. */
static uint8_t limits_of(const struct sample *sample)
{
    int links = sample->marker_hops - sample->hops_left + 1;

    return sample->hops_left != 0 && links >= 1 && links <= HOPS_MAX ? (uint8_t)links : 0;
}

static bool is_marked(const struct sample *sample)
{
    const struct sample_packet *first = sample->packets, *last = first + sample->received - 1;

    return sample->received >= 2 && first->position == 0 && last->position + 1 == sample->sent
        && last->offset_ns > 0 && first->bytes == last->bytes;
}

void hops_measure(struct sample *sample)
{
    sample->gaps = is_marked(sample);
    sample->span_ns = sample->gaps > 0 ? sample->packets[sample->received - 1].offset_ns : 0;
}

void hops_push(struct hops *hops, const struct sample *sample)
{
    const struct sample_packet *first = sample->packets, *last = first + sample->received - 1;

    if (sample->verdict == VERDICT_LATE || sample->sent_ns == SAMPLE_UNKNOWN_NS || !is_marked(sample))
        return;
    hops->ring[hops->next] = (struct seen_train){
        .time_ns = sample->time_ns,
        .delay_ns = sample_difference_ns(sample->time_ns, sample->sent_ns),
        .gap_ns = last->offset_ns,
        .departed_ns = sample->departure_span_ns,
        .load_bytes = sample->load_bytes,
        .marker_bytes = first->bytes,
        .inner = (uint16_t)(sample->sent - 2),
        .load_hops = sample->load_hops,
        .limits = limits_of(sample),
        .whole = sample->received > 2,
    };
    hops->next = (hops->next + 1) % HOPS_WINDOW;
    hops->count += hops->count < HOPS_WINDOW;
}

/* The oldest is 0. */
static const struct seen_train *hops_train_at(const struct hops *hops, uint32_t i)
{
    uint32_t oldest = hops->count < HOPS_WINDOW ? 0 : hops->next;

    return &hops->ring[(oldest + i) % HOPS_WINDOW];
}

/* --- How long the path is --- */

/* Routes change, and balancers send packet by packet: one in ten of another length is told. */
#define OTHER_LENGTHS 0.1

struct path_length {
    uint8_t limits; /* what most markers say; 0: nothing */
    uint8_t links;  /* what holds */
    bool vary, changed;
};

static void count_limits(const struct hops *hops, struct path_length *length)
{
    uint32_t of[HOPS_MAX + 1] = {0};
    uint32_t told = 0;

    for (uint32_t i = 0; i < hops->count; i++)
        of[hops_train_at(hops, i)->limits]++;
    of[0] = 0;
    for (uint8_t links = 1; links <= HOPS_MAX; links++) {
        told += of[links];
        if (of[links] > of[length->limits])
            length->limits = links;
    }
    length->vary = told - of[length->limits] > OTHER_LENGTHS * told;
}

/* A load that dies shows that the path is longer than that; one that does not, that it is not. */
static struct path_length hops_length_of(const struct hops *hops)
{
    int whole[HOPS_MAX + 1] = {0}; /* that came whole there, less those that died */
    struct path_length length = {.limits = 0};
    unsigned longest_dead = 0, least_whole = 0;
    bool shown;

    count_limits(hops, &length);
    for (uint32_t i = 0; i < hops->count; i++) {
        const struct seen_train *train = hops_train_at(hops, i);

        whole[train->load_hops <= HOPS_MAX ? train->load_hops : HOPS_MAX] += train->whole ? 1 : -1;
    }
    for (unsigned hop = HOPS_MAX; hop > 0; hop--) {
        if (whole[hop] > 0)
            least_whole = hop;
        else if (whole[hop] < 0 && longest_dead == 0)
            longest_dead = hop;
    }
    shown = least_whole > longest_dead;
    length.changed =
        length.limits != 0 && (length.limits <= longest_dead || (shown && length.limits > least_whole));
    length.links = length.limits;
    if (length.changed || length.limits == 0)
        length.links = shown ? (uint8_t)least_whole : 0;
    return length;
}

/* --- Readings --- */

static bool same_kind(const struct seen_train *train, const struct seen_train *newest,
                      const struct path_length *length)
{
    return train->load_bytes == newest->load_bytes && train->marker_bytes == newest->marker_bytes
        && (train->limits == 0 || length->limits == 0 || train->limits == length->limits);
}

static void hops_read_train(struct hops_reading *reading, const struct seen_train *train,
                            const struct path_length *length)
{
    bool whole = length->links != 0 && train->load_hops >= length->links;

    *reading = (struct hops_reading){
        .hop = (uint8_t)(whole                              ? length->links
                             : train->load_hops <= HOPS_MAX ? train->load_hops
                                                            : HOPS_MAX),
        .inner = train->inner,
        .value_ns = (double)train->gap_ns,
        .gap_ns = (double)train->gap_ns,
        .departed_ns = train->departed_ns != SAMPLE_UNKNOWN_NS ? (double)train->departed_ns : 0,
    };
}

/* How late the first marker came, over the line under all first markers: they are all the same
 * packet to the path, whatever follows them. So late was the last one, too, were they not held
 * apart: with that its delay is that of the load alone, and no wait makes it smaller. */
static void add_delays(struct hops *hops, unsigned count)
{
    skew_level(hops->at, hops->delay, count, hops->hull);
    for (unsigned i = 0; i < count; i++)
        hops->reading[i].value_ns += hops->delay[i];
}

/* Returns how many readings there are. */
static unsigned hops_read_all(struct hops *hops, const struct path_length *length,
                              struct hops_estimate *result)
{
    const struct seen_train *newest = hops_train_at(hops, hops->count - 1), *first = NULL;
    unsigned count = 0;

    for (uint32_t i = 0; i < hops->count; i++) {
        const struct seen_train *train = hops_train_at(hops, i);

        if (!same_kind(train, newest, length))
            continue;
        first = first == NULL ? train : first;
        hops_read_train(&hops->reading[count], train, length);
        hops->at[count] = (double)sample_difference_ns(train->time_ns, first->time_ns);
        hops->delay[count++] = (double)sample_difference_ns(train->delay_ns, first->delay_ns);
        result->newest_ns = train->time_ns;
    }
    add_delays(hops, count);
    return count;
}

void hops_estimate(struct hops *hops, const struct estimate *capacity, struct hops_estimate *result)
{
    struct path_length length;
    unsigned count;

    *result = (struct hops_estimate){.why = HOPS_WHY_FEW_TRAINS};
    if (hops->count == 0)
        return;
    length = hops_length_of(hops);
    count = hops_read_all(hops, &length, result);
    result->count = length.links;
    result->trains = count;
    hops_cells_fill(&hops->cells, hops->reading, count, hops_train_at(hops, hops->count - 1)->load_bytes,
                    hops_train_at(hops, hops->count - 1)->marker_bytes);
    hops_cells_tell(&hops->cells, capacity, result);
    if (length.vary || length.changed) {
        result->why = length.vary ? HOPS_WHY_PATHS_VARY : HOPS_WHY_HOP_LIMITS;
        if (length.vary)
            hops_cells_doubt(result);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "tally.h"

#include "common/stamp.h"

#include <string.h>

#define QUIET_NS (60 * STAMP_NS_PER_S)
#define GONE_NS (300 * STAMP_NS_PER_S)
#define STRANGE_NS (10 * STAMP_NS_PER_S)
#define VOUCHED_NS (10 * STAMP_NS_PER_S)

/* Of a share of the log, what is at hand at once: some rows, however many share. */
#define ROWS_LEAST_BYTES 4096.0

const double tally_bounds_bps[TALLY_BOUNDS] = {
    1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6,  5e6,  1e7,  2e7,
    5e7, 1e8, 2e8, 5e8, 1e9, 2e9, 5e9, 1e10, 2e10, 5e10, 1e11,
};

bool tally_same_source(const struct pprec_endpoint *a, const struct pprec_endpoint *b)
{
    return a->ip == b->ip && a->port == b->port
        && memcmp(a->address, b->address, a->ip == 4 ? 4 : sizeof a->address) == 0;
}

static bool tally_is(const struct tally_place *place, const struct pprec_endpoint *source, uint32_t stream)
{
    return place->stream == stream && tally_same_source(&place->source, source);
}

/* A look at so few places costs less than the train did; mostly it is the last one. */
static size_t tally_index_of(const struct tally *tally, const struct pprec_endpoint *source, uint32_t stream)
{
    if (tally->last < tally->count && tally_is(&tally->places[tally->last], source, stream))
        return tally->last;
    for (size_t i = 0; i < tally->count; i++)
        if (tally_is(&tally->places[i], source, stream))
            return i;
    return tally->count;
}

bool tally_present(const struct tally_place *place, int64_t now_ns)
{
    return now_ns - place->heard_ns < GONE_NS;
}

static bool tally_gives_way(const struct tally_place *place, bool to_proven, int64_t now_ns)
{
    int64_t silent_ns = now_ns - place->heard_ns;

    if (silent_ns < place->measured_ns / 2)
        return false;
    if (!tally_present(place, now_ns))
        return true;
    if (silent_ns >= QUIET_NS)
        return to_proven || !place->proven;
    return to_proven && !place->proven;
}

/* Streams without a rate go before others. */
static bool goes_before(const struct tally_place *a, const struct tally_place *b)
{
    return a->proven != b->proven ? !a->proven : a->heard_ns < b->heard_ns;
}

/* Of IPv6, one network of 64 bits. */
static bool tally_same_address(const struct pprec_endpoint *a, const struct pprec_endpoint *b)
{
    return a->ip == b->ip && memcmp(a->address, b->address, a->ip == 4 ? 4 : 8) == 0;
}

/* No sender shall take all places. */
static bool crowded(const struct tally *tally, const struct pprec_endpoint *source)
{
    size_t count = 0;

    for (size_t i = 0; i < tally->count; i++)
        count += tally_same_address(&tally->places[i].source, source);
    return tally->of_address > 0 && count >= tally->of_address;
}

static struct tally_place *tally_make_room(struct tally *tally, const struct pprec_endpoint *source,
                                           bool for_proven, int64_t now_ns)
{
    bool own_only = crowded(tally, source);
    struct tally_place *chosen = NULL;

    if (!own_only && tally->count < TALLY_PLACES)
        return &tally->places[tally->count++];
    for (size_t i = 0; i < tally->count; i++) {
        struct tally_place *place = &tally->places[i];

        if ((!own_only || tally_same_address(&place->source, source))
            && tally_gives_way(place, for_proven, now_ns) && (chosen == NULL || goes_before(place, chosen)))
            chosen = place;
    }
    if (chosen != NULL && tally_present(chosen, now_ns))
        tally->displaced++;
    return chosen;
}

static struct tally_place *tally_place_of(struct tally *tally, const struct pprec_train *train,
                                          int64_t now_ns)
{
    size_t i = tally_index_of(tally, &train->source, train->stream);
    struct tally_place *place;

    tally->last = i;
    if (i < tally->count)
        return &tally->places[i];
    place = tally_make_room(tally, &train->source, train->rate_bps > 0, now_ns);
    if (place != NULL) {
        *place = (struct tally_place){.source = train->source, .stream = train->stream};
        tally->last = (size_t)(place - tally->places);
    }
    return place;
}

static size_t tally_class_of(double bps)
{
    size_t class = 0;

    while (class < TALLY_BOUNDS && bps > tally_bounds_bps[class])
        class ++;
    return class;
}

/* A train vouches for VOUCHED_NS before it: who sends one per hour measures nothing. */
static void note_heard(struct tally_place *place, int64_t now_ns)
{
    int64_t silent_ns = now_ns - place->heard_ns;

    if (place->proven)
        place->measured_ns += silent_ns < VOUCHED_NS ? silent_ns : VOUCHED_NS;
    place->heard_ns = now_ns;
}

void tally_train(struct tally *tally, const struct pprec_train *train, int64_t now_ns)
{
    struct tally_place *place = tally_place_of(tally, train, now_ns);

    if (place == NULL)
        return;
    note_heard(place, now_ns);
    if ((unsigned)train->verdict < TALLY_VERDICTS)
        place->verdicts[train->verdict]++;
    if (train->rate_bps > 0) {
        place->proven = true;
        place->rates[tally_class_of(train->rate_bps)]++;
        place->rates_sum_bps += train->rate_bps;
    }
}

void tally_end(struct tally *tally, const struct pprec_endpoint *source, uint32_t stream)
{
    size_t i = tally_index_of(tally, source, stream);

    if (i < tally->count)
        tally->places[i] = tally->places[--tally->count];
}

const struct tally_place *tally_find(const struct tally *tally, const struct pprec_endpoint *source,
                                     uint32_t stream)
{
    size_t i = tally_index_of(tally, source, stream);

    return i < tally->count ? &tally->places[i] : NULL;
}

double tally_standing(const struct tally *tally, const struct pprec_endpoint *source, uint32_t stream,
                      int64_t now_ns)
{
    const struct tally_place *place = tally_find(tally, source, stream);
    int64_t longest_ns = place != NULL ? place->measured_ns : 0;

    if (longest_ns < STRANGE_NS)
        return 0;
    for (size_t i = 0; i < tally->count; i++)
        if (tally_present(&tally->places[i], now_ns) && tally->places[i].measured_ns > longest_ns)
            longest_ns = tally->places[i].measured_ns;
    return (double)place->measured_ns / (double)longest_ns;
}

static size_t lasting(const struct tally *tally, int64_t now_ns)
{
    size_t count = 0;

    for (size_t i = 0; i < tally->count; i++)
        count += tally_present(&tally->places[i], now_ns) && tally->places[i].measured_ns >= STRANGE_NS;
    return count;
}

static void refill_rows(struct tally_place *place, double share_bytes, int64_t now_ns)
{
    double most_bytes = share_bytes > ROWS_LEAST_BYTES ? share_bytes : ROWS_LEAST_BYTES;

    room_refill(&place->rows, share_bytes, most_bytes, now_ns);
}

bool tally_affords(struct tally *tally, const struct pprec_endpoint *source, uint32_t stream, size_t bytes,
                   double rate_bytes, int64_t now_ns)
{
    size_t i = tally_index_of(tally, source, stream), count;

    if (i == tally->count)
        return false;
    count = lasting(tally, now_ns);
    refill_rows(&tally->places[i], rate_bytes / 2 / (double)(count > 0 ? count : 1), now_ns);
    return room_take(&tally->places[i].rows, (double)bytes);
}

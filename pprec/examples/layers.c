/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers.h"

#define MS INT64_C(1000000)

/* A sum up to this share of the capacity may be joined, and one above the other must be
 * left. Between them nothing changes, so that an estimate that wavers does not flap. */
#define JOIN_SHARE 0.92
#define KEEP_SHARE 0.98

/* The estimate must have had room for so long before layers are joined. */
#define JOIN_AFTER_NS (1000 * MS)

/* Loss above this share is not an accident. A join or a leave takes a while to show in
 * it: the routers act, the queue drains. */
#define LOSS_SHARE 0.03
#define LOSS_AFTER_NS (2000 * MS)

/* A layer that failed is barred this long, and twice as long each further time. */
#define BARRED_FIRST_NS (5000 * MS)
#define BARRED_MOST_NS (120000 * MS)

void layers_init(struct layers *layers, const double *rates_bps, unsigned count)
{
    double sum_bps = 0;

    *layers = (struct layers){.count = count, .joined = 1, .fits = 1};
    for (unsigned i = 0; i < count; i++) {
        sum_bps += rates_bps[i];
        layers->sum_bps[i] = sum_bps;
        layers->patience_ns[i] = BARRED_FIRST_NS;
    }
}

/* The layers whose sum is at most limit_bps; one at least. */
static unsigned layers_room_for(const struct layers *layers, double limit_bps)
{
    unsigned n = 1;

    while (n < layers->count && layers->sum_bps[n] <= limit_bps)
        n++;
    return n;
}

static unsigned layers_set(struct layers *layers, int64_t now_ns, unsigned joined)
{
    if (joined != layers->joined)
        layers->changed_ns = now_ns;
    layers->joined = joined;
    return joined;
}

/* The highest layer lost packets though the estimate has room for it: something else
 * is on the link, or the queue is short. */
static unsigned fail_highest(struct layers *layers, int64_t now_ns)
{
    unsigned highest = layers->joined - 1;

    layers->barred_ns[highest] = now_ns + layers->patience_ns[highest];
    if (layers->patience_ns[highest] < BARRED_MOST_NS)
        layers->patience_ns[highest] *= 2;
    return layers_set(layers, now_ns, highest);
}

static unsigned up_to_barred(const struct layers *layers, int64_t now_ns, unsigned wanted)
{
    unsigned n = layers->joined;

    while (n < wanted && now_ns >= layers->barred_ns[n])
        n++;
    return n;
}

unsigned layers_decide(struct layers *layers, int64_t now_ns, double capacity_bps, double lost)
{
    unsigned fits = layers_room_for(layers, JOIN_SHARE * capacity_bps);
    unsigned keeps = layers_room_for(layers, KEEP_SHARE * capacity_bps);

    if (fits != layers->fits)
        layers->fits_since_ns = now_ns;
    layers->fits = fits;
    if (capacity_bps > 0 && keeps < layers->joined)
        return layers_set(layers, now_ns, keeps);
    if (lost > LOSS_SHARE && layers->joined > 1 && now_ns - layers->changed_ns >= LOSS_AFTER_NS)
        return fail_highest(layers, now_ns);
    if (fits > layers->joined && lost <= LOSS_SHARE && now_ns - layers->fits_since_ns >= JOIN_AFTER_NS)
        return layers_set(layers, now_ns, up_to_barred(layers, now_ns, fits));
    return layers->joined;
}

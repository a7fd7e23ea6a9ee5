/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

#include "common/stamp.h"
#include "common/wire.h"

#include <math.h>
#include <stddef.h>

/* What a train and each of its packets cost a host like ours. Measured on veth: 24 us from pair to pair with
 * nothing to wait for, 3.4 to 4.4 us from packet to packet. It only serves to refuse what cannot work. */
#define TRAIN_COST_MS 0.015
#define PACKET_COST_MS 0.004

/* Of the time, at most so much for paced trains to leave. */
#define PACED_MOST 0.9

/* No IP packet is larger, whatever the loopback's MTU. */
enum { IP_MOST_BYTES = 65535 };

static uint32_t ip_bytes(const struct plan *plan, uint32_t payload_bytes)
{
    struct layer ip = {.kind = LAYER_IP};

    return layer_bytes(&ip, plan->ip, payload_bytes);
}

static int check_large(const struct plan *plan, uint32_t size_bytes, uint32_t payload_bytes,
                       uint32_t mtu_bytes, struct error *error)
{
    uint32_t most_bytes = mtu_bytes < IP_MOST_BYTES ? mtu_bytes : IP_MOST_BYTES;
    uint32_t headers_bytes = ip_bytes(plan, 0);
    char room[12];

    if (ip_bytes(plan, payload_bytes) <= most_bytes)
        return 0;
    return error_set(
        error,
        "-s %u: more than the path's MTU of %u bytes takes; the largest size "
        "at layer %s is %u",
        size_bytes, mtu_bytes, layer_name(&plan->layer, room),
        layer_bytes(&plan->layer, plan->ip, most_bytes > headers_bytes ? most_bytes - headers_bytes : 0));
}

static uint32_t least_payload_bytes(const struct plan *plan)
{
    if (plan->classic)
        return WIRE_CLASSIC_BYTES;
    return (uint32_t)wire_header_bytes(plan->tagged ? WIRE_TIME | WIRE_AUTH : 0);
}

static int plan_fit(const struct plan *plan, struct plan_shape *shape, uint32_t size_bytes, uint32_t length,
                    uint32_t mtu_bytes, struct error *error)
{
    uint32_t least_bytes = least_payload_bytes(plan);
    int32_t payload_bytes = layer_payload(&plan->layer, plan->ip, size_bytes);
    char room[12];

    if (payload_bytes < (int32_t)least_bytes)
        return error_set(error,
                         "-s %u: too small for the probe header%s; the least size at layer "
                         "%s is %u",
                         size_bytes, plan->tagged ? " with a tag" : "", layer_name(&plan->layer, room),
                         layer_bytes(&plan->layer, plan->ip, least_bytes));
    *shape = (struct plan_shape){.length_log2 = (uint8_t)__builtin_ctz(length),
                                 .size_bytes = size_bytes,
                                 .payload_bytes = (uint32_t)payload_bytes,
                                 .marker_bytes = (uint32_t)payload_bytes};
    return check_large(plan, size_bytes, shape->payload_bytes, mtu_bytes, error);
}

/* --- what was not asked for ---------------------------------------------- */

#define PAPER_SIZE_BYTES 1000
#define PAPER_DELAY_MS 500.0

static uint32_t default_size(const struct plan *plan, uint32_t mtu_bytes)
{
    uint32_t full_bytes = mtu_bytes < PLAN_FULL_MTU ? mtu_bytes : PLAN_FULL_MTU;
    uint32_t headers_bytes = ip_bytes(plan, 0);

    if (plan->paper || full_bytes < headers_bytes)
        return PAPER_SIZE_BYTES;
    return layer_bytes(&plan->layer, plan->ip, full_bytes - headers_bytes);
}

uint32_t plan_packets(const struct plan_shape *shape)
{
    return (1U << shape->length_log2) - shape->early;
}

uint64_t plan_train_bytes(const struct plan *plan, const struct layer *layer, const struct plan_shape *shape)
{
    uint64_t markers = 2 * (uint64_t)layer_bytes(layer, plan->ip, shape->marker_bytes);
    uint32_t others = plan_packets(shape) - 2;

    return markers + others * (uint64_t)layer_bytes(layer, plan->ip, shape->payload_bytes);
}

double plan_lasting_ms(const struct plan_shape *shape)
{
    return shape->gap_ns * (plan_packets(shape) - 1) / (double)STAMP_NS_PER_MS;
}

/* Of so many trains from one on, at the layer. */
static double plan_mean_bits(const struct plan *plan, const struct layer *layer, uint32_t from,
                             uint32_t count)
{
    double bytes = 0;

    for (uint32_t train = from; train < from + count; train++) {
        struct plan_shape shape = plan_shape(plan, train);

        bytes += (double)plan_train_bytes(plan, layer, &shape);
    }
    return bytes * 8 / count;
}

static double mean_lasting_ms(const struct plan *plan, uint32_t from, uint32_t count)
{
    double lasting_ms = 0;

    for (uint32_t train = from; train < from + count; train++) {
        struct plan_shape shape = plan_shape(plan, train);

        lasting_ms += plan_lasting_ms(&shape);
    }
    return lasting_ms / count;
}

static double default_load_bps(const struct plan *plan)
{
    return plan_paces(plan) ? PLAN_LOAD_SHARE * ladder_middle_bps(&plan->ladder) : PLAN_LOAD_BPS;
}

static double default_delay_ms(const struct plan *plan, uint32_t from, uint32_t count)
{
    return ceil(plan_mean_bits(plan, &plan->layer, from, count) / default_load_bps(plan) * 1000);
}

static void set_delays(struct plan *plan, double wished_ms)
{
    uint32_t start = plan_start(plan);

    plan->lasting_ms = mean_lasting_ms(plan, start, plan_round(plan));
    plan->start_lasting_ms = start > 0 ? mean_lasting_ms(plan, 0, start) : plan->lasting_ms;
    plan->delay_ms = plan->start_delay_ms = wished_ms;
    if (wished_ms > 0)
        return;
    plan->delay_ms = default_delay_ms(plan, start, plan_round(plan));
    plan->start_delay_ms = start > 0 ? default_delay_ms(plan, 0, start) : plan->delay_ms;
    if (plan->paper)
        plan->delay_ms = PAPER_DELAY_MS;
}

/* --- the plan ------------------------------------------------------------ */

/* How many packets the short trains have. */
static const uint8_t short_log2[PLAN_START / 2] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 4};

/* The mix's smallest packets have half the size. */
static int check_half(const struct plan *plan, uint32_t size_bytes, struct error *error)
{
    uint32_t least_bytes = least_payload_bytes(plan);

    if (layer_payload(&plan->layer, plan->ip, size_bytes / 2) >= (int32_t)least_bytes)
        return 0;
    return error_set(error, "-s %u: too small for a mix, which has packets of half of it: want %u or more",
                     size_bytes, 2 * layer_bytes(&plan->layer, plan->ip, least_bytes));
}

static int fit_mix(struct plan *plan, uint32_t size_bytes, uint32_t mtu_bytes, struct error *error)
{
    uint32_t near_bytes = size_bytes - PLAN_NEAR_BYTES;

    for (unsigned i = 0; i < PLAN_START / 2; i++) {
        plan->shorts[i] = plan->train;
        if (plan->train.length_log2 > short_log2[i])
            plan->shorts[i].length_log2 = short_log2[i];
    }
    if (plan_fit(plan, &plan->pair, size_bytes, 2, mtu_bytes, error) != 0
        || plan_fit(plan, &plan->half_pair, size_bytes / 2, 2, mtu_bytes, error) != 0)
        return -1;
    return plan_fit(plan, &plan->near_pair, near_bytes, 2, mtu_bytes, error);
}

static int check_load(const struct plan *plan, double most_bps, struct error *error)
{
    double load_bps = plan_load_bps(plan, &plan->layer);

    most_bps = most_bps > 0 ? most_bps : PLAN_LOAD_MOST_BPS;
    if (load_bps <= most_bps)
        return 0;
    return error_set(error,
                     "-d %g: that is %.4g Mbit/s on average, and --max-load allows %.4g: "
                     "want a longer delay, or a larger --max-load",
                     plan->delay_ms, load_bps / 1e6, most_bps / 1e6);
}

/* --- what is free ------------------------------------------------------- */

/* The default range ends where the device does. */
static int set_ladder(struct plan *plan, const struct plan_wish *wish, struct error *error)
{
    double low_bps = wish->low_bps > 0 ? wish->low_bps : PLAN_LOW_BPS;
    double high_bps = wish->high_bps > 0 ? wish->high_bps : PLAN_HIGH_BPS;

    if (wish->high_bps <= 0 && wish->device_bps > low_bps && wish->device_bps < high_bps)
        high_bps = wish->device_bps;
    if (low_bps >= high_bps)
        return error_set(error, "--available: LOW is %.4g Mbit/s and HIGH %.4g: want a LOW below HIGH",
                         low_bps / 1e6, high_bps / 1e6);
    ladder_init(&plan->ladder, low_bps, high_bps);
    plan->paced_log2 = wish->length != 0 ? plan->train.length_log2 : PLAN_PACED_LOG2;
    return 0;
}

/* First packets stand for the times in which no paced train leaves, so these must not shrink to nothing. */
static int check_pauses(const struct plan *plan, double delay_ms, double lasting_ms, struct error *error)
{
    double longest_ms = fmax(plan->lasting_ms, plan->start_lasting_ms);

    if (lasting_ms <= PACED_MOST * delay_ms)
        return 0;
    return error_set(error,
                     "-d %g: paced trains take %.4g ms of that to leave, and %g %% is the "
                     "most: want -d %.0f or more, or a higher LOW",
                     delay_ms, lasting_ms, PACED_MOST * 100, ceil(longest_ms / PACED_MOST));
}

/* The header has to tell how long the slowest train takes. */
static int check_lasting(const struct plan *plan, struct error *error)
{
    uint32_t packets = 1U << plan->paced_log2;
    double slowest_s = (packets - 1) * (plan->train.size_bytes * 8.0) / plan->ladder.low_bps;
    double told_s = WIRE_SPAN_OVER / (double)STAMP_NS_PER_S;

    if (slowest_s >= told_s)
        return error_set(error,
                         "--available: at %.4g Mbit/s %u packets of %u bytes take %.4g s "
                         "to leave, and %.3g s can be told: want a higher LOW%s or smaller packets",
                         plan->ladder.low_bps / 1e6, packets, plan->train.size_bytes, slowest_s, told_s,
                         plan_locates(plan) ? "" : ", shorter trains");
    if (check_pauses(plan, plan->delay_ms, plan->lasting_ms, error) != 0)
        return -1;
    return check_pauses(plan, plan->start_delay_ms, plan->start_lasting_ms, error);
}

/* --- which link is narrow ------------------------------------------------ */

/* Markers are as small as their header with a departure, whether one is known yet or not, so that the gaps of
 * all can be compared. With 84 bytes at l2 they are above the least frame of Ethernet. */
static int plan_set_hops(struct plan *plan, const struct plan_wish *wish, struct error *error)
{
    uint32_t to = wish->hop_to != 0 ? wish->hop_to : PLAN_HOP_TO;

    if (wish->hop_to == 0 && to > wish->marker_hops)
        to = wish->marker_hops;
    plan->hop_from = (uint8_t)(wish->hop_from != 0 ? wish->hop_from : PLAN_HOP_FROM);
    plan->hop_to = (uint8_t)to;
    plan->marker_hops = (uint8_t)wish->marker_hops;
    if (to > wish->marker_hops)
        return error_set(error,
                         "--locate %u-%u: the markers' own hop limit is %u: want a lower TO or "
                         "a larger --ttl",
                         plan->hop_from, to, wish->marker_hops);
    plan->marker_bytes =
        (uint32_t)wire_header_bytes(WIRE_TIME | WIRE_DEPARTURE | WIRE_REACH | (plan->tagged ? WIRE_AUTH : 0));
    plan->marker_size_bytes = layer_bytes(&plan->layer, plan->ip, plan->marker_bytes);
    plan->dense_log2 = wish->length != 0 ? (uint8_t)__builtin_ctz(wish->length) : PLAN_DENSE_LOG2;
    plan->sparse_length = (uint8_t)(1U << plan->dense_log2 >> PLAN_APART_LOG2);
    if (plan->sparse_length < PLAN_SPARSE)
        plan->sparse_length = plan->pattern == PLAN_TIGHT ? PLAN_SPARSE_TIGHT : PLAN_SPARSE;
    if (plan->train.payload_bytes <= plan->marker_bytes)
        return error_set(error, "-s %u: a load that is no larger than its markers, which have %u bytes",
                         plan->train.size_bytes, plan->marker_size_bytes);
    return 0;
}

/* --- all of it ----------------------------------------------------------- */

static uint32_t train_length(const struct plan *plan, const struct plan_wish *wish)
{
    bool own = wish->length != 0 && plan->pattern != PLAN_LOCATE;

    return own ? wish->length : plan_mixes(plan) ? 1U << PLAN_LONG_LOG2 : 2;
}

static int set_pattern(struct plan *plan, const struct plan_wish *wish, struct error *error)
{
    if (plan_paces(plan) && set_ladder(plan, wish, error) != 0)
        return -1;
    return plan_locates(plan) ? plan_set_hops(plan, wish, error) : 0;
}

int plan_make(struct plan *plan, const struct plan_wish *wish, enum layer_ip ip, uint32_t mtu_bytes,
              struct error *error)
{
    bool any = wish->pattern == PLAN_ALIKE && wish->length == 0 && !wish->classic;
    uint32_t size_bytes, length;

    *plan = (struct plan){.pattern = any ? PLAN_MIX : wish->pattern,
                          .layer = wish->layer,
                          .ip = ip,
                          .mtu_bytes = mtu_bytes,
                          .classic = wish->classic,
                          .tagged = wish->tagged};
    length = train_length(plan, wish);
    plan->paper = wish->classic || (plan->pattern == PLAN_ALIKE && length == 2);
    size_bytes = wish->size_bytes != 0 ? wish->size_bytes : default_size(plan, mtu_bytes);
    if ((plan_mixes(plan) && check_half(plan, size_bytes, error) != 0)
        || plan_fit(plan, &plan->train, size_bytes, length, mtu_bytes, error) != 0
        || (plan_mixes(plan) && fit_mix(plan, size_bytes, mtu_bytes, error) != 0)
        || set_pattern(plan, wish, error) != 0)
        return -1;
    set_delays(plan, wish->delay_ms);
    if (plan_paces(plan) && check_lasting(plan, error) != 0)
        return -1;
    return check_load(plan, wish->load_most_bps, error);
}

double plan_delay_ms(const struct plan *plan, uint32_t train)
{
    return train < plan_start(plan) ? plan->start_delay_ms : plan->delay_ms;
}

double plan_pause_ms(const struct plan *plan, uint32_t train)
{
    double lasting_ms = train < plan_start(plan) ? plan->start_lasting_ms : plan->lasting_ms;

    return plan_delay_ms(plan, train) - lasting_ms;
}

/* Of those that leave at once. */
uint32_t plan_longest(const struct plan *plan)
{
    uint32_t dense = plan_locates(plan) ? 1U << plan->dense_log2 : 0;
    uint32_t length = 1U << plan->train.length_log2;

    return dense > length ? dense : length;
}

double plan_load_bps(const struct plan *plan, const struct layer *layer)
{
    return plan_mean_bits(plan, layer, plan_start(plan), plan_round(plan)) / (plan->delay_ms / 1000);
}

/* --- can it be sent? ------------------------------------------------------ */

static int check_ladder(const struct plan *plan, double device_bps, struct error *error)
{
    double gap_us = plan->train.size_bytes * 8e6 / plan->ladder.high_bps;

    if (gap_us < PACKET_COST_MS * 1000)
        return error_set(error,
                         "--available: at %.4g Mbit/s packets of %u bytes would leave each "
                         "%.3g us, and this host takes about %g: want a lower HIGH",
                         plan->ladder.high_bps / 1e6, plan->train.size_bytes, gap_us, PACKET_COST_MS * 1000);
    if (device_bps > 0 && plan->ladder.high_bps > device_bps)
        return error_set(error,
                         "--available: HIGH is %.4g Mbit/s, and the device carries %.4g: "
                         "want a lower HIGH",
                         plan->ladder.high_bps / 1e6, device_bps / 1e6);
    return 0;
}

int plan_check_rate(const struct plan *plan, double device_bps, struct error *error)
{
    struct layer wire = {.kind = LAYER_WIRE};
    double load_bps = plan_load_bps(plan, &wire);
    uint32_t longest = plan_longest(plan);
    double leaving_ms = TRAIN_COST_MS + longest * PACKET_COST_MS;

    if (plan_paces(plan) && check_ladder(plan, device_bps, error) != 0)
        return -1;
    if (leaving_ms > plan->delay_ms)
        return error_set(error,
                         "-d %g: a train of %u packets takes about %g ms to leave: want a "
                         "longer delay or a shorter train",
                         plan->delay_ms, longest, leaving_ms);
    if (device_bps > 0 && load_bps > device_bps)
        return error_set(error,
                         "-d %g: that is %.4g Mbit/s on average, and the device carries "
                         "%.4g: want a longer delay",
                         plan->delay_ms, load_bps / 1e6, device_bps / 1e6);
    return 0;
}

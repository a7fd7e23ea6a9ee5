/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

#include "common/wire.h"

#include <math.h>
#include <stddef.h>

/* What a train costs a host like ours, and each of its packets. Measured on
 * veth: 24 us from pair to pair with nothing to wait for, 3.4 to 4.4 us from
 * packet to packet. Only to tell what cannot work. */
#define TRAIN_COST_MS 0.015
#define PACKET_COST_MS 0.004

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
    return error_set(error, "-s %u: more than the path's MTU of %u bytes takes; the largest size "
                            "at layer %s is %u", size_bytes, mtu_bytes,
                     layer_name(&plan->layer, room),
                     layer_bytes(&plan->layer, plan->ip,
                                 most_bytes > headers_bytes ? most_bytes - headers_bytes : 0));
}

static uint32_t least_payload_bytes(const struct plan *plan)
{
    if (plan->classic)
        return WIRE_CLASSIC_BYTES;
    return (uint32_t)wire_header_bytes(plan->tagged ? WIRE_TIME | WIRE_AUTH : 0);
}

static int fit(const struct plan *plan, struct plan_shape *shape, uint32_t size_bytes,
               uint32_t length, uint32_t mtu_bytes, struct error *error)
{
    uint32_t least_bytes = least_payload_bytes(plan);
    int32_t payload_bytes = layer_payload(&plan->layer, plan->ip, size_bytes);
    char room[12];

    if (payload_bytes < (int32_t)least_bytes)
        return error_set(error, "%s%u: too small for the probe header%s; the least size at layer "
                                "%s is %u", plan->mix ? "--mix with packets down to " : "-s ",
                         size_bytes, plan->tagged ? " with a tag" : "", layer_name(&plan->layer, room),
                         layer_bytes(&plan->layer, plan->ip, least_bytes));
    *shape = (struct plan_shape){.length_log2 = (uint8_t)__builtin_ctz(length),
                                 .size_bytes = size_bytes,
                                 .payload_bytes = (uint32_t)payload_bytes};
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

/* Of so many trains from one on, at the layer. */
static double mean_bits(const struct plan *plan, const struct layer *layer, uint32_t from,
                        uint32_t count)
{
    double bytes = 0;

    for (uint32_t train = from; train < from + count; train++) {
        const struct plan_shape *shape = plan_shape(plan, train);

        bytes += (double)layer_bytes(layer, plan->ip, shape->payload_bytes) *
                 (double)(1U << shape->length_log2);
    }
    return bytes * 8 / count;
}

static double default_delay_ms(const struct plan *plan, uint32_t from, uint32_t count)
{
    return ceil(mean_bits(plan, &plan->layer, from, count) / PLAN_LOAD_BPS * 1000);
}

static void set_delays(struct plan *plan, double wished_ms)
{
    plan->delay_ms = plan->start_delay_ms = wished_ms;
    if (wished_ms > 0)
        return;
    plan->delay_ms = default_delay_ms(plan, PLAN_START, PLAN_CYCLE);
    plan->start_delay_ms = default_delay_ms(plan, 0, PLAN_START);
    if (plan->paper)
        plan->delay_ms = PAPER_DELAY_MS;
}

/* --- the plan ------------------------------------------------------------ */

/* How many packets the short trains have. */
static const uint8_t short_log2[PLAN_START / 2] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 4};

static int fit_mix(struct plan *plan, uint32_t size_bytes, uint32_t mtu_bytes,
                   struct error *error)
{
    uint32_t near_bytes = size_bytes > PLAN_NEAR_BYTES ? size_bytes - PLAN_NEAR_BYTES : 1;

    for (unsigned i = 0; i < PLAN_START / 2; i++) {
        plan->shorts[i] = plan->train;
        if (plan->train.length_log2 > short_log2[i])
            plan->shorts[i].length_log2 = short_log2[i];
    }
    if (fit(plan, &plan->pair, size_bytes, 2, mtu_bytes, error) != 0 ||
        fit(plan, &plan->half_pair, size_bytes / 2, 2, mtu_bytes, error) != 0)
        return -1;
    return fit(plan, &plan->near_pair, near_bytes, 2, mtu_bytes, error);
}

static int check_load(const struct plan *plan, double most_bps, struct error *error)
{
    double load_bps = plan_load_bps(plan, &plan->layer);

    most_bps = most_bps > 0 ? most_bps : PLAN_LOAD_MOST_BPS;
    if (load_bps <= most_bps)
        return 0;
    return error_set(error, "-d %g: that is %.4g Mbit/s on average, and --max-load allows %.4g: "
                            "want a longer delay, or a larger --max-load", plan->delay_ms,
                     load_bps / 1e6, most_bps / 1e6);
}

int plan_make(struct plan *plan, const struct plan_wish *wish, enum layer_ip ip,
              uint32_t mtu_bytes, struct error *error)
{
    bool mix = wish->mix || (wish->length == 0 && !wish->classic);
    uint32_t length = wish->length != 0 ? wish->length : mix ? 1U << PLAN_LONG_LOG2 : 2;
    uint32_t size_bytes;

    *plan = (struct plan){.layer = wish->layer, .ip = ip, .mtu_bytes = mtu_bytes, .mix = mix,
                          .paper = wish->classic || (!mix && length == 2),
                          .classic = wish->classic, .tagged = wish->tagged};
    size_bytes = wish->size_bytes != 0 ? wish->size_bytes : default_size(plan, mtu_bytes);
    if (fit(plan, &plan->train, size_bytes, length, mtu_bytes, error) != 0 ||
        (mix && fit_mix(plan, size_bytes, mtu_bytes, error) != 0))
        return -1;
    set_delays(plan, wish->delay_ms);
    return check_load(plan, wish->load_most_bps, error);
}

/* The mix's pairs in turn. */
static const struct plan_shape *pair_shape(const struct plan *plan, uint32_t pair)
{
    switch (pair % (PLAN_CYCLE - 1)) {
    case 2: return &plan->near_pair;
    case 4: return &plan->half_pair;
    default: return &plan->pair;
    }
}

const struct plan_shape *plan_shape(const struct plan *plan, uint32_t train)
{
    uint32_t turn = (train - PLAN_START) % PLAN_CYCLE;

    if (!plan->mix)
        return &plan->train;
    if (train < PLAN_START)
        return train % 2 == 1 ? &plan->shorts[train / 2] : pair_shape(plan, train / 2);
    return turn == 0 ? &plan->train : pair_shape(plan, turn - 1);
}

double plan_delay_ms(const struct plan *plan, uint32_t train)
{
    return plan->mix && train < PLAN_START ? plan->start_delay_ms : plan->delay_ms;
}

uint32_t plan_longest(const struct plan *plan)
{
    return 1U << plan->train.length_log2;
}

double plan_load_bps(const struct plan *plan, const struct layer *layer)
{
    return mean_bits(plan, layer, PLAN_START, PLAN_CYCLE) / (plan->delay_ms / 1000);
}

int plan_check_rate(const struct plan *plan, double device_bps, struct error *error)
{
    struct layer wire = {.kind = LAYER_WIRE};
    double load_bps = plan_load_bps(plan, &wire);
    uint32_t longest = plan_longest(plan);
    double leaving_ms = TRAIN_COST_MS + longest * PACKET_COST_MS;

    if (leaving_ms > plan->delay_ms)
        return error_set(error, "-d %g: a train of %u packets takes about %g ms to leave: want a "
                                "longer delay or a shorter train", plan->delay_ms, longest,
                         leaving_ms);
    if (device_bps > 0 && load_bps > device_bps)
        return error_set(error, "-d %g: that is %.4g Mbit/s on average, and the device carries "
                                "%.4g: want a longer delay", plan->delay_ms, load_bps / 1e6,
                         device_bps / 1e6);
    return 0;
}

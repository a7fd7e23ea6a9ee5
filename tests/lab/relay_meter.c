/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay_meter.h"

void meter_not_before(struct meter *meter, int64_t now_ns)
{
    if (meter->ns < now_ns) {
        meter->ns = now_ns;
        meter->carry = 0;
    }
}

void meter_add(struct meter *meter, uint64_t bytes)
{
    if (meter->rate_bps == 0)
        return;
    uint64_t parts = bytes * 8 * METER_NS_PER_S + meter->carry;
    meter->ns += (int64_t)(parts / meter->rate_bps);
    meter->carry = parts % meter->rate_bps;
}

void bucket_init(struct bucket *bucket, uint64_t rate_bps, uint64_t depth_bytes)
{
    struct meter depth = { .rate_bps = rate_bps };
    meter_add(&depth, depth_bytes);
    *bucket = (struct bucket){ .fill.rate_bps = rate_bps, .depth_ns = depth.ns };
}

int64_t bucket_take(struct bucket *bucket, uint64_t bytes, int64_t now_ns)
{
    if (bucket->fill.rate_bps == 0)
        return now_ns;
    meter_not_before(&bucket->fill, now_ns);
    meter_add(&bucket->fill, bytes);
    int64_t enough_ns = bucket->fill.ns - bucket->depth_ns;
    return enough_ns > now_ns ? enough_ns : now_ns;
}

bool bucket_try(struct bucket *bucket, uint64_t bytes, int64_t now_ns)
{
    struct bucket after = *bucket;
    if (bucket_take(&after, bytes, now_ns) > now_ns)
        return false;
    *bucket = after;
    return true;
}

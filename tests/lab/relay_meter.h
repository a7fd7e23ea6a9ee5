/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rates in virtual time, and token buckets. Nanoseconds are whole; what a division leaves over
 * is carried to the next frame, so that rates are exact over any length.
 */
#ifndef RELAY_METER_H
#define RELAY_METER_H

#include <stdbool.h>
#include <stdint.h>

enum { METER_NS_PER_S = 1000000000 };

/* A clock that advances by bits at a rate without losing the fraction. */
struct meter {
    uint64_t rate_bps; /* 0: infinite */
    int64_t ns;
    uint64_t carry; /* of 1/rate_bps ns */
};

/* Whoever has been idle until now starts with a clean fraction. */
static inline void meter_not_before(struct meter *meter, int64_t now_ns)
{
    if (meter->ns < now_ns) {
        meter->ns = now_ns;
        meter->carry = 0;
    }
}

static inline void meter_add(struct meter *meter, uint64_t bytes)
{
    if (meter->rate_bps == 0)
        return;
    uint64_t parts = bytes * 8 * METER_NS_PER_S + meter->carry;
    meter->ns += (int64_t)(parts / meter->rate_bps);
    meter->carry = parts % meter->rate_bps;
}

/* Full at fill.ns, and empty one depth before that; rate 0: there is no bucket. */
struct bucket {
    struct meter fill;
    int64_t depth_ns;
};

static inline void bucket_init(struct bucket *bucket, uint64_t rate_bps, uint64_t depth_bytes)
{
    struct meter depth = {.rate_bps = rate_bps};
    meter_add(&depth, depth_bytes);
    *bucket = (struct bucket){.fill.rate_bps = rate_bps, .depth_ns = depth.ns};
}

/* Takes tokens for so many bytes; returns when they are there, now_ns at the earliest. */
static inline int64_t bucket_take(struct bucket *bucket, uint64_t bytes, int64_t now_ns)
{
    if (bucket->fill.rate_bps == 0)
        return now_ns;
    meter_not_before(&bucket->fill, now_ns);
    meter_add(&bucket->fill, bytes);
    int64_t enough_ns = bucket->fill.ns - bucket->depth_ns;
    return enough_ns > now_ns ? enough_ns : now_ns;
}

/* Takes them if they are there now, else none. */
static inline bool bucket_try(struct bucket *bucket, uint64_t bytes, int64_t now_ns)
{
    struct bucket after = *bucket;
    if (bucket_take(&after, bytes, now_ns) > now_ns)
        return false;
    *bucket = after;
    return true;
}

#endif

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
void meter_not_before(struct meter *meter, int64_t now_ns);
void meter_add(struct meter *meter, uint64_t bytes);

/* Full at fill.ns, and empty one depth before that; rate 0: there is no bucket. */
struct bucket {
    struct meter fill;
    int64_t depth_ns;
};

void bucket_init(struct bucket *bucket, uint64_t rate_bps, uint64_t depth_bytes);

/* Takes tokens for so many bytes; returns when they are there, now_ns at the earliest. */
int64_t bucket_take(struct bucket *bucket, uint64_t bytes, int64_t now_ns);

/* Takes them if they are there now, else none. */
bool bucket_try(struct bucket *bucket, uint64_t bytes, int64_t now_ns);

#endif

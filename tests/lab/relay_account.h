/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What became of each marked frame, kept in memory and written at the end: so that a receiver's
 * account of delays and losses can be held against the relay's.
 */
#ifndef RELAY_ACCOUNT_H
#define RELAY_ACCOUNT_H

#include <stdint.h>
#include <stdio.h>

enum { ACCOUNT_FRAMES = 1 << 18 }; /* the first so many */

struct account_frame {
    int64_t arrival_ns;
    int64_t sent_ns; /* 0: it was not */
    uint32_t bytes;  /* Ethernet frame as captured */
};

struct account {
    struct account_frame *frames; /* NULL: nobody wants it */
    uint64_t count;
};

/* 0, or -1 when out of memory, all of which is touched. */
int account_init(struct account *account);
void account_fini(struct account *account);

/* Marked frames in the order that they come in; then, by index, when one leaves. */
void account_arrival(struct account *account, uint32_t bytes, int64_t arrival_ns);
void account_sent(struct account *account, uint64_t index, int64_t sent_ns);

/* A line a frame: arrival, when it was sent ("-": never), bytes. */
void account_write(const struct account *account, FILE *out);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* A point in time that remembers which clock read it and where. */
#ifndef COMMON_STAMP_H
#define COMMON_STAMP_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define STAMP_NS_PER_S INT64_C(1000000000)
#define STAMP_NS_PER_MS INT64_C(1000000)
#define STAMP_NS_PER_US INT64_C(1000)

/* Hosts and their adapters may space packets so far apart themselves. */
#define STAMP_HOSTS_GAP_NS (50 * STAMP_NS_PER_US)

/* Clocks whose readings may not be subtracted from one another. */
enum stamp_clock {
    STAMP_CLOCK_NONE,
    STAMP_CLOCK_REALTIME, /* CLOCK_REALTIME of this host */
    STAMP_CLOCK_ADAPTER,  /* the network adapter's own clock */
    STAMP_CLOCK_OTHER     /* whatever a capture or a caller's transport used */
};

/* Who read the clock, from the most to the least trustworthy. */
enum stamp_source {
    STAMP_SOURCE_NONE,
    STAMP_SOURCE_HARDWARE, /* the adapter, at the wire */
    STAMP_SOURCE_KERNEL,   /* the driver's entry into the network stack */
    STAMP_SOURCE_PCAP,     /* a capture record */
    STAMP_SOURCE_USER      /* this program, when it was told */
};

/* ns: since the clock's epoch. */
struct stamp {
    int64_t ns;
    uint8_t clock;  /* enum stamp_clock */
    uint8_t source; /* enum stamp_source */
};

static inline int64_t stamp_from_timespec(const struct timespec *time)
{
    return (int64_t)time->tv_sec * STAMP_NS_PER_S + time->tv_nsec;
}

static inline struct timespec stamp_to_timespec(int64_t ns)
{
    struct timespec time = {.tv_sec = (time_t)(ns / STAMP_NS_PER_S), .tv_nsec = (long)(ns % STAMP_NS_PER_S)};
    return time;
}

#ifndef _WIN32 /* where there are no such clocks, and nobody asks for one */
/* CLOCK_REALTIME or CLOCK_MONOTONIC now, in ns: to 2038 and beyond in units whose own time_t
 * ends there, too. */
int64_t stamp_now_ns(clockid_t clock);
#endif

/* *elapsed_ns = later - earlier; false, and nothing written, when the two were
 * not read from one known clock. */
static inline bool stamp_elapsed(struct stamp earlier, struct stamp later, int64_t *elapsed_ns)
{
    if (earlier.clock != later.clock || earlier.clock == STAMP_CLOCK_NONE)
        return false;
    *elapsed_ns = later.ns - earlier.ns;
    return true;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What one train says: the value every filter takes. */
#ifndef FILTERS_SAMPLE_H
#define FILTERS_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLE_UNKNOWN_NS INT64_MIN /* a time or span that nobody told */
#define SAMPLE_SPAN_OVER_NS                                                                                  \
    INT64_C(0xffffffff) /* a departure span of this or more:
                                                   how much more, nobody told */

/* The rate of a train is trusted for capacity as far as its verdict says. */
enum sample_verdict {
    VERDICT_OK,
    VERDICT_COMPRESSED,     /* queued after the narrow link: reads too high */
    VERDICT_EXPANDED,       /* cross traffic got in between: reads too low */
    VERDICT_PARTIAL,        /* packets, or all gaps, missing; its intact runs are used */
    VERDICT_REORDERED,      /* out of order; its intact runs are used */
    VERDICT_SENDER_LIMITED, /* arrived as it left: a lower bound */
    VERDICT_BATCHED,        /* the receiver stamped it in batches */
    VERDICT_LATE,           /* arrived after later trains were done with */
    VERDICT_FOREIGN_SIZE,   /* not the length asked for, or of mixed sizes */
    VERDICT_REACH,          /* its inner packets were to die on the way: it tells of the links
                               up to there, and nothing of the whole path */
    VERDICT_COUNT
};

/* Packets of the longest train, and of the shortest long one: fewer make no curve and have no inside, and show the
 * capacity rather than the asymptotic dispersion rate (PAPER: trains of 8, 16 and 32). */
enum { SAMPLE_PACKETS_MOST = 256, SAMPLE_LONG = 8 };

/* What is older says nothing of now. */
#define SAMPLE_HORIZON_S 300.0

/* No packet of others is longer than an Ethernet frame, and none is smaller. */
#define FRAME_MOST_BYTES 1518.0
#define FRAME_LEAST_BYTES 64

/* One packet of a train. Duplicates are not listed. */
struct sample_packet {
    int64_t offset_ns; /* arrival since the train's first arrival */
    uint32_t bytes;    /* at the configured layer */
    uint16_t position; /* in the train, from 0 */
    bool follows;      /* nothing of the stream arrived between this packet and
                          the one of position - 1, and one clock stamped both:
                          the gap before it is evidence */
};

/* A train, from its packets in the order of arrival. packets stays valid
 * during the call only that hands the sample over. */
struct sample {
    int64_t time_ns;                     /* arrival of the first packet */
    int64_t sent_ns;                     /* when the sender handed the train over, its clock */
    int64_t departure_span_ns;           /* first to last departure, all of the train */
    uint32_t train;                      /* number in the stream */
    uint16_t sent;                       /* packets in the train */
    uint16_t received;                   /* distinct packets that arrived */
    uint32_t packet_bytes;               /* of its first packet, at the layer */
    const struct sample_packet *packets; /* [received] */

    /* Of a train whose inner packets (its load) were to die on the way; else 0. */
    uint8_t load_hops;   /* their hop limit as sent: the links that they cross */
    uint8_t marker_hops; /* the first and last packet's (its markers') as sent ... */
    uint8_t hops_left;   /* ... and as they came; 0: not known, or not the same in both */
    uint32_t load_bytes; /* of an inner packet, at the layer */

    /* Filled by dispersion_measure(). */
    uint32_t gaps;       /* intact gaps: sent - 1 for a whole train */
    uint64_t span_bytes; /* bytes that these gaps carried */
    int64_t span_ns;     /* time that these gaps took */
    double rate_bps;     /* span_bytes * 8 / span_ns, or 0 when there is none */
    enum sample_verdict verdict;
};

/* Times may be absurd, as a sender, a file or a program tells them, so that 64 bits do not hold their difference, or
 * their sum: it is absurd too, but there is one. */
static inline int64_t sample_difference_ns(int64_t a_ns, int64_t b_ns)
{
    return (int64_t)((uint64_t)a_ns - (uint64_t)b_ns);
}

static inline int64_t sample_sum_ns(int64_t a_ns, int64_t b_ns)
{
    return (int64_t)((uint64_t)a_ns + (uint64_t)b_ns);
}

/* Whether its departure span is known, and not just longer than can be told. */
static inline bool sample_departure_known(const struct sample *sample)
{
    return sample->departure_span_ns != SAMPLE_UNKNOWN_NS && sample->departure_span_ns < SAMPLE_SPAN_OVER_NS;
}

/* Cross traffic gets in between while a train enters the queue, and stretches it by up to
 * C / R of its length, R being the rate it came with. A larger share of the time a train took,
 * spent on leaving, is too much to guess at. */
#define DEPARTED_MOST 0.2

/* A sender that took as long as half of the train did perhaps made what that shows. */
#define DEPARTED_HALF 0.5

#endif

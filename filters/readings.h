/* SPDX-License-Identifier: BSD-3-Clause */
/* Two points of a train, as a record of what the path did between them; the last
 * so many of them. */
#ifndef FILTERS_READINGS_H
#define FILTERS_READINGS_H

#include "filters/noise.h"
#include "filters/sample.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define READING_UNTOLD INT16_MIN
#define READING_BYTES 0xffffff /* room for 256 of the longest datagrams */

struct reading {
    double at_s;         /* when it was sent (or, if that is unknown, arrived) */
    double delay_ns;     /* of the first point, from sending to arrival, both clocks in
                         it: only differences mean something; NAN: unknown */
    float gap_ns;        /* from the first point to the second */
    float last_ns;       /* the last gap of its train; NAN: there is no other. Of a whole one as
                         if all had taken what most of its later gaps do */
    uint32_t bytes : 24; /* that passed in this time */
    bool limited : 1;    /* by the sender: it arrived as it left */
    bool batched : 1;    /* the train has a gap that is no spacing */
    bool at_once : 1;    /* it left in a fifth of the time, or in less, as is told */
    bool longer : 1;     /* the train is long enough for a curve */
    bool behind : 1;     /* it came right behind the train before it: what it waited for is ours */
    uint16_t segment;    /* of the clocks: it changes when one of them is set */
    union {
        int16_t spread_8ns; /* of a pair, how much more it came apart than it left, in units of 8 ns;
                               READING_UNTOLD: by far more, or not told, or no pair */
        struct {
            uint8_t behind_sent; /* of a whole train, packets behind the first that left ... */
            uint8_t behind_came; /* ... and that came */
        } whole;
    };
};

/* A ring in its caller's memory. */
struct readings {
    bool trains; /* whole long ones; otherwise the first two packets of each */
    unsigned room;
    unsigned count;
    unsigned oldest;
    struct reading ring[];
};

/* Where in the ring that one is, counted from the oldest. */
static inline unsigned readings_slot(const struct readings *readings, unsigned i)
{
    unsigned slot = readings->oldest + i;

    return slot < readings->room ? slot : slot - readings->room;
}

size_t readings_bytes(unsigned room);
void readings_init(struct readings *readings, unsigned room, bool trains);

/* Past room the oldest one goes. */
void readings_push(struct readings *readings, const struct reading *reading);

/* Pushes all readings of another one, the oldest first. */
void readings_copy(struct readings *to, const struct readings *from);

/* Forgets all but the last keep. */
void readings_keep(struct readings *readings, unsigned keep);

/* What was between the packets of such a pair when they left: its gap is no less (reading_bound()). */
static inline double reading_left_ns(const struct reading *reading)
{
    return reading->gap_ns - (reading->spread_8ns > 0 ? reading->spread_8ns * 8.0 : 0);
}

/* Its delay, free of the skew of the clocks, ns/s. */
static inline double reading_delay_ns(const struct reading *reading, double slope)
{
    return reading->delay_ns - slope * reading->at_s;
}

/* Whether its delay compares with others of the segment, and what it waited for is not ours. */
static inline bool reading_counts_wait(const struct reading *reading, uint16_t segment)
{
    return reading->segment == segment && !reading->behind && !isnan(reading->delay_ns);
}

/* By age, 0 being the oldest; i < count. */
static inline struct reading *readings_at(const struct readings *readings, unsigned i)
{
    return (struct reading *)&readings->ring[readings_slot(readings, i)];
}

/* The next younger one; NULL: there is none. */
static inline const struct reading *readings_next(const struct readings *readings,
                                                  const struct reading *reading)
{
    const struct reading *end = readings->ring + readings_slot(readings, readings->count);

    if (++reading == readings->ring + readings->room)
        reading = readings->ring;
    return reading != end ? reading : NULL;
}

/* From the oldest on, or from that index. */
#define EACH_READING(reading, readings) EACH_READING_FROM(reading, readings, 0)
#define EACH_READING_FROM(reading, readings, from)                                                           \
    for (const struct reading *reading = (from) < (readings)->count ? readings_at(readings, from) : NULL;    \
         reading != NULL; reading = readings_next(readings, reading))

/* Sizes that differ by no more than the few bytes that pptrans makes some pairs smaller. */
static inline bool sizes_alike(uint32_t a, uint32_t b)
{
    return (a > b ? a - b : b - a) <= b / 64;
}

/* Of a full packet, which others have: what is shorter is a smaller one. */
#define READING_SMALLER 0.9

/* The most bytes of a reading, from the index on; 0 when there is none. */
uint32_t readings_longest(const struct readings *readings, unsigned from);

/* Trains of no more than that a bucket may hold whole. */
static inline uint32_t readings_short_bytes(const struct readings *readings, unsigned from)
{
    return readings_longest(readings, from) / 2;
}

/* What more than half of some values are; if there is no such one, one of the frequent ones
 * (Boyer and Moore 1981). */
struct majority {
    uint32_t value;
    unsigned votes;
};

static inline void majority_add(struct majority *majority, uint32_t value)
{
    if (majority->votes == 0)
        majority->value = value;
    majority->votes = value == majority->value ? majority->votes + 1 : majority->votes - 1;
}

/* The bytes that most of the readings from the index on carried. 0 when there is no reading. Of trains those
 * half as long as the longest, or less, do not count: a bucket may hold them whole. */
uint32_t readings_commonest(const struct readings *readings, unsigned from);

/* What arrived as it left could have been closer, for all that the path did: where most
 * readings of so many bytes are of that kind they are a bound, and else they say nothing. */
bool readings_limited(const struct readings *readings, unsigned from, uint32_t least_bytes,
                      uint32_t most_bytes);

/* The segment that delays are to be compared in: the newest if it has enough
 * readings, or else the commonest. */
uint16_t readings_segment(const struct readings *readings, unsigned from);

/* Times of a stream, relative to its first train: small enough for a double to
 * keep fractions of a nanosecond. */
struct epoch {
    bool known;
    int64_t time_ns;
    int64_t sent_ns;
    int64_t ended_ns; /* arrival of the last packet of the newest train */
    /* The segment of the clocks that is current, and the one before it. */
    struct segment {
        uint16_t number;
        double floor_ns; /* its least delay */
    } segment, before;
    double last_ns;
    unsigned high; /* delays in a row far above the floor, since a jump of one train */
    double high_least_ns, high_most_ns;
};

/* A gap below a fifth of the mean is no spacing: packets came in a batch */
#define TINY_GAP 0.2

/* Stamps coarser than a quarter of a gap make tiny gaps by themselves. */
enum { BATCHED_TICKS = 4 };

/* Whether the train arrived as it left, or closer together. */
static inline bool reading_limited(const struct sample *sample)
{
    return sample->verdict == VERDICT_SENDER_LIMITED || sample->verdict == VERDICT_BATCHED;
}

/* What arrives closer together than it left was held back once it had passed the path: the
 * path is told no faster than the departure. Of a whole train. */
void reading_bound(struct reading *reading, const struct sample *sample);

/* The first two packets of the train; false when they did not arrive one after
 * the other, or with no time between them; then only its times are told. */
bool reading_of_head(struct epoch *epoch, const struct sample *sample, const struct noise *noise,
                     struct reading *reading);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "ration.h"

#include "common/stamp.h"

/* A summary must fit even where the rate is low. */
enum { DEPTH_LEAST_BYTES = 16384 };

#define TELL_NS (10 * STAMP_NS_PER_S)
/* Of one source's strangers: never so much at once that half of the room is gone. */
#define SOURCE_RATE 0.75
#define SOURCE_DEPTH 0.25

void ration_init(struct ration *ration, uint32_t rate_bytes, int64_t now_ns)
{
    double depth_bytes = rate_bytes > DEPTH_LEAST_BYTES ? rate_bytes : DEPTH_LEAST_BYTES;

    *ration = (struct ration){
        .rate_bytes = rate_bytes,
        .depth_bytes = depth_bytes,
        .room = {depth_bytes, now_ns},
        .told_ns = now_ns - TELL_NS,
    };
    for (size_t i = 0; i < RATION_SOURCES; i++)
        ration->sources[i] = (struct room){SOURCE_DEPTH * depth_bytes, now_ns};
}

void room_refill(struct room *room, double rate_bytes, double most_bytes, int64_t now_ns)
{
    room->bytes += rate_bytes * (double)(now_ns - room->now_ns) / STAMP_NS_PER_S;
    room->bytes = room->bytes < most_bytes ? room->bytes : most_bytes;
    room->now_ns = now_ns;
}

bool room_take(struct room *room, double bytes)
{
    if (room->bytes < bytes)
        return false;
    room->bytes -= bytes;
    return true;
}

/* By address, of IPv6 by its network of 64 bits, as one host has all of that. Those that meet
 * in a place share it, which costs no more than some rows of strangers. */
static size_t ration_place_of(const struct pprec_endpoint *source)
{
    uint32_t hash = 2166136261; /* FNV-1a */

    for (size_t i = 0; i < (source->ip == 4 ? 4U : 8U); i++)
        hash = (hash ^ source->address[i]) * 16777619;
    return (hash ^ hash >> 16) % RATION_SOURCES;
}

static bool take_of_source(struct ration *ration, const struct pprec_endpoint *source, double bytes,
                           int64_t now_ns)
{
    struct room *room = &ration->sources[ration_place_of(source)];

    room_refill(room, SOURCE_RATE * ration->rate_bytes, SOURCE_DEPTH * ration->depth_bytes, now_ns);
    return room_take(room, bytes);
}

static bool leave_out(struct ration *ration)
{
    ration->left_out++;
    ration->untold++;
    return false;
}

bool ration_take(struct ration *ration, const struct pprec_endpoint *source, double standing, size_t bytes,
                 int64_t now_ns)
{
    double need_bytes = (double)bytes;
    double kept_bytes = (1 - standing) * ration->depth_bytes / 2;

    if (ration->rate_bytes <= 0)
        return true;
    room_refill(&ration->room, ration->rate_bytes, ration->depth_bytes, now_ns);
    if (ration->room.bytes < need_bytes + kept_bytes
        || (standing <= 0 && !take_of_source(ration, source, need_bytes, now_ns)))
        return leave_out(ration);
    return room_take(&ration->room, need_bytes);
}

uint64_t ration_untold(struct ration *ration, int64_t now_ns)
{
    uint64_t untold = ration->untold;

    if (untold == 0 || now_ns - ration->told_ns < TELL_NS)
        return 0;
    ration->untold = 0;
    ration->told_ns = now_ns;
    return untold;
}

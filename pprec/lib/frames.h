/* SPDX-License-Identifier: BSD-3-Clause */
/* What is remembered of a stream of video frames beside its filter: frames are short, their sender
 * may space them, and a bucket may have room for them. */
#ifndef PPREC_LIB_FRAMES_H
#define PPREC_LIB_FRAMES_H

#include "filters/estimate.h"
#include "filters/filter.h"
#include "pprec/lib/heads.h"

#include <stdbool.h>
#include <stdint.h>

struct frames {
    struct heads heads;
    bool timed;             /* some frame has told how it left */
    uint8_t untimed;        /* frames that must tell it yet before that counts as known */
    uint8_t paced;          /* of the last frames those that look so */
    uint32_t packet_bytes;  /* of the last frame */
    uint32_t nominal_bytes; /* of the first */

    int64_t last_ns;
    int64_t carried_since_ns; /* since when bytes came, ... */
    uint64_t carried_bytes;   /* ... so many ... */
    double carried_bps;       /* ... and at what rate they did before; 0: not known */
};

void frames_init(struct frames *frames);

/* A packet came. */
void frames_carry(struct frames *frames, int64_t now_ns, uint32_t bytes);

/* Gives the filter what of a measured frame says something of the path; the verdict is that of this
 * part. window: of the filter's state. */
void frames_push(struct frames *frames, const struct filter *filter, void *state, unsigned window,
                 struct sample *sample);

/* The filter's estimate as far as it is the path's: else a bound, or in doubt. */
void frames_tell(const struct frames *frames, struct estimate *estimate);

#endif

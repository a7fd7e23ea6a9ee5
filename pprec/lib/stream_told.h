/* SPDX-License-Identifier: BSD-3-Clause */
/* What a stream tells of its capacity. */
#ifndef PPREC_LIB_STREAM_TOLD_H
#define PPREC_LIB_STREAM_TOLD_H

#include "filters/estimate.h"
#include "pprec/core.h"
#include "pprec/lib/stream_state.h"

/* The estimate after the last train: cheap enough to be asked for every packet. */
struct pprec_capacity stream_capacity(const struct stream *stream);

/* The same as the filters have it. */
struct estimate stream_estimate(const struct stream *stream);

/* An estimate of its path as it is told: what is in doubt of the stream is of the path. NULL: as it is. */
struct pprec_capacity stream_told(const struct stream *stream, const struct estimate *estimate);

/* An estimate in the library's words. */
struct pprec_capacity stream_capacity_of(const struct estimate *estimate);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What is free on the path of a stream, beside its filter (filters/available.h): for streams whose
 * trains tell when they left. It is computed when somebody asks, at most once per train. */
#ifndef PPREC_LIB_AVAILABLE_H
#define PPREC_LIB_AVAILABLE_H

#include "filters/available_estimate.h"
#include "filters/sample.h"
#include "pprec/core.h"

struct stream;

/* Before a packet is taken: memory, if this is a stream that has use for it and there is enough to
 * spare. Without any nothing is told. */
void stream_available_prepare(struct stream *stream, const struct pprec_arrival *arrival);

/* The stream has a train, measured but not told to its filter, which may cut it. */
void stream_available_push(struct stream *stream, const struct sample *sample);

/* All is forgotten; the memory stays. */
void stream_available_reset(struct stream *stream);
void stream_available_fini(struct stream *stream);

/* After the last train. stream NULL: nothing is known. */
struct pprec_available stream_available(const struct stream *stream);

/* The same, as the estimator tells it. */
void stream_available_read(const struct stream *stream, struct available_estimate *result);

/* The same, or as it was up to a second before: for who is told often, for it is much work. */
struct pprec_available stream_available_lately(const struct stream *stream);

#endif

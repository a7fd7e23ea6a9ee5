/* SPDX-License-Identifier: BSD-3-Clause */
/* The links of a path one by one, from trains whose load dies on the way (filters/hops.h, filters/tight.h).
 * Computed when somebody asks: work for a summary, not for a train. */
#ifndef PPREC_LIB_REACH_H
#define PPREC_LIB_REACH_H

#include "filters/hops_estimate.h"
#include "filters/sample.h"
#include "filters/tight_estimate.h"

struct stream;

/* The stream has such a train; sets its span. Without memory nothing is kept. */
void stream_reach_push(struct stream *stream, struct sample *sample);

/* What trains showed is forgotten; the memory stays. */
void stream_reach_reset(struct stream *stream);
void stream_reach_fini(struct stream *stream);

/* All zero without trains of that kind. */
void stream_reach_tell(const struct stream *stream, struct hops_estimate *hops, struct tight_estimate *tight);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams by the order in which a handle has them. */
#ifndef TESTS_UNIT_ASK_H
#define TESTS_UNIT_ASK_H

#include "pprec/core.h"

static inline int ask_summary(const struct pprec *pprec, size_t index, struct pprec_summary *summary)
{
    struct pprec_endpoint source;
    uint32_t stream;

    if (pprec_stream_at(pprec, index, &source, &stream) < 0)
        return PPREC_EINVAL;
    return pprec_get_summary(pprec, &source, stream, summary);
}

static inline int ask_interval(struct pprec *pprec, size_t index, struct pprec_cursor *cursor,
                               struct pprec_summary *summary)
{
    struct pprec_endpoint source;
    uint32_t stream;

    if (pprec_stream_at(pprec, index, &source, &stream) < 0)
        return PPREC_EINVAL;
    return pprec_get_interval(pprec, &source, stream, cursor, summary);
}

#endif

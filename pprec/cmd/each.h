/* SPDX-License-Identifier: BSD-3-Clause */
/* One stream after the other. */
#ifndef PPREC_CMD_EACH_H
#define PPREC_CMD_EACH_H

#include "pprec/pprec.h"

#include <stdbool.h>

/* The summary of the stream at index; false past the last. */
static inline bool each_summary(const struct pprec *pprec, size_t index, struct pprec_summary *summary)
{
    struct pprec_endpoint source;
    uint32_t stream;

    return pprec_stream_at(pprec, index, &source, &stream) == PPREC_OK
        && pprec_get_summary(pprec, &source, stream, summary) == PPREC_OK;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands behind struct pprec. */
#ifndef PPREC_LIB_HANDLE_H
#define PPREC_LIB_HANDLE_H

#include "common/error.h"
#include "common/receive.h"
#include "pprec/lib/streams.h"
#include "pprec/pprec.h"

#include <stdbool.h>
#include <stdint.h>

struct pprec {
    struct stream_settings settings;
    struct streams streams;
    void (*on_summary)(void *user, const struct pprec_summary *summary);
    bool classic;
    uint64_t foreign;
    uint64_t pushed_out; /* streams that went for want of room */
    uint8_t clock;       /* of the last arrival */
    struct {
        bool started;
        int64_t looked_ns; /* when trains were last looked over */
    } clocks[PPREC_CLOCK_OTHER + 1];
    struct error error;

    /* own socket: fd -1 without */
    struct receive_socket socket;
    struct receive *receive;
    struct pprec_stamp newest;    /* of the packets read */
    int64_t newest_monotonic_ns;  /* when it was read */
};

/* The stream of that name, added if need be; NULL when memory runs out. */
struct stream *handle_stream(struct pprec *pprec, const struct pprec_endpoint *source,
                             uint32_t id);

/* It is now_ns on that clock: ends trains stamped by it that will not complete. */
void handle_look_over(struct pprec *pprec, uint8_t clock, int64_t now_ns);

#endif

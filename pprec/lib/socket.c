/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's own socket as a source of arrivals. */
#include "common/stamp.h"
#include "pprec/lib/handle.h"

#include <errno.h>
#include <string.h>

enum { BUFFER_DEFAULT_BYTES = 4 << 20 };

_Static_assert(PPREC_TIMESTAMPS_USER == (int)STAMP_SOURCE_USER, "stamp sources");
_Static_assert(PPREC_TIMESTAMPS_HARDWARE == (int)STAMP_SOURCE_HARDWARE, "stamp sources");
_Static_assert(PPREC_CLOCK_REALTIME == (int)STAMP_CLOCK_REALTIME, "clocks");
_Static_assert(PPREC_CLOCK_OTHER == (int)STAMP_CLOCK_OTHER, "clocks");

void pprec_socket_options_init(struct pprec_socket_options *options)
{
    *options = (struct pprec_socket_options){
        .struct_bytes = sizeof *options,
        .timestamps = PPREC_TIMESTAMPS_KERNEL,
        .buffer_bytes = BUFFER_DEFAULT_BYTES,
    };
}

static const char *fault_of(const struct pprec *pprec, const struct pprec_socket_options *options)
{
    if (options->struct_bytes != sizeof *options)
        return "socket options not set up by pprec_socket_options_init()";
    if (pprec->socket.fd >= 0)
        return "this handle listens already";
    if (options->ip != 0 && options->ip != 4 && options->ip != 6)
        return "ip: want 4, 6, or 0 for both";
    if (options->timestamps != PPREC_TIMESTAMPS_KERNEL
        && options->timestamps != PPREC_TIMESTAMPS_HARDWARE
        && options->timestamps != PPREC_TIMESTAMPS_USER)
        return "a socket's timestamps are kernel, hardware or user";
    return NULL;
}

int pprec_listen(struct pprec *pprec, const struct pprec_socket_options *options)
{
    const char *fault = fault_of(pprec, options);
    struct receive_options receive = {
        .port = options->port,
        .ip = options->ip,
        .interface_name = options->interface_name,
        .timestamps = (enum stamp_source)options->timestamps,
        .buffer_bytes = options->buffer_bytes,
    };

    if (fault != NULL) {
        error_set(&pprec->error, "%s", fault);
        return PPREC_EINVAL;
    }
    if (pprec->receive == NULL)
        pprec->receive = receive_new();
    if (pprec->receive == NULL) {
        error_set(&pprec->error, "no memory to receive into");
        return PPREC_ENOMEM;
    }
    return receive_open(&pprec->socket, &receive, &pprec->error) < 0 ? PPREC_EIO : PPREC_OK;
}

int pprec_fd(const struct pprec *pprec)
{
    return pprec->socket.fd;
}

int pprec_buffer_bytes(const struct pprec *pprec)
{
    return pprec->socket.buffer_bytes;
}

enum pprec_timestamps pprec_socket_timestamps(const struct pprec *pprec)
{
    return (enum pprec_timestamps)pprec->socket.timestamps;
}

uint64_t pprec_dropped_here(const struct pprec *pprec)
{
    return pprec->receive != NULL ? receive_dropped(pprec->receive) : 0;
}

static void endpoint_of(const struct receive_datagram *datagram, struct pprec_endpoint *endpoint)
{
    *endpoint = (struct pprec_endpoint){.port = datagram->port, .ip = 6};
    if (IN6_IS_ADDR_V4MAPPED(&datagram->source)) {
        endpoint->ip = 4;
        memcpy(endpoint->address, datagram->source.s6_addr + 12, 4);
    } else {
        memcpy(endpoint->address, datagram->source.s6_addr, 16);
    }
}

static void push_one(struct pprec *pprec, unsigned i)
{
    struct receive_datagram datagram;
    struct pprec_endpoint source;

    if (!receive_get(pprec->receive, i, &datagram)) {
        pprec->foreign++;
        return;
    }
    endpoint_of(&datagram, &source);
    pprec->newest = (struct pprec_stamp){datagram.stamp.ns, datagram.stamp.clock,
                                         datagram.stamp.source};
    pprec_push_datagram(pprec, &source, datagram.data, datagram.data_bytes,
                        datagram.payload_bytes, pprec->newest);
}

/* Time on the clock of the stamps, without reading it: the newest stamp, and how
 * long ago that was. So a step of that clock closes no train. */
static void tick_socket(struct pprec *pprec, int got)
{
    int64_t monotonic_ns = stamp_now_ns(CLOCK_MONOTONIC);

    if (got > 0)
        pprec->newest_monotonic_ns = monotonic_ns;
    else if (pprec->newest.clock != PPREC_CLOCK_NONE)
        handle_look_over(pprec, pprec->newest.clock,
                         pprec->newest.ns + monotonic_ns - pprec->newest_monotonic_ns);
}

/* Returns as receive_batch(). */
static int read_batch(struct pprec *pprec, unsigned most)
{
    int got = receive_batch(pprec->receive, &pprec->socket, most);

    if (got < 0)
        error_set(&pprec->error, "receiving: %s", strerror(errno));
    for (int i = 0; i < got; i++)
        push_one(pprec, (unsigned)i);
    return got;
}

int pprec_dispatch(struct pprec *pprec, unsigned datagrams_max)
{
    /* the time of reading stamps one packet, not a batch */
    unsigned most = pprec->socket.timestamps == STAMP_SOURCE_USER ? 1 : RECEIVE_BATCH;
    unsigned asked;
    int total = 0;
    int got;

    if (pprec->socket.fd < 0) {
        error_set(&pprec->error, "this handle does not listen");
        return PPREC_EINVAL;
    }
    do {
        unsigned left = datagrams_max - (unsigned)total;

        asked = datagrams_max != 0 && left < most ? left : most;
        got = read_batch(pprec, asked);
        total += got > 0 ? got : 0;
    } while (got == (int)asked && (unsigned)total != datagrams_max); /* fewer: none is left */
    tick_socket(pprec, total);
    return got < 0 ? PPREC_EIO : total;
}

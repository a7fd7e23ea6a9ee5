/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's own socket as a source of arrivals. */
#include "common/receive.h"
#include "pprec/lib/handle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct socket_source {
    struct source source;
    struct receive_socket socket;
    struct receive *receive;
    struct source_clock clock;
};

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

static const char *fault_of(const struct pprec_socket_options *options)
{
    if (options->struct_bytes != sizeof *options)
        return "socket options not set up by pprec_socket_options_init()";
    if (options->ip != 0 && options->ip != 4 && options->ip != 6)
        return "ip: want 4, 6, or 0 for both";
    if (options->timestamps != PPREC_TIMESTAMPS_KERNEL
        && options->timestamps != PPREC_TIMESTAMPS_HARDWARE
        && options->timestamps != PPREC_TIMESTAMPS_USER)
        return "a socket's timestamps are kernel, hardware or user";
    return NULL;
}

static void socket_free(struct source *source)
{
    struct socket_source *from = (struct socket_source *)source;

    if (from->socket.fd >= 0)
        close(from->socket.fd);
    receive_free(from->receive);
    free(from);
}

static uint64_t socket_dropped(const struct source *source)
{
    return receive_dropped(((const struct socket_source *)source)->receive);
}

/* --- Reading --- */

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

static void push_one(struct socket_source *from, struct pprec *pprec, unsigned i)
{
    struct receive_datagram datagram;
    struct pprec_endpoint source;

    if (!receive_get(from->receive, i, &datagram)) {
        pprec->foreign++;
        return;
    }
    endpoint_of(&datagram, &source);
    from->clock.newest = (struct pprec_stamp){datagram.stamp.ns, datagram.stamp.clock,
                                              datagram.stamp.source};
    pprec_push_datagram(pprec, &source, datagram.data, datagram.data_bytes,
                        datagram.payload_bytes, from->clock.newest);
}

/* Returns as receive_batch(). */
static int read_batch(struct socket_source *from, struct pprec *pprec, unsigned most)
{
    int got = receive_batch(from->receive, &from->socket, most);

    if (got < 0)
        error_set(&pprec->error, "receiving: %s", strerror(errno));
    for (int i = 0; i < got; i++)
        push_one(from, pprec, (unsigned)i);
    return got;
}

static int socket_dispatch(struct source *source, struct pprec *pprec, unsigned packets_max)
{
    struct socket_source *from = (struct socket_source *)source;
    /* the time of reading stamps one packet, not a batch */
    unsigned most = from->socket.timestamps == STAMP_SOURCE_USER ? 1 : RECEIVE_BATCH;
    unsigned asked;
    int total = 0;
    int got;

    do {
        unsigned left = packets_max - (unsigned)total;

        asked = packets_max != 0 && left < most ? left : most;
        got = read_batch(from, pprec, asked);
        total += got > 0 ? got : 0;
    } while (got == (int)asked && (unsigned)total != packets_max); /* fewer: none is left */
    source_clock_tick(&from->clock, pprec, total);
    return got < 0 ? PPREC_EIO : total;
}

static const struct source_ops socket_ops = {socket_free, socket_dispatch, socket_dropped};

/* --- Opening --- */

static struct socket_source *socket_new(void)
{
    struct socket_source *from = calloc(1, sizeof *from);

    if (from == NULL)
        return NULL;
    from->source.ops = &socket_ops;
    from->socket.fd = -1;
    from->receive = receive_new();
    if (from->receive != NULL)
        return from;
    free(from);
    return NULL;
}

static int open_socket(struct pprec *pprec, const struct receive_options *receive)
{
    struct socket_source *from = socket_new();

    if (from == NULL) {
        error_set(&pprec->error, "no memory to receive into");
        return PPREC_ENOMEM;
    }
    if (receive_open(&from->socket, receive, &pprec->error) < 0) {
        socket_free(&from->source);
        return PPREC_EIO;
    }
    from->source.fd = from->socket.fd;
    from->source.buffer_bytes = from->socket.buffer_bytes;
    from->source.timestamps = (enum pprec_timestamps)from->socket.timestamps;
    pprec->source = &from->source;
    return PPREC_OK;
}

int pprec_listen(struct pprec *pprec, const struct pprec_socket_options *options)
{
    const char *fault = fault_of(options);

    if (fault != NULL) {
        error_set(&pprec->error, "%s", fault);
        return PPREC_EINVAL;
    }
    if (source_check_none(pprec) < 0)
        return PPREC_EINVAL;
    return open_socket(pprec, &(struct receive_options){
        .port = options->port,
        .ip = options->ip,
        .interface_name = options->interface_name,
        .timestamps = (enum stamp_source)options->timestamps,
        .buffer_bytes = options->buffer_bytes,
    });
}

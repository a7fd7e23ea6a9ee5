/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's own socket as a source of arrivals. */
#include "common/prefix.h"
#include "common/receive.h"
#include "common/stamp.h"
#include "pprec/lib/intake.h"
#include "pprec/lib/datagram.h"
#include "pprec/lib/dispatch.h"
#include "pprec/lib/membership.h"
#include "pprec/lib/recognise.h"
#include "pprec/lib/sized.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct socket_source {
    struct source source;
    struct receive_socket socket;
    struct receive *receive;
    struct source_clock clock;
    struct prefix *sources; /* whose datagrams are taken; NULL: all */
    size_t sources_count;
    char interface_name[IF_NAMESIZE]; /* bound to it; "": to none */
    unsigned interface_index;
    struct membership *groups;
    struct flows *flows; /* NULL: nothing but probes is expected */
    int64_t kept_ns;     /* when interfaces were last looked at, CLOCK_MONOTONIC */
};

/* An interface that was taken out and put back in is noticed within this time. */
#define KEEP_NS STAMP_NS_PER_S

enum { BUFFER_DEFAULT_BYTES = 4 << 20 };

_Static_assert(PPREC_TIMESTAMPS_USER == (int)STAMP_SOURCE_USER, "stamp sources");
_Static_assert(PPREC_TIMESTAMPS_HARDWARE == (int)STAMP_SOURCE_HARDWARE, "stamp sources");
_Static_assert(PPREC_CLOCK_REALTIME == (int)STAMP_CLOCK_REALTIME, "clocks");
_Static_assert(PPREC_CLOCK_OTHER == (int)STAMP_CLOCK_OTHER, "clocks");

static const struct pprec_socket_options defaults = {
    .timestamps = PPREC_TIMESTAMPS_KERNEL,
    .buffer_bytes = BUFFER_DEFAULT_BYTES,
};

void pprec_socket_options_init_sized(struct pprec_socket_options *options, size_t struct_bytes)
{
    sized_write(options, struct_bytes, &defaults, sizeof defaults);
}

static int socket_check(struct pprec *pprec, struct pprec_socket_options *options,
                        const struct pprec_socket_options *given)
{
    *options = defaults;
    if (sized_read(options, sizeof *options, given) < 0)
        return handle_fail(pprec, PPREC_EINVAL, "socket options not set up by pprec_socket_options_init()");
    if (options->ip != 0 && options->ip != 4 && options->ip != 6)
        return handle_fail(pprec, PPREC_EINVAL, "ip %d: want 4, 6, or 0 for both", options->ip);
    if (options->timestamps != PPREC_TIMESTAMPS_KERNEL && options->timestamps != PPREC_TIMESTAMPS_HARDWARE
        && options->timestamps != PPREC_TIMESTAMPS_USER)
        return handle_fail(pprec, PPREC_EINVAL, "timestamps %u of a socket: want kernel, hardware or user",
                           (unsigned)options->timestamps);
    if (options->buffer_bytes < 1)
        return handle_fail(pprec, PPREC_EINVAL, "buffer_bytes %d: want 1 or more", options->buffer_bytes);
    return source_check_none(pprec);
}

static void socket_free(struct source *source, const struct memory *memory)
{
    struct socket_source *from = (struct socket_source *)source;

    if (from->socket.fd >= 0)
        close(from->socket.fd);
    while (from->groups != NULL) {
        struct membership *group = from->groups;

        from->groups = group->next;
        memory_put(memory, group);
    }
    flows_free(from->flows);
    memory_put(memory, from->sources);
    memory_put(memory, from->receive);
    memory_put(memory, from);
}

static uint64_t socket_dropped(const struct source *source)
{
    const struct socket_source *from = (const struct socket_source *)source;

    return receive_dropped(from->receive, &from->socket);
}

/* --- Reading --- */

static struct pprec_endpoint socket_endpoint_of(const struct in6_addr *address, uint16_t port)
{
    struct pprec_endpoint endpoint = {.port = port, .ip = 6};

    if (IN6_IS_ADDR_V4MAPPED(address)) {
        endpoint.ip = 4;
        memcpy(endpoint.address, address->s6_addr + 12, 4);
    } else {
        memcpy(endpoint.address, address->s6_addr, 16);
    }
    return endpoint;
}

static bool is_listed(const struct socket_source *from, const struct in6_addr *source)
{
    for (size_t i = 0; i < from->sources_count; i++)
        if (prefix_has(&from->sources[i], source))
            return true;
    return from->sources == NULL;
}

/* What others send is recognised as in a capture. */
static void push_one(struct socket_source *from, struct pprec *pprec, unsigned i)
{
    struct receive_datagram datagram;
    struct packet packet = {.arrival = {.sent_ns = PPREC_UNKNOWN_NS,
                                        .departure_span_ns = PPREC_UNKNOWN_NS,
                                        .departed_ns = PPREC_UNKNOWN_NS},
                            .protocol = PACKET_UDP};
    struct pprec_arrival *arrival = &packet.arrival;

    if (!receive_get(from->receive, i, &datagram)) {
        intake_of(pprec)->foreign++;
        return;
    }
    if (!is_listed(from, &datagram.source)) {
        intake_of(pprec)->refused[PPREC_REASON_SOURCE]++;
        return;
    }
    arrival->source = socket_endpoint_of(&datagram.source, datagram.port);
    if (!IN6_IS_ADDR_UNSPECIFIED(&datagram.destination))
        arrival->destination = socket_endpoint_of(&datagram.destination, from->socket.port);
    arrival->payload_bytes = (uint32_t)datagram.payload_bytes;
    arrival->hops_left = datagram.hops_left;
    arrival->received = from->clock.newest =
        (struct pprec_stamp){datagram.stamp.ns, datagram.stamp.clock, datagram.stamp.source};
    if (from->flows == NULL) {
        handle_push_datagram(pprec, arrival, datagram.data, datagram.data_bytes);
        return;
    }
    arrival->header_bytes = arrival->source.ip == 4 ? 28 : 48;
    packet.data = datagram.data;
    packet.data_bytes = datagram.data_bytes;
    recognise(pprec, from->flows, &packet, 0);
}

/* Returns as receive_batch(). */
static int socket_read_batch(struct socket_source *from, struct pprec *pprec, unsigned most)
{
    int got = receive_batch(from->receive, &from->socket, most);

    if (got < 0)
        error_set(&intake_of(pprec)->error, "receiving: %s", strerror(errno));
    for (int i = 0; i < got; i++)
        push_one(from, pprec, (unsigned)i);
    return got;
}

/* To the kernel, an interface that comes back under its name is another one. Binding to it anew needs
 * CAP_NET_RAW. */
static void keep_interface(struct socket_source *from)
{
    unsigned index = if_nametoindex(from->interface_name);

    if (index == 0 || index == from->interface_index)
        return;
    if (setsockopt(from->socket.fd, SOL_SOCKET, SO_BINDTODEVICE, from->interface_name,
                   (socklen_t)strlen(from->interface_name))
        == 0)
        from->interface_index = index;
}

static void keep_interfaces(struct socket_source *from)
{
    int64_t now_ns = stamp_now_ns(CLOCK_MONOTONIC);

    if (now_ns - from->kept_ns < KEEP_NS)
        return;
    from->kept_ns = now_ns;
    if (from->interface_name[0] != '\0')
        keep_interface(from);
    for (struct membership *group = from->groups; group != NULL; group = group->next)
        membership_keep(group, from->socket.fd);
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
        got = socket_read_batch(from, pprec, asked);
        total += got > 0 ? got : 0;
    } while (got == (int)asked && (unsigned)total != packets_max); /* fewer: none is left */
    source_clock_tick(&from->clock, pprec, total);
    keep_interfaces(from);
    return got < 0 ? PPREC_EIO : total;
}

static const struct source_ops socket_ops = {socket_free, socket_dispatch, socket_dropped};

/* --- Opening --- */

static int socket_no_memory(struct pprec *pprec)
{
    return handle_fail(pprec, PPREC_ENOMEM, "no memory to receive into");
}

static struct socket_source *socket_new(const struct memory *memory)
{
    struct socket_source *from = memory_get(memory, sizeof *from);

    if (from == NULL)
        return NULL;
    from->source.ops = &socket_ops;
    from->socket.fd = -1;
    from->receive = memory_get(memory, receive_bytes());
    if (from->receive == NULL) {
        memory_put(memory, from);
        return NULL;
    }
    receive_init(from->receive);
    return from;
}

/* What comes to a port may be private, so kinds other than probes are looked for only on request. */
static int expect_media(struct socket_source *from, struct pprec *pprec)
{
    if (!intake_of(pprec)->expect_asked || intake_of(pprec)->expect == 1U << PPREC_KIND_PROBE)
        return PPREC_OK;
    from->flows = flows_new(intake_of(pprec)->memory, intake_of(pprec)->hash, FLOWS_CAPTURED, true);
    return from->flows != NULL ? PPREC_OK : socket_no_memory(pprec);
}

/* Returns 0, PPREC_EINVAL or PPREC_ENOMEM. */
static int list_sources(struct socket_source *from, struct pprec *pprec, const char *const *sources)
{
    struct error error;
    size_t count = 0;

    if (sources == NULL)
        return 0;
    while (sources[count] != NULL)
        count++;
    from->sources = memory_get(intake_of(pprec)->memory, (count + 1) * sizeof *from->sources);
    if (from->sources == NULL)
        return socket_no_memory(pprec);
    for (; from->sources_count < count; from->sources_count++) {
        const char *text = sources[from->sources_count];

        if (prefix_parse(&from->sources[from->sources_count], text, &error) < 0)
            return handle_fail(pprec, PPREC_EINVAL, "source '%.80s': %s", text, error.text);
    }
    return 0;
}

static int socket_open_socket(struct pprec *pprec, const struct receive_options *receive,
                              const char *const *sources)
{
    const struct memory *memory = intake_of(pprec)->memory;
    struct socket_source *from = socket_new(memory);
    int status = from != NULL ? list_sources(from, pprec, sources) : socket_no_memory(pprec);

    if (status == 0)
        status = expect_media(from, pprec);
    if (status < 0) {
        if (from != NULL)
            socket_free(&from->source, memory);
        return status;
    }
    if (receive_open(&from->socket, receive, &intake_of(pprec)->error) < 0) {
        socket_free(&from->source, memory);
        return PPREC_EIO;
    }
    membership_only_own(from->socket.fd);
    if (receive->interface_name != NULL) /* it exists, so its name fits */
        strncpy(from->interface_name, receive->interface_name, IF_NAMESIZE - 1);
    from->interface_index = if_nametoindex(from->interface_name);
    from->source.fd = from->socket.fd;
    from->source.buffer_bytes = from->socket.buffer_bytes;
    from->source.timestamps = (enum pprec_timestamps)from->socket.timestamps;
    intake_of(pprec)->source = &from->source;
    return PPREC_OK;
}

static int socket_listen_as(struct pprec *pprec, const struct pprec_socket_options *given)
{
    struct pprec_socket_options options;

    if (socket_check(pprec, &options, given) < 0)
        return PPREC_EINVAL;
    return socket_open_socket(pprec,
                              &(struct receive_options){
                                  .port = options.port,
                                  .ip = options.ip,
                                  .interface_name = options.interface_name,
                                  .timestamps = (enum stamp_source)options.timestamps,
                                  .buffer_bytes = options.buffer_bytes,
                                  .share_port = options.share_port != 0,
                                  .destinations_needed = intake_of(pprec)->guard != NULL,
                              },
                              options.sources);
}

int pprec_listen(struct pprec *pprec, const struct pprec_socket_options *given)
{
    int status = handle_enter(pprec);

    return status < 0 ? status : handle_leave(pprec, socket_listen_as(pprec, given));
}

/* --- Groups --- */

/* NULL, with the error's text set, when the handle has no socket. */
static struct socket_source *socket_socket_of(struct pprec *pprec)
{
    if (intake_of(pprec)->source != NULL && intake_of(pprec)->source->ops == &socket_ops)
        return (struct socket_source *)intake_of(pprec)->source;
    error_set(&intake_of(pprec)->error, "groups are joined after pprec_listen()");
    return NULL;
}

static int socket_read_group(struct socket_source *from, struct pprec *pprec, struct membership *membership,
                             const char *group, const char *interface_name)
{
    if (interface_name == NULL && from->interface_name[0] != '\0')
        interface_name = from->interface_name;
    return membership_read(membership, group, interface_name, &intake_of(pprec)->error);
}

/* The link that leads to it, or the list's end. */
static struct membership **find_group(struct socket_source *from, const struct membership *wanted)
{
    struct membership **link = &from->groups;

    while (*link != NULL && !membership_same(*link, wanted))
        link = &(*link)->next;
    return link;
}

static int socket_join(struct pprec *pprec, const char *group, const char *interface_name)
{
    struct socket_source *from = socket_socket_of(pprec);
    struct membership wanted, *membership;

    if (from == NULL || socket_read_group(from, pprec, &wanted, group, interface_name) < 0)
        return PPREC_EINVAL;
    if (*find_group(from, &wanted) != NULL)
        return PPREC_OK;
    membership = memory_get(intake_of(pprec)->memory, sizeof *membership);
    if (membership == NULL)
        return handle_fail(pprec, PPREC_ENOMEM, "no memory for group %s", group);
    if (membership_join(&wanted, from->socket.fd, &intake_of(pprec)->error) < 0) {
        memory_put(intake_of(pprec)->memory, membership);
        return PPREC_EIO;
    }
    *membership = wanted;
    membership->next = from->groups;
    from->groups = membership;
    return PPREC_OK;
}

int pprec_join(struct pprec *pprec, const char *group, const char *interface_name)
{
    int status = handle_enter(pprec);

    return status < 0 ? status : handle_leave(pprec, socket_join(pprec, group, interface_name));
}

static int socket_leave(struct pprec *pprec, const char *group, const char *interface_name)
{
    struct socket_source *from = socket_socket_of(pprec);
    struct membership wanted, *membership, **link;

    if (from == NULL || socket_read_group(from, pprec, &wanted, group, interface_name) < 0)
        return PPREC_EINVAL;
    link = find_group(from, &wanted);
    if (*link == NULL)
        return handle_fail(pprec, PPREC_EINVAL, "group %s: not joined", group);
    membership = *link;
    *link = membership->next;
    membership_leave(membership, from->socket.fd);
    memory_put(intake_of(pprec)->memory, membership);
    return PPREC_OK;
}

int pprec_leave(struct pprec *pprec, const char *group, const char *interface_name)
{
    int status = handle_enter(pprec);

    return status < 0 ? status : handle_leave(pprec, socket_leave(pprec, group, interface_name));
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "receive.h"

#include "address.h"
#include "control.h"
#include "serial.h"

#include <errno.h>
#include <linux/net_tstamp.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* The kernel turns stamping on from a work queue, after setsockopt() has returned:
 * measured 25 us in the median, 15 ms at most on an idle machine and 38 ms on a
 * busy one. Until then it stamps a packet when it is read. */
#define STAMPING_STARTS_NS (50 * STAMP_NS_PER_MS)

/* Room for a time stamp of either kind, the drop counter, a destination, a hop limit, and some to
 * spare, so that MSG_CTRUNC means trouble. */
enum { CONTROL_BYTES = 192 };

struct receive {
    struct mmsghdr messages[RECEIVE_BATCH];
    struct iovec vectors[RECEIVE_BATCH];
    struct sockaddr_in6 sources[RECEIVE_BATCH]; /* large enough for IPv4 too */
    uint8_t data[RECEIVE_BATCH][RECEIVE_DATA_BYTES];
    _Alignas(struct cmsghdr) char control[RECEIVE_BATCH][CONTROL_BYTES];
    struct stamp user; /* when the batch was read */
    enum stamp_source timestamps;
    bool destinations, destinations_needed;
    uint32_t dropped_last;
    uint64_t dropped;
};

/* --- Opening --- */

static int set_int(int fd, int level, int name, int value)
{
    return setsockopt(fd, level, name, &value, sizeof value);
}

/* SO_RCVBUFFORCE passes net.core.rmem_max but needs CAP_NET_ADMIN. */
static int set_buffer(int fd, int bytes)
{
    int got = 0;
    socklen_t size = sizeof got;

    if (set_int(fd, SOL_SOCKET, SO_RCVBUFFORCE, bytes) < 0)
        set_int(fd, SOL_SOCKET, SO_RCVBUF, bytes);
    getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &got, &size);
    return got;
}

/* The adapter stamps only when its driver is told to, for all of its users; that
 * needs CAP_NET_ADMIN and an adapter that can. */
static int ask_hardware(int fd, const char *interface_name, struct error *error)
{
    struct hwtstamp_config config = {.rx_filter = HWTSTAMP_FILTER_ALL};
    struct ifreq request = {.ifr_data = (char *)&config};

    if (interface_name == NULL)
        return error_set(error, "hardware timestamps: want the interface that stamps");
    strncpy(request.ifr_name, interface_name, IFNAMSIZ - 1);
    if (ioctl(fd, SIOCSHWTSTAMP, &request) < 0 || config.rx_filter == HWTSTAMP_FILTER_NONE
        || set_int(fd, SOL_SOCKET, SO_TIMESTAMPING,
                   SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE)
            < 0)
        return error_set(
            error, "interface '%s' gives no hardware timestamps (%s)%s", interface_name, strerror(errno),
            errno == EPERM ? ": to set its adapter up takes CAP_NET_ADMIN; else use kernel" : "; use kernel");
    return 0;
}

static int ask_stamps(struct receive_socket *sock, const struct receive_options *options, struct error *error)
{
    sock->timestamps = options->timestamps;
    if (options->timestamps == STAMP_SOURCE_HARDWARE)
        return ask_hardware(sock->fd, options->interface_name, error);
    if (options->timestamps == STAMP_SOURCE_KERNEL) {
        struct timespec starts = stamp_to_timespec(STAMPING_STARTS_NS);

        if (set_int(sock->fd, SOL_SOCKET, SO_TIMESTAMPNS, 1) < 0)
            sock->timestamps = STAMP_SOURCE_USER;
        else
            nanosleep(&starts, NULL);
    }
    return 0;
}

/* Of IPv4 on a socket for both, IPv6's message tells as well. */
static int ask_destinations(struct receive_socket *sock, int family, struct error *error)
{
    int status = family == AF_INET6 ? set_int(sock->fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1)
                                    : set_int(sock->fd, IPPROTO_IP, IP_PKTINFO, 1);

    if (status < 0 && sock->destinations_needed)
        return error_set(error, "the kernel does not tell where datagrams are sent to: %s", strerror(errno));
    sock->destinations = status == 0;
    return 0;
}

/* A socket for both families reports hop limits of IPv4 by IPv4's option. Without it only hops are not
 * counted. */
static void receive_ask_hops(int fd, int family)
{
    set_int(fd, IPPROTO_IP, IP_RECVTTL, 1);
    if (family == AF_INET6)
        set_int(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1);
}

static uint16_t bound_port(int fd)
{
    struct sockaddr_in6 own; /* IPv4's port is in the same place */
    socklen_t bytes = sizeof own;

    return getsockname(fd, (struct sockaddr *)&own, &bytes) == 0 ? ntohs(own.sin6_port) : 0;
}

static int bind_port(int fd, int family, uint16_t port)
{
    struct sockaddr_in6 any6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    struct sockaddr_in any4 = {.sin_family = AF_INET, .sin_port = htons(port)};

    if (family == AF_INET6)
        return bind(fd, (struct sockaddr *)&any6, sizeof any6);
    return bind(fd, (struct sockaddr *)&any4, sizeof any4);
}

static int bind_device(int fd, const char *name, struct error *error)
{
    if (name == NULL)
        return 0;
    if (if_nametoindex(name) == 0)
        return error_set(error, "interface '%s': %s", name, strerror(errno));
    if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, (socklen_t)strlen(name)) < 0)
        return error_set(error, "interface '%s': %s", name, strerror(errno));
    return 0;
}

static const char *why_not_bound(int number, uint16_t port)
{
    if (number == EADDRINUSE)
        return ": another program receives on it";
    return number == EACCES && port < 1024 ? ": those below 1024 want root, or CAP_NET_BIND_SERVICE" : "";
}

/* Stamps are asked for, and waited for, before the port is bound: a packet that
 * was queued earlier would be stamped only when it is read. */
static int receive_set_up(struct receive_socket *sock, int family, const struct receive_options *options,
                          struct error *error)
{
    if (family == AF_INET6)
        set_int(sock->fd, IPPROTO_IPV6, IPV6_V6ONLY, options->ip == 6);
    set_int(sock->fd, SOL_SOCKET, SO_RXQ_OVFL, 1);
    receive_ask_hops(sock->fd, family);
    set_int(sock->fd, SOL_SOCKET, SO_REUSEADDR, options->share_port);
    sock->buffer_bytes = set_buffer(sock->fd, options->buffer_bytes);
    if (bind_device(sock->fd, options->interface_name, error) < 0 || ask_stamps(sock, options, error) < 0)
        return -1;
    sock->destinations_needed = options->destinations_needed;
    if (ask_destinations(sock, family, error) < 0)
        return -1;
    if (bind_port(sock->fd, family, options->port) < 0)
        return error_set(error, "UDP port %u: %s%s", options->port, strerror(errno),
                         why_not_bound(errno, options->port));
    sock->port = bound_port(sock->fd);
    return 0;
}

int receive_open(struct receive_socket *sock, const struct receive_options *options, struct error *error)
{
    int family = options->ip == 4 ? AF_INET : AF_INET6;

    *sock = (struct receive_socket){.fd = -1};
    sock->fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (sock->fd < 0 && options->ip == 0) { /* a kernel without IPv6 */
        family = AF_INET;
        sock->fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    }
    if (sock->fd < 0)
        return error_set(error, "UDP socket: %s", strerror(errno));
    if (receive_set_up(sock, family, options, error) < 0) {
        close(sock->fd);
        sock->fd = -1;
        return -1;
    }
    return 0;
}

/* --- Reading --- */

size_t receive_bytes(void)
{
    return sizeof(struct receive);
}

void receive_init(struct receive *receive)
{
    for (size_t i = 0; i < RECEIVE_BATCH; i++) {
        receive->vectors[i] = (struct iovec){receive->data[i], RECEIVE_DATA_BYTES};
        receive->messages[i].msg_hdr = (struct msghdr){
            .msg_name = &receive->sources[i],
            .msg_iov = &receive->vectors[i],
            .msg_iovlen = 1,
            .msg_control = receive->control[i],
        };
    }
}

struct receive *receive_new(void)
{
    struct receive *receive = calloc(1, sizeof *receive);

    if (receive != NULL)
        receive_init(receive);
    return receive;
}

void receive_free(struct receive *receive)
{
    free(receive);
}

/* The kernel's counter has 32 bits and wraps. A datagram tells it as it was when the
 * datagram was queued, and SO_MEMINFO may have told more since. */
static void receive_note_dropped(struct receive *receive, uint32_t now)
{
    if (!serial_before(receive->dropped_last, now))
        return;
    receive->dropped += now - receive->dropped_last;
    receive->dropped_last = now;
}

static void count_dropped(struct receive *receive, struct msghdr *header)
{
    struct cmsghdr *control;

    for (control = CMSG_FIRSTHDR(header); control; control = CMSG_NXTHDR(header, control)) {
        uint32_t now;

        if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SO_RXQ_OVFL
            || control->cmsg_len < CMSG_LEN(sizeof now))
            continue;
        memcpy(&now, CMSG_DATA(control), sizeof now);
        receive_note_dropped(receive, now);
    }
}

int receive_batch(struct receive *receive, const struct receive_socket *sock, unsigned most)
{
    int got;

    for (unsigned i = 0; i < most; i++) { /* the kernel has written over these */
        receive->messages[i].msg_hdr.msg_namelen = sizeof receive->sources[i];
        receive->messages[i].msg_hdr.msg_controllen = CONTROL_BYTES;
    }
    /* MSG_TRUNC: the length returned is the datagram's, not what fitted */
    got = recvmmsg(sock->fd, receive->messages, most, MSG_DONTWAIT | MSG_TRUNC, NULL);
    if (got < 0) /* without memory now, there may be some next time */
        return errno == EAGAIN || errno == EINTR || errno == ENOMEM || errno == ENOBUFS ? 0 : -1;
    receive->timestamps = sock->timestamps;
    receive->destinations = sock->destinations;
    receive->destinations_needed = sock->destinations_needed;
    receive->user = (struct stamp){stamp_now_ns(CLOCK_REALTIME), STAMP_CLOCK_REALTIME, STAMP_SOURCE_USER};
    if (got > 0) /* the counter only grows: the last one says all */
        count_dropped(receive, &receive->messages[got - 1].msg_hdr);
    return got;
}

static void receive_read_stamp(struct stamp *stamp, const struct cmsghdr *control)
{
    int64_t ns;

    if (control_stamp(control, &ns))
        *stamp = (struct stamp){ns, STAMP_CLOCK_REALTIME, STAMP_SOURCE_KERNEL};
    else if (control_stamping(control, CONTROL_HARDWARE, &ns))
        *stamp = (struct stamp){ns, STAMP_CLOCK_ADAPTER, STAMP_SOURCE_HARDWARE};
}

/* In one go, for every packet has some. A packet without the stamp that was asked for is stamped with the time
 * of reading, and says so. False without a destination that is needed. */
static bool receive_read_control(const struct receive *receive, const struct msghdr *header,
                                 struct receive_datagram *datagram)
{
    struct msghdr *walk = (struct msghdr *)header; /* CMSG_NXTHDR is not const */
    bool stamped = receive->timestamps != STAMP_SOURCE_USER, told = !receive->destinations;
    struct cmsghdr *control;

    datagram->stamp = receive->user;
    datagram->hops_left = 0;
    datagram->destination = in6addr_any;
    for (control = CMSG_FIRSTHDR(walk); control; control = CMSG_NXTHDR(walk, control)) {
        if (control->cmsg_level == SOL_SOCKET && stamped)
            receive_read_stamp(&datagram->stamp, control);
        else if (!control_hops(control, &datagram->hops_left) && !told)
            told = control_destination(control, &datagram->destination);
    }
    return told || !receive->destinations_needed;
}

/* False for an address that is neither IPv4 nor IPv6. */
static bool receive_read_source(const struct sockaddr_in6 *from, socklen_t bytes,
                                struct receive_datagram *datagram)
{
    struct sockaddr_in from4;

    if (from->sin6_family == AF_INET6 && bytes >= sizeof *from) {
        datagram->source = from->sin6_addr;
        datagram->port = ntohs(from->sin6_port);
        return true;
    }
    if (from->sin6_family != AF_INET || bytes < sizeof from4)
        return false;
    memcpy(&from4, from, sizeof from4);
    address_map(&datagram->source, &from4.sin_addr);
    datagram->port = ntohs(from4.sin_port);
    return true;
}

bool receive_get(const struct receive *receive, unsigned i, struct receive_datagram *datagram)
{
    const struct mmsghdr *message = &receive->messages[i];
    size_t bytes = message->msg_len;

    if (message->msg_hdr.msg_flags & MSG_CTRUNC
        || !receive_read_control(receive, &message->msg_hdr, datagram))
        return false;
    datagram->data = receive->data[i];
    datagram->data_bytes = bytes < RECEIVE_DATA_BYTES ? bytes : RECEIVE_DATA_BYTES;
    datagram->payload_bytes = bytes;
    return receive_read_source(&receive->sources[i], message->msg_hdr.msg_namelen, datagram);
}

uint64_t receive_dropped(struct receive *receive, const struct receive_socket *sock)
{
    uint32_t meminfo[SK_MEMINFO_VARS] = {0};
    socklen_t size = sizeof meminfo;

    if (getsockopt(sock->fd, SOL_SOCKET, SO_MEMINFO, meminfo, &size) == 0
        && size > SK_MEMINFO_DROPS * sizeof meminfo[0])
        receive_note_dropped(receive, meminfo[SK_MEMINFO_DROPS]);
    return receive->dropped;
}

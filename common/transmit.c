/* SPDX-License-Identifier: BSD-3-Clause */
#include "transmit.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/net_tstamp.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>

/* The error queue is charged to the receive buffer; a stamp takes under 1 KiB
 * of it, and a train has up to 256. */
enum { STAMP_ROOM_BYTES = 512 * 1024 };

/* A socket option, the value it gets and what to call it in an error. */
static int transmit_set(int fd, int level, int name, int value, const char *what, struct error *error)
{
    if (setsockopt(fd, level, name, &value, sizeof value) == 0)
        return 0;
    return error_set(error, "cannot set %s of the socket: %s", what, strerror(errno));
}

static int transmit_set_ipv4(int fd, const struct transmit_config *config, struct error *error)
{
    if (transmit_set(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO, "don't-fragment", error) != 0)
        return -1;
    if (config->ttl > 0
        && (transmit_set(fd, IPPROTO_IP, IP_TTL, config->ttl, "the TTL", error) != 0
            || transmit_set(fd, IPPROTO_IP, IP_MULTICAST_TTL, config->ttl, "the TTL", error) != 0))
        return -1;
    if (config->no_loop && transmit_set(fd, IPPROTO_IP, IP_MULTICAST_LOOP, 0, "the loop", error) != 0)
        return -1;
    if (config->dscp >= 0) /* RFC 2474: the upper six bits of the old TOS */
        return transmit_set(fd, IPPROTO_IP, IP_TOS, config->dscp << 2, "the DSCP", error);
    return 0;
}

static int set_ipv6(int fd, const struct transmit_config *config, struct error *error)
{
    if (transmit_set(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DO, "don't-fragment", error) != 0
        || transmit_set(fd, IPPROTO_IPV6, IPV6_DONTFRAG, 1, "don't-fragment", error) != 0)
        return -1;
    if (config->ttl > 0
        && (transmit_set(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, config->ttl, "the hop limit", error) != 0
            || transmit_set(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, config->ttl, "the hop limit", error) != 0))
        return -1;
    if (config->no_loop && transmit_set(fd, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, 0, "the loop", error) != 0)
        return -1;
    if (config->dscp >= 0)
        return transmit_set(fd, IPPROTO_IPV6, IPV6_TCLASS, config->dscp << 2, "the DSCP", error);
    return 0;
}

static int bind_interface(int fd, const char *interface, struct error *error)
{
    if (if_nametoindex(interface) == 0)
        return error_set(error, "interface '%.32s': there is none of that name", interface);
    if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, interface, (socklen_t)strlen(interface) + 1) != 0)
        return error_set(error, "interface '%.32s': %s", interface, strerror(errno));
    return 0;
}

/* Nobody reads here, and datagrams sent to us would take the room that the
 * error queue needs for stamps: drop them all. Failing is no harm. */
static void refuse_input(int fd)
{
    struct sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);
    struct sock_fprog program = {.len = 1, .filter = &drop};

    setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

static size_t transmit_buffer_bytes(int fd, int option)
{
    int bytes = 0;
    socklen_t length = sizeof bytes;

    getsockopt(fd, SOL_SOCKET, option, &bytes, &length);
    return bytes > 0 ? (size_t)bytes : 0;
}

/* Makes a buffer at least so large if it may, and returns what it is. The kernel
 * doubles what it is asked for, to allow for its own overhead, and counts that
 * overhead: bytes is what getsockopt is to answer. */
static size_t grow_buffer(int fd, int forced, int plain, size_t bytes)
{
    int half = (int)(bytes / 2);

    if (transmit_buffer_bytes(fd, plain) < bytes
        && setsockopt(fd, SOL_SOCKET, forced, &half, sizeof half) != 0)
        setsockopt(fd, SOL_SOCKET, plain, &half, sizeof half);
    return transmit_buffer_bytes(fd, plain);
}

static int transmit_open_socket(const struct address *to, const struct transmit_config *config,
                                struct error *error)
{
    int family = to->any.sa_family;
    int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int status;

    if (fd < 0)
        return error_set(error, "cannot open a UDP socket: %s", strerror(errno));
    status = family == AF_INET6 ? set_ipv6(fd, config, error) : transmit_set_ipv4(fd, config, error);
    if (status == 0 && config->interface != NULL)
        status = bind_interface(fd, config->interface, error);
    if (status != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

int transmit_open(const struct address *to, const struct transmit_config *config, size_t *got_bytes,
                  struct error *error)
{
    int fd = transmit_open_socket(to, config, error);
    size_t got;

    if (fd < 0)
        return -1;
    refuse_input(fd);
    grow_buffer(fd, SO_RCVBUFFORCE, SO_RCVBUF, STAMP_ROOM_BYTES);
    got = grow_buffer(fd, SO_SNDBUFFORCE, SO_SNDBUF, config->buffer_bytes);
    if (got_bytes != NULL)
        *got_bytes = got;
    return fd;
}

/* Both let the other have the port, but only once it is theirs alone: a port that the kernel
 * chooses for one that shares may be another program's. */
static int share_port(int fd, int second)
{
    struct address here = {.bytes = sizeof here.storage};

    if (getsockname(fd, &here.any, &here.bytes) != 0 || bind(fd, &here.any, here.bytes) != 0)
        return -1;
    here.bytes = sizeof here.storage;
    if (getsockname(fd, &here.any, &here.bytes) != 0
        || transmit_set(fd, SOL_SOCKET, SO_REUSEADDR, 1, "sharing", NULL) != 0
        || transmit_set(second, SOL_SOCKET, SO_REUSEADDR, 1, "sharing", NULL) != 0)
        return -1;
    return bind(second, &here.any, here.bytes);
}

int transmit_listen(int fd, const struct address *to, const struct transmit_config *config)
{
    bool ipv6 = to->any.sa_family == AF_INET6;
    int second = transmit_open_socket(to, config, NULL);

    if (second < 0)
        return -1;
    refuse_input(second);
    if (share_port(fd, second) == 0 && connect(second, &to->any, to->bytes) == 0
        && transmit_set(second, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP, ipv6 ? IPV6_RECVERR : IP_RECVERR, 1,
                        "errors", NULL)
            == 0)
        return second;
    close(second);
    return -1;
}

bool transmit_stamps(int fd)
{
    int none = 0;
    /* OPT_ID numbers the packets, from 0 each time it is newly set; OPT_TSONLY
     * spares the error queue the packets themselves. */
    int flags = SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_OPT_ID
        | SOF_TIMESTAMPING_OPT_TSONLY;

    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &none, sizeof none);
    return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags) == 0;
}

/* An option of a connected socket; -1 when the system does not tell. */
static int transmit_ask(int fd, const struct address *to, int ipv4_name, int ipv6_name)
{
    bool ipv6 = to->any.sa_family == AF_INET6;
    int value = -1;
    socklen_t bytes = sizeof value;

    if (getsockopt(fd, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP, ipv6 ? ipv6_name : ipv4_name, &value, &bytes) != 0)
        return -1;
    return value;
}

static int transmit_ask_hops(int fd, const struct address *to)
{
    return address_is_multicast(to) ? transmit_ask(fd, to, IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS)
                                    : transmit_ask(fd, to, IP_TTL, IPV6_UNICAST_HOPS);
}

/* Each link has addresses of its own: the kernel wants to know which is meant, and says only EINVAL. */
static bool lacks_link(const struct address *to)
{
    const struct sockaddr_in6 *ipv6 = &to->ipv6;

    return to->any.sa_family == AF_INET6 && ipv6->sin6_scope_id == 0
        && (IN6_IS_ADDR_LINKLOCAL(&ipv6->sin6_addr) || IN6_IS_ADDR_MC_LINKLOCAL(&ipv6->sin6_addr));
}

/* Of a broadcast address, and of a route that forbids it, the kernel says the same. */
static const char *why_no_way(const struct address *to)
{
    if (errno == EINVAL && lacks_link(to))
        return "a link-local address needs %INTERFACE behind it";
    if (to->any.sa_family == AF_INET && to->ipv4.sin_addr.s_addr == htonl(INADDR_BROADCAST))
        return "a broadcast address: want one host, or a multicast group";
    if (errno == EACCES)
        return "a broadcast address, or a route forbids it: want one host, or a multicast group";
    return strerror(errno);
}

int transmit_path(const struct address *to, const struct transmit_config *config, struct transmit_path *path,
                  struct error *error)
{
    int fd = transmit_open_socket(to, config, error);
    char text[ADDRESS_TEXT_BYTES];
    int status = 0, mtu_bytes, hops;

    if (fd < 0)
        return -1;
    if (connect(fd, &to->any, to->bytes) != 0) {
        status = error_set(error, "no way to %s: %s", address_text(to, text), why_no_way(to));
    } else if ((mtu_bytes = transmit_ask(fd, to, IP_MTU, IPV6_MTU)) < 0
               || (hops = transmit_ask_hops(fd, to)) < 0) {
        status = error_set(error, "cannot learn path MTU and hop limit to %s: %s", address_text(to, text),
                           strerror(errno));
    } else {
        /* a group's may be 0: nothing leaves this host */
        *path =
            (struct transmit_path){.mtu_bytes = (uint32_t)mtu_bytes, .hops = (uint8_t)(hops > 0 ? hops : 1)};
    }
    close(fd);
    return status;
}

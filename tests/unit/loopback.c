/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/loopback.h"

#include <check.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WAIT_MOST_MS = 10000 };

union socket_address {
    struct sockaddr any;
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
};

static union socket_address own_address(int ip, in_port_t port)
{
    union socket_address address = {.any = {.sa_family = AF_UNSPEC}};

    if (ip == 6)
        address.ipv6 = (struct sockaddr_in6){
            .sin6_family = AF_INET6, .sin6_port = port, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    else
        address.ipv4 = (struct sockaddr_in){
            .sin_family = AF_INET, .sin_port = port, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    return address;
}

static socklen_t loopback_bytes_of(const union socket_address *address)
{
    return address->any.sa_family == AF_INET6 ? sizeof address->ipv6 : sizeof address->ipv4;
}

/* In network byte order; it stands at one place in both kinds of address. */
static in_port_t port_of(int fd)
{
    union socket_address address;
    socklen_t bytes = sizeof address;

    ck_assert_int_eq(getsockname(fd, &address.any, &bytes), 0);
    return address.ipv4.sin_port;
}

bool loopback_has_ipv6(void)
{
    union socket_address address = own_address(6, 0);
    int fd = socket(AF_INET6, SOCK_DGRAM, 0);
    bool has = fd >= 0 && bind(fd, &address.any, loopback_bytes_of(&address)) == 0;

    if (fd >= 0)
        close(fd);
    if (!has)
        printf("SKIPPED: no IPv6 on the loopback interface\n");
    return has;
}

bool loopback_has_linux(void)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    int on = 1;
    bool has = setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) == 0;

    if (!has)
        printf("SKIPPED: no kernel stamps, groups and counts of drops (%s): an emulator?\n", strerror(errno));
    close(fd);
    return has;
}

struct loopback loopback_open(int receiver_fd, int ip)
{
    union socket_address from = own_address(ip, 0);
    union socket_address to = own_address(ip, port_of(receiver_fd));
    struct loopback loopback = {.fd = socket(from.any.sa_family, SOCK_DGRAM, 0)};

    ck_assert_int_ge(loopback.fd, 0);
    ck_assert_int_eq(bind(loopback.fd, &from.any, loopback_bytes_of(&from)), 0);
    ck_assert_int_eq(connect(loopback.fd, &to.any, loopback_bytes_of(&to)), 0);
    loopback.port = ntohs(port_of(loopback.fd));
    return loopback;
}

void loopback_close(struct loopback *loopback)
{
    close(loopback->fd);
    loopback->fd = -1;
}

void loopback_send(const struct loopback *loopback, const void *data, size_t bytes)
{
    ck_assert_int_eq(send(loopback->fd, data, bytes, 0), (ssize_t)bytes);
}

void loopback_wait(int receiver_fd)
{
    struct pollfd watched = {.fd = receiver_fd, .events = POLLIN};

    ck_assert_msg(poll(&watched, 1, WAIT_MOST_MS) == 1, "nothing came in %d ms", WAIT_MOST_MS);
}

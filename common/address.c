/* SPDX-License-Identifier: BSD-3-Clause */
#include "address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

static const char *family_name(int family)
{
    return family == AF_INET ? "IPv4 " : family == AF_INET6 ? "IPv6 " : "";
}

int address_resolve(struct address *address, const char *host, uint16_t port, int family,
                    struct error *error)
{
    /* Not AI_ADDRCONFIG: it would refuse ::1 on a host with no other IPv6. */
    struct addrinfo hints = {.ai_family = family, .ai_socktype = SOCK_DGRAM,
                             .ai_protocol = IPPROTO_UDP};
    struct addrinfo *found;
    int status = getaddrinfo(host, NULL, &hints, &found);

    if (status != 0)
        return error_set(error, "host '%.80s': no %saddress found (%s)", host,
                         family_name(family),
                         status == EAI_SYSTEM ? strerror(errno) : gai_strerror(status));
    *address = (struct address){.bytes = found->ai_addrlen};
    memcpy(&address->storage, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    address_unmap(address);
    address_set_port(address, port);
    return 0;
}

void address_unmap(struct address *address)
{
    struct sockaddr_in ipv4 = {.sin_family = AF_INET};

    if (address->any.sa_family != AF_INET6 ||
        !IN6_IS_ADDR_V4MAPPED(&address->ipv6.sin6_addr))
        return;
    ipv4.sin_port = address->ipv6.sin6_port;
    memcpy(&ipv4.sin_addr, &address->ipv6.sin6_addr.s6_addr[12], sizeof ipv4.sin_addr);
    *address = (struct address){.ipv4 = ipv4, .bytes = sizeof ipv4};
}

const char *address_text(const struct address *address, char room[ADDRESS_TEXT_BYTES])
{
    char host[ADDRESS_TEXT_BYTES - 10];

    if (getnameinfo(&address->any, address->bytes, host, sizeof host, NULL, 0,
                    NI_NUMERICHOST) != 0)
        strcpy(host, "?");
    snprintf(room, ADDRESS_TEXT_BYTES, address_ip(address) == LAYER_IPV6 ? "[%s]:%u" : "%s:%u",
             host, address_port(address));
    return room;
}

enum layer_ip address_ip(const struct address *address)
{
    return address->any.sa_family == AF_INET6 ? LAYER_IPV6 : LAYER_IPV4;
}

uint16_t address_port(const struct address *address)
{
    return ntohs(address_ip(address) == LAYER_IPV6 ? address->ipv6.sin6_port
                                                   : address->ipv4.sin_port);
}

void address_set_port(struct address *address, uint16_t port)
{
    if (address_ip(address) == LAYER_IPV6)
        address->ipv6.sin6_port = htons(port);
    else
        address->ipv4.sin_port = htons(port);
}

bool address_is_multicast(const struct address *address)
{
    if (address_ip(address) == LAYER_IPV6)
        return IN6_IS_ADDR_MULTICAST(&address->ipv6.sin6_addr);
    return IN_MULTICAST(ntohl(address->ipv4.sin_addr.s_addr));
}

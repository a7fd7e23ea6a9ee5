/* SPDX-License-Identifier: BSD-3-Clause */
#include "address.h"

#include "option.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

static const char *family_name(int family)
{
    return family == AF_INET ? "IPv4 " : family == AF_INET6 ? "IPv6 " : "";
}

int address_resolve(struct address *address, const char *host, uint16_t port, int family, struct error *error)
{
    /* Not AI_ADDRCONFIG: it would refuse ::1 on a host with no other IPv6. */
    struct addrinfo hints = {.ai_family = family, .ai_socktype = SOCK_DGRAM, .ai_protocol = IPPROTO_UDP};
    struct addrinfo *found;
    int status = getaddrinfo(host, NULL, &hints, &found);

    if (status != 0)
        return error_set(error, "host '%.80s': no %saddress found (%s)", host, family_name(family),
                         status == EAI_SYSTEM ? strerror(errno) : gai_strerror(status));
    *address = (struct address){.bytes = found->ai_addrlen};
    memcpy(&address->storage, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    address_unmap(address);
    address_set_port(address, port);
    return 0;
}

static bool parse_host(struct address *address, const char *host)
{
    struct sockaddr_in ipv4 = {.sin_family = AF_INET};
    struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6};

    if (inet_pton(AF_INET, host, &ipv4.sin_addr) == 1)
        *address = (struct address){.ipv4 = ipv4, .bytes = sizeof ipv4};
    else if (inet_pton(AF_INET6, host, &ipv6.sin6_addr) == 1)
        *address = (struct address){.ipv6 = ipv6, .bytes = sizeof ipv6};
    else
        return false;
    address_unmap(address);
    return true;
}

/* What follows the host. */
static bool parse_port(struct address *address, const char *text)
{
    double port = 0;

    if (text[0] != '\0' && (text[0] != ':' || !option_whole(text + 1, 1, UINT16_MAX, &port)))
        return false;
    address_set_port(address, (uint16_t)port);
    return true;
}

int address_parse(struct address *address, const char *text, struct error *error)
{
    char host[INET6_ADDRSTRLEN];
    int used = 0;

    if (text[0] == '[')
        sscanf(text, "[%45[0-9a-fA-F:.]]%n", host, &used);
    else if (strchr(text, ':') == strrchr(text, ':'))
        sscanf(text, "%45[0-9.]%n", host, &used);
    else
        sscanf(text, "%45[0-9a-fA-F:.]%n", host, &used);
    if (used > 0 && parse_host(address, host) && parse_port(address, text + used))
        return 0;
    return error_set(error,
                     "want an address, with a port or without: 192.0.2.1, 192.0.2.1:5000, "
                     "2001:db8::1 or [2001:db8::1]:5000");
}

int address_split(const char *where, char host[ADDRESS_HOST_BYTES], uint16_t *port)
{
    double number;
    int bytes = 0;

    if (where[0] == '[')
        sscanf(where, "[%63[^]]]:%n", host, &bytes);
    else
        sscanf(where, "%63[^:]:%n", host, &bytes);
    if (bytes == 0 || !option_whole(where + bytes, 1, UINT16_MAX, &number))
        return -1;
    *port = (uint16_t)number;
    return 0;
}

void address_unmap(struct address *address)
{
    struct sockaddr_in ipv4 = {.sin_family = AF_INET};

    if (address->any.sa_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&address->ipv6.sin6_addr))
        return;
    ipv4.sin_port = address->ipv6.sin6_port;
    memcpy(&ipv4.sin_addr, &address->ipv6.sin6_addr.s6_addr[12], sizeof ipv4.sin_addr);
    *address = (struct address){.ipv4 = ipv4, .bytes = sizeof ipv4};
}

const char *address_text(const struct address *address, char room[ADDRESS_TEXT_BYTES])
{
    char host[ADDRESS_TEXT_BYTES - 10];

    if (getnameinfo(&address->any, address->bytes, host, sizeof host, NULL, 0, NI_NUMERICHOST) != 0)
        strcpy(host, "?");
    snprintf(room, ADDRESS_TEXT_BYTES, address_ip(address) == LAYER_IPV6 ? "[%s]:%u" : "%s:%u", host,
             address_port(address));
    return room;
}

enum layer_ip address_ip(const struct address *address)
{
    return address->any.sa_family == AF_INET6 ? LAYER_IPV6 : LAYER_IPV4;
}

uint16_t address_port(const struct address *address)
{
    return ntohs(address_ip(address) == LAYER_IPV6 ? address->ipv6.sin6_port : address->ipv4.sin_port);
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

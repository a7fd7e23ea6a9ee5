/* SPDX-License-Identifier: BSD-3-Clause */
#include "unreachable.h"

#include "common/extended_error.h"

#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>

static const char *ipv4_word(unsigned code)
{
    switch (code) {
    case ICMP_PORT_UNREACH: return "port unreachable";
    case ICMP_HOST_UNREACH: return "host unreachable";
    case ICMP_NET_ANO:
    case ICMP_HOST_ANO:
    case ICMP_PKT_FILTERED: return "administratively prohibited";
    default: return "destination unreachable";
    }
}

static const char *ipv6_word(unsigned code)
{
    switch (code) {
    case ICMP6_DST_UNREACH_NOPORT: return "port unreachable";
    case ICMP6_DST_UNREACH_ADDR: return "address unreachable";
    case ICMP6_DST_UNREACH_ADMIN: return "administratively prohibited";
    default: return "destination unreachable";
    }
}

static bool understand(struct unreachable *unreachable, const struct sock_extended_err *error)
{
    unsigned code = error->ee_code;
    bool ipv6 = error->ee_origin == SO_EE_ORIGIN_ICMP6 && error->ee_type == ICMP6_DST_UNREACH;
    bool ipv4 = error->ee_origin == SO_EE_ORIGIN_ICMP && error->ee_type == ICMP_DEST_UNREACH
        && code != ICMP_FRAG_NEEDED;

    unreachable->port = code == (ipv6 ? ICMP6_DST_UNREACH_NOPORT : ICMP_PORT_UNREACH);
    unreachable->what = ipv6 ? ipv6_word(code) : ipv4_word(code);
    return ipv4 || ipv6;
}

/* The address of who says so follows the error. */
static bool read_error(struct cmsghdr *header, struct unreachable *unreachable)
{
    bool ipv6 = header->cmsg_level == IPPROTO_IPV6;
    size_t address_bytes = ipv6 ? sizeof unreachable->from.ipv6 : sizeof unreachable->from.ipv4;
    struct sock_extended_err error;

    if (!extended_error(header, &error) || header->cmsg_len < CMSG_LEN(sizeof error + address_bytes))
        return false;
    unreachable->from = (struct address){.bytes = (socklen_t)address_bytes};
    memcpy(&unreachable->from.storage, CMSG_DATA(header) + sizeof error, address_bytes);
    return understand(unreachable, &error);
}

bool unreachable_read(int socket, struct unreachable *unreachable)
{
    union {
        struct cmsghdr align;
        char room[256];
    } control;
    struct cmsghdr *header;

    for (;;) {
        struct msghdr message = {.msg_control = &control, .msg_controllen = sizeof control};

        if (recvmsg(socket, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
            return false;
        for (header = CMSG_FIRSTHDR(&message); header != NULL; header = CMSG_NXTHDR(&message, header))
            if (read_error(header, unreachable))
                return true;
    }
}

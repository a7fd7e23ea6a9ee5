/* SPDX-License-Identifier: BSD-3-Clause */
#include "pprec/lib/route.h"

#include <linux/rtnetlink.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* RTM_GETROUTE with one attribute, the destination: rtnetlink(7). */
struct question {
    struct nlmsghdr header;
    struct rtmsg route;
    struct rtattr destination;
    uint8_t address[16];
};

union answer {
    struct nlmsghdr header;
    char room[4096];
};

static void route_ask(struct question *question, const struct address *to)
{
    bool ipv6 = address_ip(to) == LAYER_IPV6;
    uint8_t bytes = ipv6 ? 16 : 4;

    *question = (struct question){
        .header = {.nlmsg_type = RTM_GETROUTE, .nlmsg_flags = NLM_F_REQUEST},
        .route = {.rtm_family = ipv6 ? AF_INET6 : AF_INET, .rtm_dst_len = (uint8_t)(bytes * 8)},
        .destination = {.rta_type = RTA_DST, .rta_len = (uint16_t)RTA_LENGTH(bytes)},
    };
    question->header.nlmsg_len = (uint32_t)(offsetof(struct question, address) + bytes);
    if (ipv6)
        memcpy(question->address, &to->ipv6.sin6_addr, bytes);
    else
        memcpy(question->address, &to->ipv4.sin_addr, bytes);
}

static unsigned interface_in(union answer *answer, size_t bytes)
{
    struct rtattr *attribute = RTM_RTA(NLMSG_DATA(&answer->header));
    unsigned left, index = 0;

    if (!NLMSG_OK(&answer->header, bytes) || answer->header.nlmsg_type != RTM_NEWROUTE)
        return 0;
    for (left = (unsigned)RTM_PAYLOAD(&answer->header); RTA_OK(attribute, left);
         attribute = RTA_NEXT(attribute, left))
        if (attribute->rta_type == RTA_OIF && RTA_PAYLOAD(attribute) >= sizeof index)
            memcpy(&index, RTA_DATA(attribute), sizeof index);
    return index;
}

unsigned route_interface(const struct address *to)
{
    int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    struct question question;
    union answer answer;
    unsigned index = 0;
    ssize_t got;

    if (netlink < 0)
        return 0;
    route_ask(&question, to);
    if (send(netlink, &question, question.header.nlmsg_len, 0) > 0) {
        got = recv(netlink, &answer, sizeof answer, 0); /* the kernel answers at once */
        index = got > 0 ? interface_in(&answer, (size_t)got) : 0;
    }
    close(netlink);
    return index;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "egress.h"

#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* --- the route: rtnetlink(7), RTM_GETROUTE ----------------------------- */

struct route_request {
    struct nlmsghdr header;
    struct rtmsg route;
    char attributes[RTA_SPACE(sizeof(struct in6_addr))];
};

static void make_request(struct route_request *request, const struct address *to)
{
    bool ipv6 = address_ip(to) == LAYER_IPV6;
    const void *bytes = ipv6 ? (const void *)&to->ipv6.sin6_addr : &to->ipv4.sin_addr;
    size_t count = ipv6 ? sizeof to->ipv6.sin6_addr : sizeof to->ipv4.sin_addr;
    struct rtattr *destination = (struct rtattr *)request->attributes;

    *request = (struct route_request){
        .header = {.nlmsg_type = RTM_GETROUTE, .nlmsg_flags = NLM_F_REQUEST},
        .route = {.rtm_family = (unsigned char)to->any.sa_family, .rtm_dst_len = (unsigned char)(8 * count)},
    };
    destination->rta_type = RTA_DST;
    destination->rta_len = (unsigned short)RTA_LENGTH(count);
    memcpy(RTA_DATA(destination), bytes, count);
    request->header.nlmsg_len = (uint32_t)(NLMSG_LENGTH(sizeof request->route) + RTA_SPACE(count));
}

/* The outgoing interface that the answer names, or 0. */
static unsigned read_answer(struct nlmsghdr *header, size_t bytes)
{
    unsigned index = 0;
    struct rtmsg *route = NLMSG_DATA(header);
    struct rtattr *attribute = RTM_RTA(route);
    unsigned left;

    if (!NLMSG_OK(header, bytes) || header->nlmsg_type != RTM_NEWROUTE)
        return 0;
    left = (unsigned)RTM_PAYLOAD(header);
    for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left))
        if (attribute->rta_type == RTA_OIF && RTA_PAYLOAD(attribute) == sizeof index)
            memcpy(&index, RTA_DATA(attribute), sizeof index);
    return index;
}

static unsigned ask_route(const struct address *to)
{
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    struct route_request request;
    union {
        struct nlmsghdr header;
        char room[4096];
    } answer;
    ssize_t got = -1;

    if (fd < 0)
        return 0;
    make_request(&request, to);
    if (send(fd, &request, request.header.nlmsg_len, 0) >= 0)
        got = recv(fd, &answer, sizeof answer, 0);
    close(fd);
    return got > 0 ? read_answer(&answer.header, (size_t)got) : 0;
}

static unsigned route_index(const struct address *to)
{
    if (address_ip(to) == LAYER_IPV6 && to->ipv6.sin6_scope_id != 0)
        return to->ipv6.sin6_scope_id; /* a link-local address names its link */
    return ask_route(to);
}

/* --- the device: linux/ethtool.h --------------------------------------- */

static bool ask_device(int fd, const char *name, void *question)
{
    struct ifreq request = {.ifr_data = question};

    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    return ioctl(fd, SIOCETHTOOL, &request) == 0;
}

static uint32_t count_features(int fd, const char *name)
{
    union {
        struct ethtool_sset_info info;
        char room[sizeof(struct ethtool_sset_info) + sizeof(uint32_t)];
    } sets = {.info = {.cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << ETH_SS_FEATURES}};

    return ask_device(fd, name, &sets) && sets.info.sset_mask != 0 ? sets.info.data[0] : 0;
}

/* The number of the feature bit called wanted, or -1. */
static int64_t find_feature(int fd, const char *name, uint32_t count, const char *wanted)
{
    struct ethtool_gstrings *names = calloc(1, sizeof *names + (size_t)count * ETH_GSTRING_LEN);
    int64_t found = -1;

    if (names == NULL)
        return -1;
    names->cmd = ETHTOOL_GSTRINGS;
    names->string_set = ETH_SS_FEATURES;
    names->len = count;
    if (ask_device(fd, name, names))
        for (uint32_t i = 0; i < count && i < names->len; i++)
            if (strncmp((const char *)names->data + (size_t)i * ETH_GSTRING_LEN, wanted, ETH_GSTRING_LEN)
                == 0)
                found = i;
    free(names);
    return found;
}

/* 1 on, 0 off, -1 not known. */
static int feature_is_on(int fd, const char *name, uint32_t count, int64_t bit)
{
    uint32_t blocks = (count + 31) / 32;
    struct ethtool_gfeatures *features = calloc(1, sizeof *features + blocks * sizeof features->features[0]);
    int on = -1;

    if (features == NULL)
        return -1;
    features->cmd = ETHTOOL_GFEATURES;
    features->size = blocks;
    if (ask_device(fd, name, features))
        on = features->features[bit / 32].active >> (bit % 32) & 1;
    free(features);
    return on;
}

static enum egress_segments find_segments(int fd, const char *name)
{
    uint32_t count = count_features(fd, name);
    int64_t bit = find_feature(fd, name, count, "tx-udp-segmentation");
    int on = bit < 0 ? -1 : feature_is_on(fd, name, count, bit);

    if (on < 0)
        return EGRESS_SEGMENTS_UNKNOWN;
    return on ? EGRESS_SEGMENTS_DEVICE : EGRESS_SEGMENTS_KERNEL;
}

/* Not from /sys: that may show another network namespace than ours. */
static double find_speed_bps(int fd, const char *name)
{
    struct ethtool_cmd settings = {.cmd = ETHTOOL_GSET};
    uint32_t mbps;

    if (!ask_device(fd, name, &settings))
        return 0;
    mbps = ethtool_cmd_speed(&settings);
    return mbps == 0 || mbps >= INT32_MAX ? 0 : (double)mbps * 1e6;
}

void egress_find(struct egress *egress, const struct address *to, const char *interface)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    *egress = (struct egress){.segments = EGRESS_SEGMENTS_UNKNOWN};
    if (interface != NULL)
        snprintf(egress->name, sizeof egress->name, "%s", interface);
    else if (if_indextoname(route_index(to), egress->name) == NULL)
        egress->name[0] = '\0';
    if (fd < 0)
        return;
    if (egress->name[0] != '\0') {
        egress->segments = find_segments(fd, egress->name);
        egress->speed_bps = find_speed_bps(fd, egress->name);
    }
    close(fd);
}

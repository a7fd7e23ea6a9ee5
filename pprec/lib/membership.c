/* SPDX-License-Identifier: BSD-3-Clause */
#include "pprec/lib/membership.h"

#include "pprec/lib/route.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>

/* --- From text --- */

/* Numeric: a library does not wait for name servers. */
static int membership_read_address(struct address *address, const char *text, size_t bytes)
{
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICHOST};
    struct addrinfo *found;
    char room[INET6_ADDRSTRLEN + 1 + IF_NAMESIZE];

    if (bytes >= sizeof room)
        return -1;
    memcpy(room, text, bytes);
    room[bytes] = '\0';
    if (getaddrinfo(room, NULL, &hints, &found) != 0)
        return -1;
    *address = (struct address){.bytes = found->ai_addrlen};
    memcpy(&address->storage, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return 0;
}

static int membership_read_source(struct membership *membership, const char *text, const char *source,
                                  struct error *error)
{
    if (source == NULL)
        return 0;
    if (membership_read_address(&membership->source, source, strlen(source)) < 0
        || address_is_multicast(&membership->source)
        || address_ip(&membership->source) != address_ip(&membership->group))
        return error_set(error,
                         "group '%.80s': the source after @ is no host address of the "
                         "group's family",
                         text);
    return 0;
}

int membership_read(struct membership *membership, const char *text, const char *interface_name,
                    struct error *error)
{
    const char *at = text != NULL ? strchr(text, '@') : NULL;

    *membership = (struct membership){.next = NULL};
    if (text == NULL)
        return error_set(error, "group NULL: want a multicast address");
    if (membership_read_address(&membership->group, text, at != NULL ? (size_t)(at - text) : strlen(text)) < 0
        || !address_is_multicast(&membership->group))
        return error_set(error, "group '%.80s': want a multicast address", text);
    if (interface_name != NULL && strlen(interface_name) >= IF_NAMESIZE)
        return error_set(error, "interface '%.80s': no interface has so long a name", interface_name);
    if (interface_name != NULL)
        strcpy(membership->interface_name, interface_name);
    return membership_read_source(membership, text, at != NULL ? at + 1 : NULL, error);
}

static bool membership_same_address(const struct address *a, const struct address *b)
{
    return a->bytes == b->bytes && memcmp(&a->storage, &b->storage, a->bytes) == 0;
}

bool membership_same(const struct membership *a, const struct membership *b)
{
    return membership_same_address(&a->group, &b->group) && membership_same_address(&a->source, &b->source)
        && strcmp(a->interface_name, b->interface_name) == 0;
}

/* --- With the kernel --- */

static unsigned interface_of(const struct membership *membership)
{
    bool ipv6 = address_ip(&membership->group) == LAYER_IPV6;

    if (ipv6 && membership->group.ipv6.sin6_scope_id != 0)
        return membership->group.ipv6.sin6_scope_id;
    if (membership->interface_name[0] != '\0')
        return if_nametoindex(membership->interface_name);
    return route_interface(&membership->group);
}

/* RFC 3678, section 5.1. The level is the group's: a socket for both families
 * joins IPv4 groups too. */
static int membership_change(const struct membership *membership, int fd, bool join)
{
    int level = address_ip(&membership->group) == LAYER_IPV6 ? IPPROTO_IPV6 : IPPROTO_IP;
    struct group_source_req specific = {.gsr_interface = membership->interface_index};
    struct group_req any = {.gr_interface = membership->interface_index};

    if (membership->source.bytes == 0) {
        memcpy(&any.gr_group, &membership->group.storage, sizeof any.gr_group);
        return setsockopt(fd, level, join ? MCAST_JOIN_GROUP : MCAST_LEAVE_GROUP, &any, sizeof any);
    }
    memcpy(&specific.gsr_group, &membership->group.storage, sizeof specific.gsr_group);
    memcpy(&specific.gsr_source, &membership->source.storage, sizeof specific.gsr_source);
    return setsockopt(fd, level, join ? MCAST_JOIN_SOURCE_GROUP : MCAST_LEAVE_SOURCE_GROUP, &specific,
                      sizeof specific);
}

int membership_join(struct membership *membership, int fd, struct error *error)
{
    char group[ADDRESS_TEXT_BYTES];

    address_text(&membership->group, group);
    *strrchr(group, ':') = '\0'; /* the port, which groups have none of */
    membership->interface_index = interface_of(membership);
    if (membership->interface_index == 0)
        return error_set(error, "group %s: %s", group,
                         membership->interface_name[0] != '\0' ? "no such interface"
                                                               : "no route to it; name an interface");
    if (membership_change(membership, fd, true) < 0)
        return error_set(error, "group %s: %s", group, strerror(errno));
    return 0;
}

/* Of an interface that is gone Linux 6.18 lets no single source be left, only the
 * whole group; what is not left counts towards igmp_max_memberships. */
void membership_leave(struct membership *membership, int fd)
{
    struct membership whole = *membership;

    whole.source.bytes = 0;
    if (membership->interface_index != 0 && membership_change(membership, fd, false) < 0)
        membership_change(&whole, fd, false);
    membership->interface_index = 0;
}

void membership_keep(struct membership *membership, int fd)
{
    unsigned index = interface_of(membership);

    if (index == 0 || index == membership->interface_index)
        return;
    membership_leave(membership, fd);
    membership->interface_index = index;
    if (membership_change(membership, fd, true) < 0)
        membership->interface_index = 0; /* until the next time */
}

void membership_only_own(int fd)
{
    int no = 0;

    setsockopt(fd, IPPROTO_IP, IP_MULTICAST_ALL, &no, sizeof no);
    setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_ALL, &no, sizeof no);
}

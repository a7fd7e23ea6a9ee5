/* SPDX-License-Identifier: BSD-3-Clause */
#include "burst.h"

#include "common/transmit.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/ioctl.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103 /* Linux 4.18, linux/udp.h */
#endif

enum {
    SEGMENTS_MOST = 64,         /* UDP_MAX_SEGMENTS of the first kernels */
    SEGMENTS_MOST_BYTES = 65467 /* 65535 less the larger headers, IPv6 and UDP,
                                    and 20 for options */
};

void burst_init(struct burst *burst, int socket, const struct address *to, bool segment, bool stamped)
{
    *burst = (struct burst){.socket = socket, .to = to, .segment = segment, .stamped = stamped};
}

/* Packets of the message that starts at position. A train's last packet goes
 * alone: of a segmented message only the first packet is stamped, and both the
 * first and the last departure must be known. */
static uint32_t stretch_packets(const struct burst *burst, const struct flight *flight, uint32_t position)
{
    uint32_t left = flight->packets - 1 - position;
    uint32_t most = SEGMENTS_MOST_BYTES / flight->payload_bytes;

    most = most < SEGMENTS_MOST ? most : SEGMENTS_MOST;
    if (!burst->segment || flight->paced || flight->load_hops > 0 || left < 2 || most < 2)
        return 1;
    return left < most ? left : most;
}

static void set_segment_size(struct burst *burst, uint32_t payload_bytes)
{
    uint16_t bytes = (uint16_t)payload_bytes;
    struct cmsghdr *header = (struct cmsghdr *)burst->segment_size;

    header->cmsg_level = IPPROTO_UDP;
    header->cmsg_type = UDP_SEGMENT;
    header->cmsg_len = CMSG_LEN(sizeof bytes);
    memcpy(CMSG_DATA(header), &bytes, sizeof bytes);
}

/* The kernel takes it for groups, too, whose limit is otherwise another socket option. */
static void burst_set_hops(const struct burst *burst, char *room, int hops)
{
    struct cmsghdr *header = (struct cmsghdr *)room;
    bool ipv6 = burst->to->any.sa_family == AF_INET6;

    header->cmsg_level = ipv6 ? IPPROTO_IPV6 : IPPROTO_IP;
    header->cmsg_type = ipv6 ? IPV6_HOPLIMIT : IP_TTL;
    header->cmsg_len = CMSG_LEN(sizeof hops);
    memcpy(CMSG_DATA(header), &hops, sizeof hops);
}

static bool burst_is_marker(const struct flight *flight, uint32_t position)
{
    return position == 0 || position + 1 == flight->packets;
}

static uint32_t payload_bytes(const struct flight *flight, uint32_t position)
{
    return flight->marker_bytes > 0 && burst_is_marker(flight, position) ? flight->marker_bytes
                                                                         : flight->payload_bytes;
}

/* Returns how many packets the message holds. */
static uint32_t make_message(struct burst *burst, const struct payloads *payloads,
                             const struct flight *flight, size_t message, uint32_t position)
{
    uint32_t packets = stretch_packets(burst, flight, position);
    struct msghdr *header = &burst->messages[message].msg_hdr;

    burst->stretches[message] = (struct iovec){.iov_base = (void *)(uintptr_t)payloads_at(payloads, position),
                                               .iov_len = (size_t)packets * payload_bytes(flight, position)};
    *header = (struct msghdr){.msg_name = (void *)(uintptr_t)&burst->to->storage,
                              .msg_namelen = burst->to->bytes,
                              .msg_iov = &burst->stretches[message],
                              .msg_iovlen = 1};
    if (packets > 1) {
        header->msg_control = burst->segment_size;
        header->msg_controllen = sizeof burst->segment_size;
    } else if (flight->load_hops > 0) {
        header->msg_control = burst_is_marker(flight, position) ? burst->marker_hops : burst->load_hops;
        header->msg_controllen = sizeof burst->load_hops;
    }
    return packets;
}

/* Messages from message on, for the packets from position on. */
static void make_messages(struct burst *burst, const struct payloads *payloads, struct flight *flight,
                          size_t message, uint32_t position)
{
    while (position < flight->packets) {
        flight->position[message] = (uint16_t)position;
        position += make_message(burst, payloads, flight, message++, position);
    }
    flight->messages = message;
}

static void count_failure(struct burst_failures *failures, int number, uint32_t packets)
{
    size_t i = 0;

    while (i < BURST_REASONS - 1 && failures->reasons[i].number != 0 && failures->reasons[i].number != number)
        i++;
    failures->reasons[i].number = number;
    failures->reasons[i].packets += packets;
}

/* Was it the segmentation that the kernel did not want? EIO: nobody on the way
 * computes checksums; EINVAL: checksums are off, among others. */
static bool refuses_segments(const struct burst *burst, size_t message, int number)
{
    return burst->messages[message].msg_hdr.msg_control == burst->segment_size
        && (number == EIO || number == EINVAL || number == EOPNOTSUPP);
}

/* The message was refused: the train ends before it, unless it can be sent otherwise. Returns
 * the message to go on at. */
static size_t burst_refused(struct burst *burst, const struct payloads *payloads, struct flight *flight,
                            size_t message, int number)
{
    uint32_t left = flight->packets - flight->position[message];

    burst->uncertain = flight->uncertain = true;
    if (refuses_segments(burst, message, number)) {
        burst->segment = false;
        burst->refused_segments = true;
        make_messages(burst, payloads, flight, message, flight->position[message]);
        return message;
    }
    count_failure(&burst->failures, number, left);
    flight->failed = left;
    return flight->messages;
}

void burst_prepare(struct burst *burst, const struct payloads *payloads, struct flight *flight)
{
    flight->first_number = burst->next_number;
    flight->stamps = flight->failed = flight->unsent = 0;
    flight->sent_span_ns = 0;
    flight->uncertain = burst->uncertain || !burst->stamped;
    memset(flight->stamp_ns, 0, sizeof flight->stamp_ns);
    set_segment_size(burst, flight->payload_bytes);
    burst_set_hops(burst, burst->marker_hops, flight->marker_hops);
    burst_set_hops(burst, burst->load_hops, flight->load_hops);
    make_messages(burst, payloads, flight, 0, 0);
}

void burst_send(struct burst *burst, const struct payloads *payloads, struct flight *flight)
{
    size_t next = 0;

    while (next < flight->messages) {
        /* When it stops short, the reason shows at the next call. */
        int sent = sendmmsg(burst->socket, &burst->messages[next], (unsigned)(flight->messages - next),
                            MSG_DONTWAIT);

        if (sent <= 0)
            next = burst_refused(burst, payloads, flight, next, errno);
        else
            next += (size_t)sent;
        if (sent > 0 && next < flight->messages)
            burst->uncertain = flight->uncertain = true;
    }
    burst->next_number += (uint32_t)flight->messages;
}

bool burst_send_next(struct burst *burst, const struct payloads *payloads, struct flight *flight,
                     size_t message)
{
    if (sendmmsg(burst->socket, &burst->messages[message], 1, MSG_DONTWAIT) == 1) {
        burst->next_number++;
        return true;
    }
    burst_refused(burst, payloads, flight, message, errno);
    return false;
}

void burst_stop(struct flight *flight, size_t messages)
{
    flight->unsent = flight->packets - flight->position[messages];
    flight->messages = messages;
}

bool burst_pending(const struct burst *burst)
{
    int bytes = 0;

    return ioctl(burst->socket, SIOCOUTQ, &bytes) != 0 || bytes > 0;
}

void burst_renumber(struct burst *burst)
{
    burst->stamped = transmit_stamps(burst->socket);
    burst->uncertain = false;
    burst->next_number = 0;
}

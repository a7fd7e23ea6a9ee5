/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay_warm.h"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    OFFLOAD_BYTES = sizeof(struct virtio_net_hdr),
    ETHERNET_BYTES = 14,
    IPV4_BYTES = 20,
    UDP_BYTES = 8,
    IP_TOTAL_BYTES = 1500,
    ETHERTYPE_EXPERIMENT = 0x88b5,
};

static int open_receiver(in_port_t *port)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof here;
    int on = 1, fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on)
        || bind(fd, (struct sockaddr *)&here, sizeof here)
        || getsockname(fd, (struct sockaddr *)&here, &bytes)) {
        close(fd);
        return -1;
    }
    *port = here.sin_port;
    return fd;
}

static int open_sender(const char *interface)
{
    struct sockaddr_ll at = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(interface)};
    int on = 1, fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on)
        || bind(fd, (struct sockaddr *)&at, sizeof at)) {
        close(fd);
        return -1;
    }
    return fd;
}

static void write_u16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static unsigned ipv4_checksum(const uint8_t *ip)
{
    unsigned sum = 0;
    for (int i = 0; i < IPV4_BYTES; i += 2)
        sum += (unsigned)(ip[i] << 8 | ip[i + 1]);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return ~sum & 0xffff;
}

/* UDP from 127.0.0.1 to itself; a UDP checksum of 0 means none (RFC 768). */
static void build_frame(struct warmer *warmer, in_port_t port)
{
    static const uint8_t ethertype_ipv4[] = {0x08, 0x00}, home[] = {127, 0, 0, 1};
    uint8_t *ethernet = warmer->frame + OFFLOAD_BYTES;
    uint8_t *ip = ethernet + ETHERNET_BYTES, *udp = ip + IPV4_BYTES;
    memset(warmer->frame, 0, sizeof warmer->frame);
    memcpy(ethernet + 12, ethertype_ipv4, sizeof ethertype_ipv4);
    ip[0] = 0x45; /* version 4, five words */
    write_u16(ip + 2, IP_TOTAL_BYTES);
    ip[8] = 1; /* time to live */
    ip[9] = IPPROTO_UDP;
    memcpy(ip + 12, home, sizeof home);
    memcpy(ip + 16, home, sizeof home);
    write_u16(ip + 10, ipv4_checksum(ip));
    write_u16(udp, ntohs(port));
    write_u16(udp + 2, ntohs(port));
    write_u16(udp + 4, IP_TOTAL_BYTES - IPV4_BYTES);
    warmer->frame_bytes = OFFLOAD_BYTES + ETHERNET_BYTES + IP_TOTAL_BYTES;
}

static void build_out_frame(struct warmer *warmer, uint32_t mtu_bytes)
{
    uint8_t *ethernet = warmer->out_frame + OFFLOAD_BYTES;
    uint32_t payload_bytes = mtu_bytes < IP_TOTAL_BYTES ? mtu_bytes : IP_TOTAL_BYTES;
    memset(warmer->out_frame, 0, sizeof warmer->out_frame);
    write_u16(ethernet + 12, ETHERTYPE_EXPERIMENT);
    warmer->out_bytes = OFFLOAD_BYTES + ETHERNET_BYTES + payload_bytes;
}

int warmer_init(struct warmer *warmer, const char *out_interface, uint32_t mtu_bytes)
{
    in_port_t port = 0;
    warmer->udp_fd = open_receiver(&port);
    warmer->packet_fd = open_sender("lo");
    warmer->out_fd = open_sender(out_interface);
    if (warmer->udp_fd < 0 || warmer->packet_fd < 0 || warmer->out_fd < 0) {
        warmer_fini(warmer);
        return -1;
    }
    build_frame(warmer, port);
    build_out_frame(warmer, mtu_bytes);
    return 0;
}

void warmer_fini(struct warmer *warmer)
{
    if (warmer->udp_fd >= 0)
        close(warmer->udp_fd);
    if (warmer->packet_fd >= 0)
        close(warmer->packet_fd);
    if (warmer->out_fd >= 0)
        close(warmer->out_fd);
    warmer->udp_fd = warmer->packet_fd = warmer->out_fd = -1;
}

/* What becomes of the frames does not matter: nothing depends on them but the timing. */
void warmer_run(struct warmer *warmer, bool after_long_pause)
{
    uint8_t unread[1];
    if (warmer->packet_fd < 0)
        return;
    if (after_long_pause)
        (void)!send(warmer->out_fd, warmer->out_frame, warmer->out_bytes, MSG_DONTWAIT);
    if (send(warmer->packet_fd, warmer->frame, warmer->frame_bytes, MSG_DONTWAIT) > 0)
        while (recv(warmer->udp_fd, unread, sizeof unread, MSG_DONTWAIT) > 0)
            ;
}

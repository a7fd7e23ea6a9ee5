/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay_port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    RING_BYTES = 8 << 20,
    ETHERNET_BYTES = 14,
    ALIGNMENT_SLACK_BYTES = 64,
    /* The offload header says "checksum still to be done": handed on, it is done in the end
     * by whoever must, and a frame is relayed as it is. */
    OFFLOAD_BYTES = sizeof(struct virtio_net_hdr),
    NS_PER_S = 1000000000,
};

static int relay_port_fail(const char *interface, const char *what, char *error, size_t error_bytes)
{
    snprintf(error, error_bytes, "%s: %s: %s", interface, what, strerror(errno));
    return -1;
}

static int read_interface(struct port *port, const char *interface, char *error, size_t error_bytes)
{
    struct ifreq request = {0};
    size_t length = strlen(interface);
    if (length >= sizeof request.ifr_name) {
        errno = ENAMETOOLONG;
        return relay_port_fail("interface", interface, error, error_bytes);
    }
    memcpy(request.ifr_name, interface, length);
    if (ioctl(port->fd, SIOCGIFMTU, &request))
        return relay_port_fail(interface, "no such interface", error, error_bytes);
    port->mtu_bytes = (uint32_t)request.ifr_mtu;
    if (ioctl(port->fd, SIOCGIFFLAGS, &request))
        return relay_port_fail(interface, "cannot read its state", error, error_bytes);
    if (!(request.ifr_flags & IFF_UP)) {
        errno = ENETDOWN;
        return relay_port_fail(interface, "set it up first", error, error_bytes);
    }
    return 0;
}

static int set_flag(const struct port *port, int level, int option, int value)
{
    return setsockopt(port->fd, level, option, &value, sizeof value);
}

/* The ring's format, the offload header and stamps from the moment of reception, not from
 * that of reading; what we send ourselves is not to come back. */
static int set_options(const struct port *port)
{
    if (set_flag(port, SOL_PACKET, PACKET_VERSION, TPACKET_V2)
        || set_flag(port, SOL_PACKET, PACKET_VNET_HDR, 1)
        || set_flag(port, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1))
        return -1;
    return set_flag(port, SOL_SOCKET, SO_TIMESTAMPNS, 1);
}

static int map_ring(struct port *port)
{
    size_t headers = sizeof(struct tpacket2_hdr) + sizeof(struct sockaddr_ll) + OFFLOAD_BYTES;
    size_t needed = headers + ALIGNMENT_SLACK_BYTES + ETHERNET_BYTES + port->mtu_bytes;
    port->slot_bytes = 2048;
    while (port->slot_bytes < needed)
        port->slot_bytes *= 2;
    port->block_bytes = port->slot_bytes > 65536 ? port->slot_bytes : 65536;
    port->slots = RING_BYTES / port->slot_bytes;
    struct tpacket_req ring = {
        .tp_block_size = (unsigned)port->block_bytes,
        .tp_block_nr = (unsigned)(RING_BYTES / port->block_bytes),
        .tp_frame_size = (unsigned)port->slot_bytes,
        .tp_frame_nr = (unsigned)port->slots,
    };
    if (setsockopt(port->fd, SOL_PACKET, PACKET_RX_RING, &ring, sizeof ring))
        return -1;
    port->ring_bytes = RING_BYTES;
    port->ring = mmap(NULL, port->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, port->fd, 0);
    return port->ring == MAP_FAILED ? -1 : 0;
}

static int relay_port_join(const struct port *port, const char *interface)
{
    struct sockaddr_ll address = {
        .sll_family = AF_PACKET,
        .sll_protocol = htons(ETH_P_ALL),
        .sll_ifindex = (int)if_nametoindex(interface),
    };
    struct packet_mreq all = {.mr_ifindex = address.sll_ifindex, .mr_type = PACKET_MR_PROMISC};
    if (setsockopt(port->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all))
        return -1;
    return bind(port->fd, (struct sockaddr *)&address, sizeof address);
}

int port_open(struct port *port, const char *interface, char *error, size_t error_bytes)
{
    *port = (struct port){.ring = MAP_FAILED};
    port->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (port->fd < 0)
        return relay_port_fail(interface, "packet socket", error, error_bytes);
    if (read_interface(port, interface, error, error_bytes)) {
        port_close(port);
        return -1;
    }
    if (set_options(port) || map_ring(port) || relay_port_join(port, interface)) {
        relay_port_fail(interface, "packet ring", error, error_bytes);
        port_close(port);
        return -1;
    }
    return 0;
}

void port_close(struct port *port)
{
    if (port->ring != MAP_FAILED)
        munmap(port->ring, port->ring_bytes);
    close(port->fd);
    port->ring = MAP_FAILED;
    port->fd = -1;
}

size_t port_data_bytes(const struct port *port)
{
    return OFFLOAD_BYTES + ETHERNET_BYTES + port->mtu_bytes;
}

static struct tpacket2_hdr *slot(const struct port *port)
{
    return (struct tpacket2_hdr *)(void *)(port->ring + port->next * port->slot_bytes);
}

static bool slot_is_ours(const struct port *port)
{
    return __atomic_load_n(&slot(port)->tp_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER;
}

void port_done(struct port *port)
{
    __atomic_store_n(&slot(port)->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
    port->next = (port->next + 1) % port->slots;
}

bool port_receive(struct port *port, struct port_frame *frame)
{
    while (slot_is_ours(port)) {
        const struct tpacket2_hdr *header = slot(port);
        if (header->tp_len <= ETHERNET_BYTES + port->mtu_bytes) {
            frame->ethernet = (const uint8_t *)header + header->tp_mac;
            frame->bytes = header->tp_snaplen;
            frame->data = frame->ethernet - OFFLOAD_BYTES;
            frame->data_bytes = OFFLOAD_BYTES + frame->bytes;
            frame->arrival_ns = (int64_t)header->tp_sec * NS_PER_S + header->tp_nsec;
            return true;
        }
        port->oversize++;
        port_done(port);
    }
    return false;
}

int port_send(const struct port *port, const uint8_t *data, size_t data_bytes)
{
    ssize_t sent;
    do
        sent = send(port->fd, data, data_bytes, MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -1 : 0;
}

bool port_failed(const struct port *port)
{
    int error = 0;
    socklen_t bytes = sizeof error;
    return getsockopt(port->fd, SOL_SOCKET, SO_ERROR, &error, &bytes) || error;
}

uint64_t port_dropped(const struct port *port)
{
    struct tpacket_stats stats = {0};
    socklen_t bytes = sizeof stats;
    if (getsockopt(port->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &bytes))
        return 0;
    return stats.tp_drops;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay_frame.h"

#include <sys/mman.h>

#include "relay_random.h"

enum { POOL_BYTES = 32 << 20, SLOT_ALIGN = 64 };

int frame_pool_init(struct frame_pool *pool, size_t data_bytes)
{
    size_t bytes = sizeof(struct frame) + data_bytes;
    *pool = (struct frame_pool){.memory_bytes = POOL_BYTES};
    pool->slot_bytes = (bytes + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN;
    pool->slots = POOL_BYTES / pool->slot_bytes;
    /* Populated: a page fault in the middle of a train would be a timing error. */
    pool->memory = mmap(NULL, pool->memory_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (pool->memory == MAP_FAILED)
        return -1;
    for (size_t i = pool->slots; i-- > 0;)
        frame_give_back(pool, (struct frame *)(void *)(pool->memory + i * pool->slot_bytes));
    return 0;
}

void frame_pool_fini(struct frame_pool *pool)
{
    munmap(pool->memory, pool->memory_bytes);
    *pool = (struct frame_pool){0};
}

struct frame *frame_take(struct frame_pool *pool)
{
    struct frame *frame = pool->free;
    if (frame)
        pool->free = frame->next;
    return frame;
}

void frame_give_back(struct frame_pool *pool, struct frame *frame)
{
    frame->next = pool->free;
    pool->free = frame;
}

enum {
    ETHERNET_BYTES = 14,
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_IPV6 = 0x86dd,
    IPV4_BYTES = 20,
    IPV6_BYTES = 40,
    UDP_BYTES = 8,
    PORTS_BYTES = 4,
    PROTOCOL_TCP = 6,
    PROTOCOL_UDP = 17,
};

static uint16_t read_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static enum frame_kind classify_udp(const uint8_t *udp, const uint8_t *end, uint16_t port)
{
    if (port == 0)
        return FRAME_MARKED;
    if (end - udp < UDP_BYTES || read_u16(udp + 2) != port)
        return FRAME_UDP;
    return FRAME_MARKED;
}

static enum frame_kind classify_ipv4(const uint8_t *ip, const uint8_t *end, uint16_t port)
{
    if (end - ip < IPV4_BYTES || ip[9] != PROTOCOL_UDP)
        return FRAME_IP;
    /* A later fragment has no UDP header to find a port in. */
    bool later_fragment = read_u16(ip + 6) & 0x1fff;
    const uint8_t *udp = later_fragment ? end : ip + (ip[0] & 0x0f) * 4;
    return classify_udp(udp > end ? end : udp, end, port);
}

static enum frame_kind classify_ipv6(const uint8_t *ip, const uint8_t *end, uint16_t port)
{
    if (end - ip < IPV6_BYTES || ip[6] != PROTOCOL_UDP)
        return FRAME_IP;
    return classify_udp(ip + IPV6_BYTES, end, port);
}

enum frame_kind frame_classify(const uint8_t *ethernet, size_t bytes, uint16_t port)
{
    const uint8_t *ip = ethernet + ETHERNET_BYTES, *end = ethernet + bytes;
    if (bytes < ETHERNET_BYTES)
        return FRAME_OTHER;
    switch (read_u16(ethernet + 12)) {
    case ETHERTYPE_IPV4: return classify_ipv4(ip, end, port);
    case ETHERTYPE_IPV6: return classify_ipv6(ip, end, port);
    default: return FRAME_OTHER;
    }
}

/* FNV-1a (Fowler, Noll, Vo), from where it is. */
static uint64_t hash_on(uint64_t hash, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint32_t flow_of(const uint8_t *protocol, const uint8_t *addresses, size_t address_bytes,
                        const uint8_t *ports)
{
    uint64_t hash = hash_on(UINT64_C(0xcbf29ce484222325), addresses, address_bytes);
    hash = hash_on(hash, protocol, 1);
    if (ports && (*protocol == PROTOCOL_UDP || *protocol == PROTOCOL_TCP))
        hash = hash_on(hash, ports, PORTS_BYTES);
    return (uint32_t)random_of(hash);
}

static uint32_t flow_of_ipv4(const uint8_t *ip, const uint8_t *end)
{
    if (end - ip < IPV4_BYTES)
        return 0;
    int header_bytes = (ip[0] & 0x0f) * 4;
    bool fragment = read_u16(ip + 6) & 0x3fff;
    bool ports = !fragment && end - ip >= header_bytes + PORTS_BYTES;
    return flow_of(ip + 9, ip + 12, 8, ports ? ip + header_bytes : NULL);
}

static uint32_t flow_of_ipv6(const uint8_t *ip, const uint8_t *end)
{
    if (end - ip < IPV6_BYTES)
        return 0;
    bool ports = end - ip >= IPV6_BYTES + PORTS_BYTES;
    return flow_of(ip + 6, ip + 8, 32, ports ? ip + IPV6_BYTES : NULL);
}

uint32_t frame_flow(const uint8_t *ethernet, size_t bytes)
{
    const uint8_t *ip = ethernet + ETHERNET_BYTES, *end = ethernet + bytes;
    if (bytes < ETHERNET_BYTES)
        return 0;
    switch (read_u16(ethernet + 12)) {
    case ETHERTYPE_IPV4: return flow_of_ipv4(ip, end);
    case ETHERTYPE_IPV6: return flow_of_ipv6(ip, end);
    default: return 0;
    }
}

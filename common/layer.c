/* SPDX-License-Identifier: BSD-3-Clause */
#include "layer.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    UDP_HEADER_BYTES = 8,
    IPV4_HEADER_BYTES = 20,
    IPV6_HEADER_BYTES = 40,
    ETHERNET_BYTES = 18,   /* header 14, frame check sequence 4 */
    WIRE_EXTRA_BYTES = 20, /* preamble and delimiter 8, inter-frame gap 12 */
    WIRE_LEAST_BYTES = 84, /* a minimum frame of 64, and those 20 */
    FIXED_MOST_BYTES = 65535
};

static const char *const names[] = {"udp", "ip", "l2", "wire"};

int layer_parse(struct layer *layer, const char *text, struct error *error)
{
    char *end;
    unsigned long number;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) == 0) {
            *layer = (struct layer){.kind = (enum layer_kind)i};
            return 0;
        }
    }
    number = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || number > FIXED_MOST_BYTES)
        return error_set(error, "layer '%.80s': " LAYER_WANTED, text);
    *layer = (struct layer){.kind = LAYER_FIXED, .fixed_bytes = (uint32_t)number};
    return 0;
}

const char *layer_name(const struct layer *layer, char *room)
{
    if (layer->kind != LAYER_FIXED)
        return names[layer->kind];
    snprintf(room, 12, "%u", layer->fixed_bytes);
    return room;
}

static uint32_t overhead_bytes(const struct layer *layer, enum layer_ip ip)
{
    uint32_t headers = UDP_HEADER_BYTES;

    headers += ip == LAYER_IPV6 ? IPV6_HEADER_BYTES : IPV4_HEADER_BYTES;
    switch (layer->kind) {
    case LAYER_UDP: return 0;
    case LAYER_IP: return headers;
    case LAYER_L2: return headers + ETHERNET_BYTES;
    case LAYER_WIRE: return headers + ETHERNET_BYTES + WIRE_EXTRA_BYTES;
    case LAYER_FIXED: break;
    }
    return layer->fixed_bytes;
}

uint32_t layer_bytes(const struct layer *layer, enum layer_ip ip, uint32_t payload_bytes)
{
    uint32_t size = payload_bytes + overhead_bytes(layer, ip);

    if (layer->kind == LAYER_WIRE && size < WIRE_LEAST_BYTES)
        return WIRE_LEAST_BYTES;
    return size;
}

int32_t layer_payload(const struct layer *layer, enum layer_ip ip, uint32_t size_bytes)
{
    uint32_t overhead = overhead_bytes(layer, ip);

    if (layer->kind == LAYER_WIRE && size_bytes < WIRE_LEAST_BYTES)
        return -1;
    return size_bytes < overhead ? -1 : (int32_t)(size_bytes - overhead);
}

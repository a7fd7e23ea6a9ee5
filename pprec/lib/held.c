/* SPDX-License-Identifier: BSD-3-Clause */
#include "held.h"

#include <string.h>

void held_init(struct held *held)
{
    memset(held, 0, offsetof(struct held, packets));
}

static struct held_flow *held_begin(struct held *held, uint8_t *place)
{
    unsigned number = held->next;
    struct held_flow *flow = &held->flows[number];

    held->next = (number + 1) % HELD_FLOWS;
    if (flow->place != NULL)
        held_release(held, flow->place);
    flow->place = place;
    flow->count = 0;
    *place = (uint8_t)(number + 1);
    return flow;
}

void held_keep(struct held *held, uint8_t *place, const struct packet *packet)
{
    struct held_flow *flow = *place != 0 ? &held->flows[*place - 1] : held_begin(held, place);
    size_t bytes = packet->data_bytes < HELD_DATA_BYTES ? packet->data_bytes : HELD_DATA_BYTES;
    struct held_packet *kept;

    if (flow->count == HELD_PACKETS) {
        held->dropped++;
        return;
    }
    kept = &held->packets[flow - held->flows][flow->count++];
    kept->packet = *packet;
    kept->packet.data_bytes = bytes;
    memcpy(kept->data, packet->data, bytes);
}

unsigned held_count(const struct held *held, uint8_t number)
{
    return number != 0 ? held->flows[number - 1].count : 0;
}

struct packet held_packet(const struct held *held, uint8_t number, unsigned i)
{
    const struct held_packet *kept = &held->packets[number - 1][i];
    struct packet packet = kept->packet;

    packet.data = kept->data;
    return packet;
}

void held_move(struct held *held, uint8_t *place)
{
    held->flows[*place - 1].place = place;
}

void held_forget(struct held *held, uint8_t *place)
{
    held->flows[*place - 1].place = NULL;
    *place = 0;
}

void held_release(struct held *held, uint8_t *place)
{
    held->dropped += held->flows[*place - 1].count;
    held_forget(held, place);
}

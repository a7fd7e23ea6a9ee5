/* SPDX-License-Identifier: BSD-3-Clause */
#include "flows.h"

#include "pprec/lib/endpoint.h"

#include <string.h>

enum { ANEW_PACKETS = 16 };

static int get_room(struct flows *flows, size_t room)
{
    struct flow *all = memory_get(flows->memory, room * sizeof *all);
    struct flow **buckets = memory_get(flows->memory, 2 * room * sizeof *buckets);

    if (all == NULL || buckets == NULL) {
        memory_put(flows->memory, all);
        memory_put(flows->memory, buckets);
        return -1;
    }
    flows->all = all;
    flows->buckets = buckets;
    flows->room = room;
    return 0;
}

struct flows *flows_new(const struct memory *memory, const struct keyed_hash *hash, size_t room, bool hold)
{
    struct flows *flows = memory_get(memory, sizeof *flows);

    if (flows == NULL)
        return NULL;
    flows->memory = memory;
    flows->hash = hash;
    if (hold)
        flows->held = memory_get_unclean(memory, sizeof *flows->held);
    if (flows->held != NULL)
        held_init(flows->held);
    if ((!hold || flows->held != NULL) && get_room(flows, room) == 0)
        return flows;
    flows_free(flows);
    return NULL;
}

void flows_free(struct flows *flows)
{
    if (flows == NULL)
        return;
    memory_put(flows->memory, flows->all);
    memory_put(flows->memory, flows->buckets);
    memory_put(flows->memory, flows->held);
    memory_put(flows->memory, flows);
}

static struct flow **flows_bucket_of(struct flows *flows, const struct pprec_endpoint *source,
                                     const struct pprec_endpoint *destination, uint32_t id)
{
    uint32_t words[1 + 2 * ENDPOINT_WORDS] = {id};

    endpoint_name(words + 1, source);
    endpoint_name(words + 1 + ENDPOINT_WORDS, destination);
    return &flows->buckets[keyed_hash(flows->hash, words, 1 + 2 * ENDPOINT_WORDS) % (2 * flows->room)];
}

static bool is_of(const struct flow *flow, const struct packet *packet, uint32_t id)
{
    return flow->id == id && flow->protocol == packet->protocol
        && endpoint_same(&flow->source, &packet->arrival.source)
        && endpoint_same(&flow->destination, &packet->arrival.destination);
}

static void flows_enqueue(struct flows *flows, struct flow *flow)
{
    flow->newer = NULL;
    flow->older = flows->newest;
    *(flows->newest != NULL ? &flows->newest->newer : &flows->oldest) = flow;
    flows->newest = flow;
}

static void flows_dequeue(struct flows *flows, struct flow *flow)
{
    *(flow->older != NULL ? &flow->older->newer : &flows->oldest) = flow->newer;
    *(flow->newer != NULL ? &flow->newer->older : &flows->newest) = flow->older;
}

static struct flow *give_up_oldest(struct flows *flows)
{
    struct flow *flow = flows->oldest;
    struct flow **link = flows_bucket_of(flows, &flow->source, &flow->destination, flow->id);

    while (*link != flow)
        link = &(*link)->next_in_bucket;
    *link = flow->next_in_bucket;
    flows_dequeue(flows, flow);
    if (flow->held != 0)
        held_release(flows->held, &flow->held);
    flows->pushed_out++;
    return flow;
}

static void move_in(struct flows *flows, const struct flow *from)
{
    struct flow *flow = &flows->all[flows->count++];
    struct flow **bucket = flows_bucket_of(flows, &from->source, &from->destination, from->id);

    *flow = *from;
    flow->next_in_bucket = *bucket;
    *bucket = flow;
    flows_enqueue(flows, flow);
    if (flow->held != 0)
        held_move(flows->held, &flow->held);
}

/* Twice the room, in the same order; where there is no memory for that, as it is. */
static void flows_grow(struct flows *flows)
{
    struct flows old = *flows;

    if (flows->room >= FLOWS_MAX
        || !memory_plenty(flows->memory, 2 * flows->room * (sizeof *flows->all + 2 * sizeof *flows->buckets))
        || get_room(flows, 2 * flows->room) < 0)
        return;
    flows->count = 0;
    flows->oldest = flows->newest = NULL;
    for (const struct flow *flow = old.oldest; flow != NULL; flow = flow->newer)
        move_in(flows, flow);
    memory_put(flows->memory, old.all);
    memory_put(flows->memory, old.buckets);
}

/* FNV-1a's constants, word by word: the same in every run. */
static uint64_t flows_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

static uint64_t mix_endpoint(uint64_t hash, const struct pprec_endpoint *endpoint)
{
    uint64_t words[2];

    memcpy(words, endpoint->address, sizeof words);
    return flows_mix(flows_mix(flows_mix(hash, words[0]), words[1]), endpoint->port);
}

static uint32_t number_of(const struct flow *flow)
{
    return (uint32_t)flows_mix(mix_endpoint(mix_endpoint(flow->protocol, &flow->source), &flow->destination),
                               flow->id);
}

static struct flow *flows_add(struct flows *flows, const struct packet *packet, uint32_t id)
{
    struct flow **bucket, *flow;

    if (flows->count == flows->room)
        flows_grow(flows);
    flow = flows->count < flows->room ? &flows->all[flows->count++] : give_up_oldest(flows);
    bucket = flows_bucket_of(flows, &packet->arrival.source, &packet->arrival.destination, id);
    *flow = (struct flow){
        .source = packet->arrival.source,
        .destination = packet->arrival.destination,
        .id = id,
        .protocol = packet->protocol,
        .nature = packet->protocol == PACKET_UDP ? FLOW_NEW : FLOW_PLAIN,
        .next_in_bucket = *bucket,
    };
    flow->number = number_of(flow);
    *bucket = flow;
    flows_enqueue(flows, flow);
    return flow;
}

struct flow *flows_find(struct flows *flows, const struct packet *packet, uint32_t id)
{
    struct flow *flow = flows->newest;

    if (flow != NULL && is_of(flow, packet, id))
        return flow; /* most packets follow one of their own */
    flow = *flows_bucket_of(flows, &packet->arrival.source, &packet->arrival.destination, id);
    while (flow != NULL && !is_of(flow, packet, id))
        flow = flow->next_in_bucket;
    if (flow == NULL)
        return flows_add(flows, packet, id);
    flows_dequeue(flows, flow);
    flows_enqueue(flows, flow);
    return flow;
}

/* As RFC 3550, appendix A.1, but more patient: packets held up come in a row too. */
bool flow_begins_anew(struct flow *stream, uint32_t seq)
{
    struct candidate *behind = &stream->candidates[0]; /* the nature is decided */

    behind->streak = behind->seq + 1 == seq ? (uint8_t)(behind->streak + 1) : 1;
    behind->seq = seq;
    if (behind->streak < ANEW_PACKETS)
        return false;
    behind->streak = 0;
    stream->begun = false;
    return true;
}

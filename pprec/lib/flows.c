/* SPDX-License-Identifier: BSD-3-Clause */
#include "flows.h"

#include <string.h>

enum { BUCKETS = 2 * FLOWS_MAX, ANEW_PACKETS = 16 };

struct flows *flows_new(const struct memory *memory, const struct keyed_hash *hash)
{
    struct flows *flows = memory_get(memory, sizeof *flows);

    if (flows == NULL)
        return NULL;
    flows->hash = hash;
    flows->all = memory_get(memory, FLOWS_MAX * sizeof *flows->all);
    flows->buckets = memory_get(memory, BUCKETS * sizeof *flows->buckets);
    if (flows->all != NULL && flows->buckets != NULL)
        return flows;
    flows_free(flows, memory);
    return NULL;
}

void flows_free(struct flows *flows, const struct memory *memory)
{
    if (flows == NULL)
        return;
    memory_put(memory, flows->all);
    memory_put(memory, flows->buckets);
    memory_put(memory, flows);
}

static struct flow **bucket_of(struct flows *flows, const struct pprec_endpoint *source,
                               const struct pprec_endpoint *destination, uint32_t id)
{
    uint32_t words[10] = {id, (uint32_t)source->port << 16 | destination->port};

    memcpy(words + 2, source->address, sizeof source->address);
    memcpy(words + 6, destination->address, sizeof destination->address);
    return &flows->buckets[keyed_hash(flows->hash, words, 10) % BUCKETS];
}

static bool same_endpoint(const struct pprec_endpoint *a, const struct pprec_endpoint *b)
{
    return a->port == b->port && a->ip == b->ip
        && memcmp(a->address, b->address, sizeof a->address) == 0;
}

static bool is_of(const struct flow *flow, const struct packet *packet, uint32_t id)
{
    return flow->id == id && flow->protocol == packet->protocol
        && same_endpoint(&flow->source, &packet->source)
        && same_endpoint(&flow->destination, &packet->destination);
}

static void enqueue(struct flows *flows, struct flow *flow)
{
    flow->newer = NULL;
    flow->older = flows->newest;
    *(flows->newest != NULL ? &flows->newest->newer : &flows->oldest) = flow;
    flows->newest = flow;
}

static void dequeue(struct flows *flows, struct flow *flow)
{
    *(flow->older != NULL ? &flow->older->newer : &flows->oldest) = flow->newer;
    *(flow->newer != NULL ? &flow->newer->older : &flows->newest) = flow->older;
}

static struct flow *give_up_oldest(struct flows *flows)
{
    struct flow *flow = flows->oldest;
    struct flow **link = bucket_of(flows, &flow->source, &flow->destination, flow->id);

    while (*link != flow)
        link = &(*link)->next_in_bucket;
    *link = flow->next_in_bucket;
    dequeue(flows, flow);
    flows->pushed_out++;
    return flow;
}

static struct flow *add(struct flows *flows, struct flow **bucket, const struct packet *packet,
                        uint32_t id)
{
    struct flow *flow = flows->count < FLOWS_MAX ? &flows->all[flows->count++]
                                                 : give_up_oldest(flows);

    *flow = (struct flow){
        .source = packet->source,
        .destination = packet->destination,
        .id = id,
        .protocol = packet->protocol,
        .nature = packet->protocol == PACKET_UDP ? FLOW_NEW : FLOW_PLAIN,
        .next_in_bucket = *bucket,
    };
    *bucket = flow;
    enqueue(flows, flow);
    return flow;
}

struct flow *flows_find(struct flows *flows, const struct packet *packet, uint32_t id)
{
    struct flow **bucket;
    struct flow *flow = flows->newest;

    if (flow != NULL && is_of(flow, packet, id))
        return flow; /* most packets follow one of their own */
    bucket = bucket_of(flows, &packet->source, &packet->destination, id);
    for (flow = *bucket; flow != NULL && !is_of(flow, packet, id);)
        flow = flow->next_in_bucket;
    if (flow == NULL)
        return add(flows, bucket, packet, id);
    dequeue(flows, flow);
    enqueue(flows, flow);
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

/* FNV-1a's constants, word by word: the same in every run. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

static uint64_t mix_endpoint(uint64_t hash, const struct pprec_endpoint *endpoint)
{
    uint64_t words[2];

    memcpy(words, endpoint->address, sizeof words);
    return mix(mix(mix(hash, words[0]), words[1]), endpoint->port);
}

uint32_t flow_number(const struct flow *flow)
{
    return (uint32_t)mix(mix_endpoint(flow->protocol, &flow->destination), flow->id);
}

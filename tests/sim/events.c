/* SPDX-License-Identifier: BSD-3-Clause */
#include "events.h"

#include "memory.h"
#include "tcp.h"
#include "units.h"

#include <stdbool.h>
#include <stdlib.h>

/* Whose packet or event it is. */
enum owner { OWNER_PROBE, OWNER_OPEN, OWNER_TCP };

enum kind {
    EVENT_ARRIVE, /* a packet at a hop, or past the last one */
    EVENT_SOURCE, /* an open-loop flow has a packet */
    EVENT_ACK,    /* back at the TCP sender */
    EVENT_TIMER   /* of a TCP sender, or its start */
};

struct event {
    int64_t at_ps;
    uint64_t order; /* of creation: events of one time happen in it */
    enum kind kind;
    enum owner owner;
    size_t index; /* of the probe or flow */
    unsigned hop;
    unsigned leave;
    uint32_t bytes;
    uint32_t number; /* TCP: of the packet, or acknowledged before */
};

struct connection {
    struct sim_tcp tcp;
    const struct sim_traffic_config *config;
    struct sim_rng rng;
    int64_t access_free_ps;
};

struct world {
    const struct sim_path_config *path;
    struct sim_hop hop[SIM_HOPS_MAX];
    struct sim_probe *probes;
    size_t probes_pending;
    struct sim_background *background;
    struct sim_flow *flow;
    size_t flows;
    struct connection *connection;
    size_t connections;
    uint64_t crossed_bytes[SIM_HOPS_MAX];
    struct sim_rng loss;
    struct event *heap;
    size_t events;
    size_t room;
    uint64_t created;
};

/* --- The heap: earliest event first --- */

static bool before(const struct event *a, const struct event *b)
{
    return a->at_ps != b->at_ps ? a->at_ps < b->at_ps : a->order < b->order;
}

static void events_schedule(struct world *world, struct event event)
{
    size_t i = world->events++;

    event.order = world->created++;
    world->heap = sim_grow(world->heap, &world->room, world->events, sizeof(event));
    for (; i > 0 && before(&event, &world->heap[(i - 1) / 2]); i = (i - 1) / 2)
        world->heap[i] = world->heap[(i - 1) / 2];
    world->heap[i] = event;
}

static struct event take_first(struct world *world)
{
    struct event first = world->heap[0];
    struct event last = world->heap[--world->events];
    size_t i = 0;

    for (size_t child; (child = 2 * i + 1) < world->events; i = child) {
        if (child + 1 < world->events && before(&world->heap[child + 1], &world->heap[child]))
            child++;
        if (!before(&world->heap[child], &last))
            break;
        world->heap[i] = world->heap[child];
    }
    world->heap[i] = last;
    return first;
}

/* --- What happens --- */

/* A TCP sender sends what it may, through its own link into the path. The link
 * takes up to one packet time longer at random, or drop-tail queues would favour
 * one flow over another by phase alone (Floyd, Jacobson, Internetworking 3, 1992). */
static void tcp_send(struct world *world, size_t index, int64_t now_ps)
{
    struct connection *c = &world->connection[index];
    uint32_t number;

    while (sim_tcp_send(&c->tcp, now_ps, &number)) {
        uint32_t bytes = sim_mix_draw(c->config->mix, &c->rng);
        int64_t took_ps = sim_transmit_ps(bytes, c->config->access_bps);
        int64_t late_ps = (int64_t)(sim_rng_uniform(&c->rng) * (double)took_ps);

        c->access_free_ps = sim_later(c->access_free_ps, now_ps) + took_ps + late_ps;
        events_schedule(world,
                        (struct event){.at_ps = c->access_free_ps,
                                       .kind = EVENT_ARRIVE,
                                       .owner = OWNER_TCP,
                                       .index = index,
                                       .hop = c->config->enter,
                                       .leave = c->config->leave,
                                       .bytes = bytes,
                                       .number = number});
    }
}

static void packet_ends(struct world *world, const struct event *event)
{
    bool at_receiver = event->leave > world->path->hops;

    if (event->owner == OWNER_PROBE) {
        world->probes[event->index].arrived_ps = event->at_ps;
        world->probes_pending--;
        return;
    }
    if (at_receiver)
        sim_background_add(world->background, event->at_ps);
    if (event->owner == OWNER_TCP) {
        struct connection *c = &world->connection[event->index];
        events_schedule(world,
                        (struct event){.at_ps = event->at_ps + c->config->return_ns * SIM_PS_PER_NS,
                                       .kind = EVENT_ACK,
                                       .index = event->index,
                                       .number = sim_tcp_receive(&c->tcp, event->number)});
    }
}

static void events_count(struct world *world, const struct event *event)
{
    const struct sim_probe *probe = &world->probes[event->index];

    if (world->background && world->background->crossed && probe->position == 0)
        world->background->crossed[probe->train][event->hop] =
            (struct sim_crossed){event->at_ps, world->crossed_bytes[event->hop]};
}

static void packet_arrives(struct world *world, struct event event)
{
    struct sim_hop *hop = &world->hop[event.hop];
    int64_t start_ps, end_ps;

    if (event.hop >= world->path->hops || event.hop >= event.leave) {
        packet_ends(world, &event);
        return;
    }
    if (event.owner == OWNER_PROBE)
        events_count(world, &event);
    if (sim_rng_chance(&world->loss, hop->config.loss)
        || !sim_hop_accept(hop, event.at_ps, event.bytes, &start_ps, &end_ps)) {
        world->probes_pending -= event.owner == OWNER_PROBE;
        return;
    }
    if (event.owner == OWNER_PROBE)
        world->probes[event.index].wait_ps += start_ps - event.at_ps;
    else
        world->crossed_bytes[event.hop] += event.bytes;
    event.at_ps = end_ps;
    event.hop++;
    events_schedule(world, event);
}

static void source_sends(struct world *world, struct event event)
{
    struct sim_flow *flow = &world->flow[event.index];

    packet_arrives(world,
                   (struct event){.at_ps = flow->next_ps,
                                  .kind = EVENT_ARRIVE,
                                  .owner = OWNER_OPEN,
                                  .hop = flow->config->enter,
                                  .leave = flow->config->leave,
                                  .bytes = flow->next_bytes});
    sim_flow_advance(flow);
    event.at_ps = flow->next_ps;
    events_schedule(world, event);
}

static void acknowledged(struct world *world, const struct event *event)
{
    sim_tcp_acknowledge(&world->connection[event->index].tcp, event->number, event->at_ps);
    tcp_send(world, event->index, event->at_ps);
}

/* One timer event a connection is always under way; it runs after the deadline,
 * which moves with every acknowledgement. */
static void timer_fires(struct world *world, struct event event)
{
    struct sim_tcp *tcp = &world->connection[event.index].tcp;

    if (event.at_ps >= tcp->deadline_ps)
        sim_tcp_expire(tcp, event.at_ps);
    tcp_send(world, event.index, event.at_ps);
    event.at_ps = tcp->deadline_ps != SIM_NEVER_PS ? tcp->deadline_ps : event.at_ps + tcp->timeout_ps;
    events_schedule(world, event);
}

static void happen(struct world *world, struct event event)
{
    switch (event.kind) {
    case EVENT_ARRIVE: packet_arrives(world, event); break;
    case EVENT_SOURCE: source_sends(world, event); break;
    case EVENT_ACK: acknowledged(world, &event); break;
    case EVENT_TIMER: timer_fires(world, event); break;
    }
}

/* --- The beginning and the end --- */

/* Connections start within the first second, and have the rest to find their
 * share before the first train. */
#define WARMUP_PS (20 * SIM_PS_PER_S)

static void open_connection(struct world *world, const struct sim_traffic_config *config, uint64_t seed,
                            uint64_t stream, int64_t from_ps)
{
    struct connection *c = &world->connection[world->connections];
    double start_ps;

    *c = (struct connection){.config = config, .access_free_ps = INT64_MIN};
    sim_tcp_init(&c->tcp, config->window_packets);
    sim_rng_init(&c->rng, seed, stream);
    start_ps = sim_rng_uniform(&c->rng) * (double)SIM_PS_PER_S;
    events_schedule(world,
                    (struct event){.at_ps = from_ps + (int64_t)start_ps,
                                   .kind = EVENT_TIMER,
                                   .index = world->connections++});
}

static void open_flow(struct world *world, const struct sim_traffic_config *config, uint64_t seed,
                      uint64_t stream, int64_t from_ps)
{
    struct sim_flow *flow = &world->flow[world->flows];

    sim_flow_init(flow, config, seed, stream);
    sim_flow_start(flow, from_ps);
    events_schedule(world,
                    (struct event){.at_ps = flow->next_ps, .kind = EVENT_SOURCE, .index = world->flows++});
}

static unsigned events_flows_of(const struct sim_traffic_config *config)
{
    return config->flows ? config->flows : 1;
}

static void open_traffic(struct world *world, uint64_t seed, int64_t from_ps)
{
    const struct sim_path_config *path = world->path;
    size_t flows = 0;

    for (unsigned i = 0; i < path->traffics; i++)
        flows += events_flows_of(&path->traffic[i]);
    world->flow = sim_allocate(flows, sizeof(*world->flow));
    world->connection = sim_allocate(flows, sizeof(*world->connection));
    for (unsigned i = 0; i < path->traffics; i++) {
        const struct sim_traffic_config *config = &path->traffic[i];
        for (unsigned j = 0; j < events_flows_of(config); j++) {
            uint64_t stream = 1000 * (i + 1) + j;
            if (config->source == SIM_TCP)
                open_connection(world, config, seed, stream, from_ps);
            else
                open_flow(world, config, seed, stream, from_ps);
        }
    }
}

static void events_send_probe(struct world *world, size_t index)
{
    struct sim_probe *probe = &world->probes[index];

    probe->arrived_ps = SIM_NEVER_PS;
    probe->wait_ps = 0;
    events_schedule(world,
                    (struct event){.at_ps = probe->left_ps,
                                   .kind = EVENT_ARRIVE,
                                   .owner = OWNER_PROBE,
                                   .index = index,
                                   .leave = world->path->hops + 1,
                                   .bytes = probe->bytes});
}

static void close_world(struct world *world)
{
    for (unsigned h = 0; h < world->path->hops; h++)
        sim_hop_fini(&world->hop[h]);
    free(world->flow);
    free(world->connection);
    free(world->heap);
}

void sim_events_run(const struct sim_path_config *path, uint64_t seed, struct sim_probe *probes, size_t count,
                    struct sim_background *background)
{
    struct world world = {.path = path, .probes = probes, .probes_pending = count, .background = background};

    for (unsigned h = 0; h < path->hops; h++)
        sim_hop_init(&world.hop[h], &path->hop[h], seed, h);
    sim_rng_init(&world.loss, seed, 999);
    for (size_t i = 0; i < count; i++)
        events_send_probe(&world, i);
    if (count)
        open_traffic(&world, seed, probes[0].left_ps - WARMUP_PS);
    while (world.probes_pending)
        happen(&world, take_first(&world));
    close_world(&world);
}

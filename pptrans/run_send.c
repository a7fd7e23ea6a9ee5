/* SPDX-License-Identifier: BSD-3-Clause */
/* Trains on their way out, and what the kernel tells of when they left. */
#include "run.h"

#include "common/notify.h"
#include "pace.h"
#include "stop.h"

/* How often the service manager hears of it. */
#define STATUS_NS (10 * STAMP_NS_PER_S)

/* Over so many packets the time that the kernel takes for one is averaged. */
enum { HANDING_PACKETS = 16 };

/* --- departures --------------------------------------------------------- */

/* The train's stamps are in, or as many as will be: account for them. */
void run_settle(struct run *run)
{
    struct flight *flight = &run->flight;
    struct flight_spread spread;

    if (!run->in_flight)
        return;
    run->in_flight = false;
    flight_measure(flight, &spread);
    report_departure(&run->totals, &run->shape, flight, &spread);
    if (spread.known) {
        run->have_departure = true;
        run->departure_train = flight->train;
        run->departure_span_ns = spread.span_ns;
    }
    report_train(&run->report, &run->plan, &run->shape, flight, &spread);
}

void run_collect(struct run *run)
{
    struct departure departures[DEPARTURE_BATCH];
    size_t count;

    while (departure_read(run->burst.socket, departures, &count) > 0)
        for (size_t i = 0; i < count; i++)
            flight_note(&run->flight, &departures[i]);
    if (run->in_flight && flight_settled(&run->flight))
        run_settle(run);
}

/* After a refusal, once everything has left: the order of the three matters. */
static void renumber(struct run *run)
{
    if (!run->burst.uncertain || !run->burst.stamped || burst_pending(&run->burst))
        return;
    run_collect(run);
    burst_renumber(&run->burst);
}

/* --- trains ------------------------------------------------------------- */

/* Of the last train, at the layer. */
static uint64_t taken_bytes(const struct run *run)
{
    uint32_t taken = flight_taken(&run->flight);
    uint64_t bytes = (uint64_t)taken * run->shape.size_bytes;
    uint32_t small_bytes = run->shape.payload_bytes - run->shape.marker_bytes;

    return bytes - (taken == 0 ? 0 : taken == run->flight.packets ? 2 : 1) * (uint64_t)small_bytes;
}

static void account(struct run *run)
{
    struct report_totals *totals = &run->totals;
    uint32_t taken = flight_taken(&run->flight);

    totals->last_ns = stamp_now_ns(CLOCK_MONOTONIC);
    if (totals->trains++ == 0)
        totals->first_ns = totals->last_ns;
    totals->refused_segments = run->burst.refused_segments;
    totals->packets += taken;
    totals->refused += run->flight.failed;
    totals->unsent += run->flight.unsent;
    totals->last_bytes = taken_bytes(run);
    totals->bytes += totals->last_bytes;
}

/* Sequence numbers that the train has used up. What was not sent uses none: so the receiver
 * does not miss it. In the classic format a number says where in its train a packet is. */
static uint32_t numbers_used(const struct run *run)
{
    uint32_t taken = flight_taken(&run->flight);

    return run->plan.classic && taken > 0 ? run->flight.packets : taken;
}

static void tell_status(struct run *run)
{
    const struct report_totals *totals = &run->totals;

    if (totals->last_ns - run->status_ns < STATUS_NS)
        return;
    run->status_ns = totals->last_ns;
    notify_send("STATUS=%llu trains, %llu packets sent, %llu refused", (unsigned long long)totals->trains,
                (unsigned long long)totals->packets, (unsigned long long)totals->refused);
}

static uint16_t flags(const struct run *run)
{
    const struct plan_shape *shape = &run->shape;
    uint32_t room_bytes = shape->marker_bytes;

    if (shape->load_hops == 0)
        return payloads_flags(room_bytes, run->have_departure, run->plan.tagged);
    return payloads_flags(room_bytes - WIRE_REACH_BYTES, run->have_departure, run->plan.tagged) | WIRE_REACH;
}

static struct wire_probe first_probe(const struct run *run)
{
    return (struct wire_probe){
        .length_log2 = run->shape.length_log2,
        .flags = flags(run),
        .stream = run->stream,
        .seq = run->next_seq,
        .train = run->next_train,
        .departure_train = run->departure_train,
        .departure_span_ns = flight_wire_span(run->departure_span_ns),
        .reach_load_hops = run->shape.load_hops,
        .reach_marker_hops = run->plan.marker_hops,
        .reach_load_bytes = (uint16_t)run->shape.payload_bytes,
    };
}

static void start_flight(struct run *run)
{
    struct flight *flight = &run->flight;
    const struct plan_shape *shape = &run->shape;

    flight->train = run->next_train++;
    flight->packets = plan_packets(shape);
    flight->payload_bytes = shape->payload_bytes;
    flight->marker_bytes = shape->marker_bytes;
    flight->load_hops = shape->load_hops;
    flight->marker_hops = run->plan.marker_hops;
    flight->paced = shape->gap_ns > 0;
}

/* Everything in the packets, up to the time of their hand-over, which is now. */
static void fill_packets(struct run *run, const struct wire_probe *first)
{
    struct flight *flight = &run->flight;

    if (run->plan.classic)
        payloads_write_classic(&run->payloads, flight->packets, first->seq);
    else
        payloads_write(&run->payloads, first);
    burst_prepare(&run->burst, &run->payloads, flight);
    if (run->plan.tagged)
        flight->handed_ns = tagger_tag(&run->tagger, &run->payloads, first);
    else
        flight->handed_ns = stamp_now_ns(CLOCK_REALTIME);
    if (!run->plan.classic && !run->plan.tagged)
        payloads_set_time(&run->payloads, first, (uint64_t)flight->handed_ns);
}

/* False when told to stop. Stamps of packets before this one come meanwhile. */
static bool wait_for_packet(struct run *run, int64_t due_ns)
{
    int64_t wake_ns;

    while (!stop_asked() && (wake_ns = pace_wake_ns(due_ns, stamp_now_ns(CLOCK_MONOTONIC))) != 0)
        run_wait(run, wake_ns, &run->mask);
    if (stop_asked())
        return false;
    while (stamp_now_ns(CLOCK_MONOTONIC) < due_ns)
        ;
    return true;
}

/* Hands a packet over, and stores when that began and was done. */
static bool send_packet(struct run *run, size_t message, int64_t *began_ns, int64_t *done_ns)
{
    bool sent;

    *began_ns = stamp_now_ns(CLOCK_MONOTONIC);
    sent = burst_send_next(&run->burst, &run->payloads, &run->flight, message);
    *done_ns = stamp_now_ns(CLOCK_MONOTONIC);
    return sent;
}

/* What is interrupted counts as twice as long as others. */
static void note_handing(struct run *run, int64_t taken_ns)
{
    if (run->handing_ns == 0)
        run->handing_ns = taken_ns;
    if (taken_ns > 2 * run->handing_ns)
        taken_ns = 2 * run->handing_ns;
    run->handing_ns += (taken_ns - run->handing_ns) / HANDING_PACKETS;
}

/* After a pause the first packet takes longer through this host than those that follow: these are
 * due by when it left, which is about as long before its call returns as theirs are short. */
static void send_paced(struct run *run)
{
    struct flight *flight = &run->flight;
    struct pace pace = {.gap_ns = run->shape.gap_ns};
    int64_t first_ns, began_ns = 0, done_ns;

    if (!send_packet(run, 0, &first_ns, &done_ns))
        return;
    if (run->handing_ns == 0)
        note_handing(run, done_ns - first_ns);
    pace.start_ns = done_ns - run->handing_ns;
    for (uint32_t message = 1; message < flight->packets; message++) {
        if (!wait_for_packet(run, pace_due_ns(&pace, message))) {
            burst_stop(flight, message);
            return;
        }
        if (!send_packet(run, message, &began_ns, &done_ns))
            return;
        note_handing(run, done_ns - began_ns);
    }
    flight->sent_span_ns = began_ns - pace.start_ns;
}

void run_send(struct run *run, const struct plan_shape *shape)
{
    struct wire_probe first;

    renumber(run);
    run->shape = *shape;
    first = first_probe(run);
    start_flight(run);
    fill_packets(run, &first);
    if (run->flight.paced)
        send_paced(run);
    else
        burst_send(&run->burst, &run->payloads, &run->flight);
    run->next_seq += numbers_used(run);
    run->in_flight = true;
    account(run);
    tell_status(run);
}

void run_send_next(struct run *run)
{
    struct plan_shape shape;

    if (run->flight.failed > 0)
        run_follow(run);
    shape = plan_shape(&run->plan, run->next_train);
    run_send(run, &shape);
}

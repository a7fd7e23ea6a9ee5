/* SPDX-License-Identifier: BSD-3-Clause */
#include "push.h"

#include "common/stamp.h"
#include "pprec/lib/admission.h"
#include "pprec/lib/arrival.h"
#include "pprec/lib/handle.h"

/* Trains in flight are looked over this often, in the time of arrivals. */
#define TICK_NS (100 * STAMP_NS_PER_MS)

/* If a clock jumps by more, it was set, or nobody knows what went on meanwhile. So streams age by at most
 * that much at a time. */
#define STEP_MOST_NS (60 * STAMP_NS_PER_S)

/* If no stream misses a dropped packet within this many looks, 5 s, it was no probe. */
enum { DROPPED_LOOKS = 50 };

/* Time passes for streams as on the clock on which most of it has. */
static inline void push_age(struct pprec *pprec, struct handle_clock *clock, int64_t now_ns)
{
    int64_t step_ns = now_ns - clock->newest_ns;

    if (!clock->started) {
        clock->passed_ns = pprec->streams.now_ns;
        clock->newest_ns = now_ns;
        return;
    }
    if (step_ns > 0)
        clock->passed_ns += step_ns < STEP_MOST_NS ? step_ns : STEP_MOST_NS;
    if (step_ns > 0 || step_ns < -TICK_NS) /* else a stamp that overtook another */
        clock->newest_ns = now_ns;
    if (clock->passed_ns > pprec->streams.now_ns)
        pprec->streams.now_ns = clock->passed_ns;
}

void handle_look_over(struct pprec *pprec, uint8_t clock, int64_t now_ns)
{
    push_age(pprec, &pprec->clocks[clock], now_ns);
    pprec->paths.now_ns = pprec->clocks[clock].newest_ns;
    streams_tick(&pprec->streams, clock, now_ns);
    pprec->clocks[clock].started = true;
    pprec->clocks[clock].looked_ns = now_ns;
    if (++pprec->looks_since_dropped > DROPPED_LOOKS)
        pprec->dropped_unmissed = pprec->paths.dropped_unmissed = 0;
    paths_end_due(&pprec->paths);
    admission_end_idle(pprec);
}

static int push_tick(struct pprec *pprec, int64_t now_ns)
{
    if (arrival_out_of_range(now_ns))
        return handle_fail(pprec, PPREC_EINVAL,
                           "tick: now_ns %lld: want less than 2^62 ns to either side of 0",
                           (long long)now_ns);
    handle_look_over(pprec, pprec->clock, now_ns);
    return PPREC_OK;
}

int pprec_tick(struct pprec *pprec, int64_t now_ns)
{
    int status = handle_enter(pprec);

    return status < 0 ? status : handle_leave(pprec, push_tick(pprec, now_ns));
}

/* Time passes with arrivals, on each clock by itself; one that was set back
 * starts over. */
void handle_let_time_pass(struct pprec *pprec, const struct pprec_stamp *now)
{
    struct handle_clock *clock = &pprec->clocks[now->clock];
    uint64_t from_ns = (uint64_t)clock->looked_ns - TICK_NS;

    if (pprec->intake.late)
        return;
    if (!clock->started || (uint64_t)now->ns - from_ns >= 2 * (uint64_t)TICK_NS)
        handle_look_over(pprec, now->clock, now->ns);
    else
        push_age(pprec, clock, now->ns);
    pprec->paths.now_ns = clock->newest_ns;
    pprec->clock = now->clock;
    pprec->intake.time_ns = now->ns;
}

/* What cannot be a packet of any train must not found a stream either: checked is what its check said. */
static inline int push_checked(struct pprec *pprec, const struct pprec_arrival *arrival, int checked)
{
    int status;

    if (checked < 0) {
        pprec->intake.foreign++;
        return checked;
    }
    handle_let_time_pass(pprec, &arrival->received);
    status = admission_take(pprec, arrival);
    if (status == PPREC_EFOREIGN) {
        pprec->intake.foreign++;
        error_set(&pprec->intake.error,
                  "arrival %u of stream %08x: length or numbers are not "
                  "those of its train %u",
                  arrival->seq, arrival->stream, arrival->train);
    }
    if (status == PPREC_ENOMEM) {
        pprec->intake.foreign++; /* to be counted somewhere */
        error_set(&pprec->intake.error, "no memory for stream %08x", arrival->stream);
    }
    return status < 0 ? status : PPREC_OK;
}

static int push_one(struct pprec *pprec, const struct pprec_arrival *arrival)
{
    return push_checked(pprec, arrival, arrival_check(arrival, &pprec->intake.error));
}

int handle_push(struct pprec *pprec, const struct pprec_arrival *arrival)
{
    int status = push_checked(pprec, arrival, arrival_check_packet(arrival, &pprec->intake.error));

    return status == PPREC_EINVAL ? PPREC_EFOREIGN : status;
}

void handle_count_in_path(struct pprec *pprec, const struct pprec_arrival *arrival, struct missing_news news)
{
    paths_count(&pprec->paths, arrival, news);
}

bool handle_count_copy(struct pprec *pprec, const struct pprec_arrival *arrival)
{
    struct stream *stream =
        streams_find(&pprec->streams, &arrival->source, arrival->stream, PPREC_KIND_PROBE);

    if (stream != NULL)
        stream->counts.duplicate++;
    return stream != NULL;
}

bool handle_count_alone(struct pprec *pprec, const struct pprec_arrival *arrival, int32_t packets)
{
    struct stream *stream = streams_find(&pprec->streams, &arrival->source, arrival->stream, arrival->kind);

    if (stream != NULL)
        stream->counts.packets += (uint64_t)(int64_t)packets;
    return stream != NULL;
}

bool handle_tell_numbers(const struct pprec *pprec, const struct pprec_endpoint *source, uint32_t id,
                         enum pprec_kind kind, struct streams_numbers *numbers)
{
    return streams_tell_numbers(&pprec->streams, source, id, kind, numbers);
}

static int push_any(struct pprec *pprec, const struct pprec_arrival *arrival, size_t arrival_bytes)
{
    struct pprec_arrival ours;
    int status = handle_want(pprec, arrival != NULL);

    if (status < 0)
        return status;
    if (arrival_bytes == sizeof ours)
        return push_one(pprec, arrival);
    ours = arrival_of_other(arrival, arrival_bytes);
    return push_one(pprec, &ours);
}

int pprec_push_sized(struct pprec *pprec, const struct pprec_arrival *arrival, size_t arrival_bytes)
{
    int status = handle_enter(pprec);

    return status < 0 ? status : handle_leave(pprec, push_any(pprec, arrival, arrival_bytes));
}

/* A stream is looked up, fetched, and followed up this many packets before its turn. */
enum { AHEAD = 8, AHEAD_FETCH = 4, AHEAD_FOLLOW = 2 };

static int push_all(struct pprec *pprec, const struct pprec_arrival *arrivals, size_t count)
{
    struct stream *const *places[AHEAD];
    int failed = PPREC_OK;

    for (size_t i = 0; i < count + AHEAD; i++) {
        size_t turn = i - AHEAD, fetch = turn + AHEAD_FETCH, follow = turn + AHEAD_FOLLOW;
        int status = i >= AHEAD ? push_one(pprec, &arrivals[turn]) : PPREC_OK;

        if (status < 0)
            failed = status;
        if (fetch < count && *places[fetch % AHEAD] != NULL)
            stream_fetch(*places[fetch % AHEAD]);
        if (follow < count && *places[follow % AHEAD] != NULL)
            stream_fetch_rest(*places[follow % AHEAD]);
        if (i < count)
            places[i % AHEAD] = streams_place(&pprec->streams, &arrivals[i].source, arrivals[i].stream);
    }
    return failed;
}

/* Of a program that knows fewer fields, or more. */
static int push_all_other(struct pprec *pprec, const char *at, size_t arrival_bytes, size_t count)
{
    int failed = PPREC_OK;

    for (size_t i = 0; i < count; i++, at += arrival_bytes) {
        struct pprec_arrival ours = arrival_of_other(at, arrival_bytes);
        int status = push_one(pprec, &ours);

        if (status < 0)
            failed = status;
    }
    return failed;
}

int pprec_push_all_sized(struct pprec *pprec, const struct pprec_arrival *arrivals, size_t arrival_bytes,
                         size_t count)
{
    int status = handle_enter(pprec);

    if (status < 0)
        return status;
    status = handle_want(pprec, arrivals != NULL || count == 0);
    if (status == PPREC_OK)
        status = arrival_bytes == sizeof *arrivals
            ? push_all(pprec, arrivals, count)
            : push_all_other(pprec, (const char *)arrivals, arrival_bytes, count);
    return handle_leave(pprec, status);
}

int pprec_finish(struct pprec *pprec)
{
    int status = handle_enter(pprec);

    if (status < 0)
        return status;
    handle_note_dropped(pprec);
    for (size_t i = 0; i < pprec->streams.count; i++)
        handle_end_stream(pprec, pprec->streams.all[i]);
    paths_end_all(&pprec->paths);
    return handle_leave(pprec, PPREC_OK);
}

static int push_reset(struct pprec *pprec, const struct pprec_endpoint *source, uint32_t id)
{
    struct stream *stream = handle_find_stream(pprec, source, id);

    if (stream == NULL)
        return PPREC_EINVAL;
    stream_add_counts(stream, &pprec->gone);
    stream_reset(stream);
    handle_number_stream(pprec, stream, pprec_dropped_here(pprec));
    return PPREC_OK;
}

int pprec_reset_stream(struct pprec *pprec, const struct pprec_endpoint *source, uint32_t id)
{
    int status = handle_enter(pprec);

    return status < 0 ? status : handle_leave(pprec, push_reset(pprec, source, id));
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream.h"

#include "common/serial.h"
#include "common/stamp.h"
#include "filters/dispersion.h"
#include "filters/hops_estimate.h"
#include "pprec/lib/as_left.h"
#include "pprec/lib/assembler.h"
#include "pprec/lib/available.h"
#include "pprec/lib/path.h"
#include "pprec/lib/reach.h"
#include "sized.h"

#include <math.h>

enum { JITTER_SMOOTHING = 16 };

/* If a transit time changes by more than this, one of the clocks was set: the network does not do that. */
#define TRANSIT_STEP_NS (10 * STAMP_NS_PER_S)

/* The library's words are the filters' words. */
_Static_assert(PPREC_VERDICT_OK == (int)VERDICT_OK, "verdicts");
_Static_assert(PPREC_VERDICT_FOREIGN_SIZE == (int)VERDICT_FOREIGN_SIZE, "verdicts");
_Static_assert(PPREC_VERDICT_REACH == VERDICT_COUNT - 1, "verdicts");
_Static_assert(PPREC_STATE_INSUFFICIENT == (int)STATE_INSUFFICIENT, "states");
_Static_assert(PPREC_STATE_VARYING == STATE_COUNT - 1, "states");
_Static_assert(PPREC_WHY_FEW_TRAINS == (int)WHY_FEW_TRAINS, "whys");
_Static_assert(PPREC_WHY_SHORT_BURSTS == WHY_COUNT - 1, "whys");
_Static_assert(PPREC_ADVICE_WAIT == (int)ADVICE_WAIT, "advices");
_Static_assert(PPREC_ADVICE_SEND_BURSTS == ADVICE_COUNT - 1, "advices");
_Static_assert(PPREC_HOP_CONVERGED == HOP_STATE_COUNT - 1, "states of hops");
_Static_assert(PPREC_HOPS_WHY_ROOM == HOPS_WHY_COUNT - 1, "whys of hops");
_Static_assert(PPREC_TIGHT_WHY_ROOM == TIGHT_WHY_COUNT - 1, "whys of the tight link");
_Static_assert(PPREC_UNKNOWN_NS == SAMPLE_UNKNOWN_NS, "unknown times");

/* One usable train is no estimate. Where so many brought no two, as many again will not. */
enum { USABLE_LEAST = 2, WAITED_MOST = 48 };

/* What a guess waits for says nothing of trains that are not usable. Longer ones outlast batches, and a bucket, whichever
 * it is that lets pairs come with no gap. */
static struct estimate nothing_yet(const struct stream *stream)
{
    const struct estimate *guess = &stream->estimate;
    bool waits = guess->why == WHY_NONE || guess->advice == ADVICE_WAIT;
    bool waited = stream->counts.trains >= WAITED_MOST && !stream->longest;
    enum advice more = waited ? ADVICE_SEND_LONGER_TRAINS : ADVICE_WAIT;

    return (struct estimate){.why = waits ? WHY_FEW_TRAINS : guess->why,
                             .advice = waits ? more : guess->advice,
                             .seen_bytes = guess->seen_bytes,
                             .trains = guess->trains,
                             .newest_ns = guess->newest_ns};
}

static int64_t delay_of(const struct sample *sample)
{
    if (sample->sent_ns == SAMPLE_UNKNOWN_NS || sample->packets[0].position != 0)
        return PPREC_UNKNOWN_NS;
    return sample->time_ns - sample->sent_ns;
}

static void tell_train(const struct stream *stream, const struct sample *sample,
                       const struct estimate *estimate)
{
    const struct pprec_train train = {
        .time_ns = sample->time_ns,
        .source = stream->source,
        .stream = stream->id,
        .train = sample->train,
        .size_bytes = sample->packet_bytes,
        .sent = sample->sent,
        .received = sample->received,
        .dispersion_ns = sample->gaps > 0 ? sample->span_ns : PPREC_UNKNOWN_NS,
        .departure_span_ns = sample->departure_span_ns,
        .rate_bps = sample->rate_bps,
        .verdict = (enum pprec_verdict)sample->verdict,
        .capacity = stream_capacity_of(estimate),
        .delay_ns = delay_of(sample),
        .packets = sample->packets,
        .file = stream->assembler.reported_file,
        .load_hops = sample->load_hops,
        .marker_hops = sample->marker_hops,
        .hops_left = sample->hops_left,
        .kind = stream->kind,
    };

    stream->settings->on_train(stream->settings->user, &train);
}

/* What nobody wants to know is not put together. */
static void stream_tell(const struct stream *stream, const struct sample *sample,
                        const struct estimate *estimate)
{
    if (stream->settings->on_train != NULL)
        tell_train(stream, sample, estimate);
}

int pprec_train_packet_sized(const struct pprec_train *train, uint32_t i, struct pprec_packet *packet,
                             size_t struct_bytes)
{
    const struct sample_packet *packets = train->packets;
    struct pprec_packet full;

    if (packets == NULL || i >= train->received)
        return PPREC_EINVAL;
    full = (struct pprec_packet){packets[i].offset_ns, packets[i].bytes, packets[i].position};
    sized_give(packet, struct_bytes, &full, sizeof full);
    return PPREC_OK;
}

static bool same_rate(double a, double b)
{
    return !(a < b) && !(a > b);
}

static bool same_estimate(const struct estimate *a, const struct estimate *b)
{
    return a->state == b->state && same_rate(a->capacity_bps, b->capacity_bps)
        && same_rate(a->low_bps, b->low_bps) && same_rate(a->high_bps, b->high_bps)
        && same_rate(a->peak_bps, b->peak_bps) && same_rate(a->burst_bytes, b->burst_bytes)
        && same_rate(a->share_bps, b->share_bps) && same_rate(a->policed_bps, b->policed_bps)
        && same_rate(a->policed_burst_bytes, b->policed_burst_bytes) && a->why == b->why
        && a->advice == b->advice && a->seen_bytes == b->seen_bytes;
}

/* |a - b|, at most INT64_MAX. */
static int64_t distance_ns(int64_t a, int64_t b)
{
    uint64_t distance = a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;

    return distance < INT64_MAX ? (int64_t)distance : INT64_MAX;
}

static bool moved(double was, double now, double share)
{
    return fabs(now - was) > share * was;
}

/* Whether the estimate moved by more than the configuration asks for. With 0 every difference is a change. */
static bool is_news(const struct stream_settings *settings, const struct estimate *was,
                    const struct estimate *now)
{
    double share = settings->estimate_change;

    if (share <= 0)
        return !same_estimate(was, now);
    return was->state != now->state || was->why != now->why || was->advice != now->advice
        || moved(was->capacity_bps, now->capacity_bps, share) || moved(was->low_bps, now->low_bps, share)
        || moved(was->high_bps, now->high_bps, share) || moved(was->peak_bps, now->peak_bps, share)
        || moved(was->share_bps, now->share_bps, share) || moved(was->policed_bps, now->policed_bps, share);
}

static bool is_too_soon(const struct stream *stream, const struct estimate *now, int64_t time_ns)
{
    const struct stream_told *last = &stream->told;

    return last->any && last->estimate.state == now->state
        && distance_ns(time_ns, last->time_ns) < stream->settings->estimate_interval_ns;
}

static void tell_change(struct stream *stream, const struct sample *sample, const struct estimate *now)
{
    const struct stream_settings *settings = stream->settings;
    struct estimate was = stream->told.estimate;
    struct pprec_change change = {
        .time_ns = sample->time_ns,
        .source = stream->source,
        .stream = stream->id,
        .was = stream_capacity_of(&was),
        .capacity = stream_capacity_of(now),
    };

    if (!is_news(settings, &was, now) || is_too_soon(stream, now, sample->time_ns))
        return;
    change.available = stream_available_lately(stream);
    stream->told = (struct stream_told){true, *now, sample->time_ns};
    settings->on_estimate(settings->user, &change);
}

/* A train vouches for this long before it. A stream of one pair per hour measures nothing, and must not hold
 * a place as if it did; neither must one whose clock is set. */
#define VOUCHED_NS (10 * STAMP_NS_PER_S)

static void count_usable(struct stream *stream, int64_t time_ns)
{
    int64_t since_ns = stream->rank > 0 ? distance_ns(time_ns, stream->usable_ns) : 0;

    if (stream->rank == 0)
        stream->rank = 1;
    stream->usable_ns = time_ns;
    stream->measured_ns += since_ns < VOUCHED_NS ? since_ns : VOUCHED_NS;
    stream->counts.usable++;
    while (stream->rank + 1 < STREAM_RANKS && stream->measured_ns >= stream_rank_ns(stream->rank + 1U))
        stream->rank++;
}

/* Such a train is no part of the path's capacity: the links that it crosses are estimated by themselves.
 * Without memory for that it is only told as a train. */
static void take_reach(struct stream *stream, struct sample *sample)
{
    struct estimate as_told = stream_estimate(stream);

    stream_reach_push(stream, sample);
    stream_tell(stream, sample, &as_told);
}

/* What this host dropped is not the network's loss: it is taken off the first packets that are missed. */
static void on_miss(void *owner, uint64_t packets)
{
    struct stream *stream = owner;
    uint64_t *dropped = stream->settings->dropped_here;
    uint64_t dropped_here = *dropped < packets ? *dropped : packets;

    *dropped -= dropped_here;
    stream->counts.lost += packets - dropped_here;
}

/* train -> dispersion -> sample -> filter -> estimate -> sinks */
static void on_sample(void *owner, struct sample *sample)
{
    struct stream *stream = owner;
    const struct stream_settings *settings = stream->settings;
    uint32_t trains = stream->estimate.trains;
    struct estimate as_told;

    if (settings->train_length != 0 && sample->sent != settings->train_length
        && sample->verdict == VERDICT_OK)
        sample->verdict = VERDICT_FOREIGN_SIZE;
    if (sample->load_hops != 0) {
        take_reach(stream, sample);
        return;
    }
    stream->longest |= sample->sent >= SAMPLE_PACKETS_MOST;
    dispersion_measure(sample);
    if (stream->kind == PPREC_KIND_PROBE)
        as_left_note(settings->captured, sample);
    stream_available_push(stream, sample);
    paths_push(stream, sample);
    if (stream->frames != NULL)
        frames_push(stream->frames, settings->filter, stream->filter_state, stream->window, sample);
    else
        settings->filter->push(stream->filter_state, sample);
    settings->filter->estimate(stream->filter_state, &stream->estimate);
    if (stream->estimate.trains < trains) /* those from before a change are gone */
        stream_reach_reset(stream);
    rates_push(&stream->rates, sample);
    if (dispersion_usable(sample))
        count_usable(stream, sample->time_ns);
    if (stream->counts.usable < USABLE_LEAST && stream->estimate.state == STATE_TENTATIVE)
        stream->estimate = nothing_yet(stream);
    as_told = stream_estimate(stream); /* of what is doubted less */
    if (stream->converge_ns == PPREC_UNKNOWN_NS && estimate_is_sure(&as_told))
        stream->converge_ns = sample->time_ns - stream->first_ns;
    paths_note(stream);
    stream_tell(stream, sample, &as_told);
    if (settings->on_estimate != NULL)
        tell_change(stream, sample, &as_told);
}

/* --- Memory --- */

/* Ten thousand flows that come and go must not cost as much as ten thousand that stay. If the whole window
 * fits into this, it is taken with the first train. Else the window begins with few trains, and grows to its
 * full size once, when it has nearly filled. */
enum { STREAM_FIRST_BYTES = 8 << 10 };

/* The state of the filter, then the rates. */
static size_t window_bytes(const struct stream_settings *settings, unsigned window)
{
    size_t state = settings->filter->state_bytes(window);

    return (state + sizeof(double) - 1) / sizeof(double) * sizeof(double) + window * sizeof(double);
}

static unsigned first_window(const struct stream_settings *settings, unsigned train_length)
{
    size_t whole = sizeof(struct stream) + assembler_bytes(train_length)
        + window_bytes(settings, settings->window) + 3 * MEMORY_HEADER_BYTES;

    return settings->whole_window || settings->filter->grow == NULL || settings->window <= STREAM_WINDOW_FIRST
            || whole <= STREAM_FIRST_BYTES
        ? settings->window
        : STREAM_WINDOW_FIRST;
}

static void init_window(struct stream *stream)
{
    const struct stream_settings *settings = stream->settings;
    size_t bytes = window_bytes(settings, stream->window);
    double *end = (double *)((char *)stream->filter_state + bytes);

    settings->filter->init(stream->filter_state, stream->window);
    rates_init(&stream->rates, end - stream->window, stream->window);
}

static int get_window(struct stream *stream, unsigned window)
{
    const struct stream_settings *settings = stream->settings;
    void *state = memory_get(&settings->memory, window_bytes(settings, window));

    if (state == NULL)
        return PPREC_ENOMEM;
    stream->window = window;
    stream->filter_state = state;
    init_window(stream);
    return 0;
}

/* One packet may complete as many trains as the assembler has slots. */
static bool nearly_full(const struct stream *stream)
{
    return stream->window < stream->settings->window
        && stream->counts.trains + ASSEMBLER_SLOTS >= stream->window;
}

/* While memory is short, a window stays as it is. */
static bool may_grow(const struct stream *stream)
{
    const struct stream_settings *settings = stream->settings;

    return memory_plenty(&settings->memory, window_bytes(settings, settings->window));
}

static int stream_grow(struct stream *stream)
{
    struct rates rates = stream->rates;
    void *state = stream->filter_state;

    if (get_window(stream, stream->settings->window) < 0)
        return PPREC_ENOMEM;
    stream->settings->filter->grow(stream->filter_state, state);
    rates_grow(&stream->rates, &rates);
    memory_put(&stream->settings->memory, state);
    return 0;
}

static int get_frames(struct stream *stream)
{
    stream->frames = memory_get(&stream->settings->memory, sizeof *stream->frames);
    if (stream->frames == NULL)
        return PPREC_ENOMEM;
    frames_init(stream->frames);
    return 0;
}

struct stream *stream_new(const struct stream_settings *settings, const struct pprec_arrival *arrival)
{
    struct stream *stream = memory_get(&settings->memory, sizeof *stream);

    if (stream == NULL)
        return NULL;
    *stream = (struct stream){
        .source = arrival->source,
        .id = arrival->stream,
        .kind = arrival->kind,
        .destination = arrival->destination,
        .settings = settings,
        .converge_ns = PPREC_UNKNOWN_NS,
    };
    assembler_init(&stream->assembler, &settings->memory, &stream->counts, settings->strangers, on_miss,
                   on_sample, stream);
    if ((arrival->kind != PPREC_KIND_RTP || get_frames(stream) == 0)
        && get_window(stream, first_window(settings, arrival->train_length)) == 0)
        return stream;
    stream_free(stream);
    return NULL;
}

void stream_free(struct stream *stream)
{
    if (stream == NULL)
        return;
    assembler_fini(&stream->assembler);
    stream_available_fini(stream);
    stream_reach_fini(stream);
    memory_put(&stream->settings->memory, stream->frames);
    memory_put(&stream->settings->memory, stream->filter_state);
    memory_put(&stream->settings->memory, stream);
}

void stream_reset(struct stream *stream)
{
    assembler_reset(&stream->assembler);
    stream->counts = (struct pprec_counts){.trains = 0};
    stream->estimate = (struct estimate){.state = STATE_INSUFFICIENT};
    stream->told = (struct stream_told){.any = false};
    stream->jitter_known = false;
    stream->jitter_ns = 0;
    stream->timestamps = PPREC_TIMESTAMPS_NONE;
    stream->converge_ns = PPREC_UNKNOWN_NS;
    if (stream->frames != NULL)
        frames_init(stream->frames);
    stream_reach_reset(stream);
    init_window(stream);
    stream_available_reset(stream);
    paths_reset(stream);
}

/* RFC 3550, section 6.4.1: J += (|D| - J) / 16, D being the change of the transit
 * time. The clocks of the ends are not synchronised; their offset cancels. */
static void note_jitter(struct stream *stream, const struct pprec_arrival *arrival)
{
    int64_t transit_ns, change_ns;

    if (arrival->position != 0 || arrival->sent_ns == PPREC_UNKNOWN_NS)
        return;
    transit_ns = arrival->received.ns - arrival->sent_ns;
    change_ns = distance_ns(transit_ns, stream->jitter_transit_ns);
    if (stream->jitter_known && stream->jitter_clock == arrival->received.clock
        && change_ns < TRANSIT_STEP_NS)
        stream->jitter_ns += (change_ns - stream->jitter_ns) / JITTER_SMOOTHING;
    stream->jitter_known = true;
    stream->jitter_clock = arrival->received.clock;
    stream->jitter_transit_ns = transit_ns;
}

/* The header bytes beyond those that the layer assumes. There are never less, because IP and UDP have fixed
 * least headers. */
static uint32_t unusual_bytes(const struct stream *stream, const struct pprec_arrival *arrival)
{
    uint32_t usual = arrival->source.ip == 6 ? 48 : 28;

    if (stream->settings->layer.kind == LAYER_UDP || arrival->header_bytes <= usual)
        return 0;
    return arrival->header_bytes - usual;
}

/* --- Files that repeat others --- */

/* A capture goes on where the one before it ended, or so many trains later. */
enum { GOES_ON_TRAINS = 8 };

/* In files in any order trains jump, and so they do when a sender begins anew; which then has left later. */
static bool begins_again(const struct stream *stream, const struct pprec_arrival *arrival)
{
    const struct assembler *a = &stream->assembler;

    return stream->counts.packets > 0 && arrival->sent_ns != PPREC_UNKNOWN_NS
        && a->newest_sent_ns != PPREC_UNKNOWN_NS && arrival->sent_ns < a->newest_sent_ns
        && serial_distance(arrival->train, a->newest) >= ASSEMBLER_SLOTS
        && serial_distance(stream->since_train, arrival->train) >= 0;
}

static bool goes_on(const struct stream *stream, const struct pprec_arrival *arrival)
{
    int32_t trains = serial_distance(stream->assembler.newest, arrival->train);

    return stream->counts.packets > 0 && trains > -ASSEMBLER_SLOTS && trains <= GOES_ON_TRAINS;
}

/* Captures of both sides of a path, or one that is given twice, would count each packet twice. What such a file has
 * beyond is taken. */
static bool is_repeated(struct stream *stream, const struct pprec_arrival *arrival)
{
    uint32_t file = stream->settings->file;
    bool within;

    if (file == stream->last_file && stream->counts.packets > 0)
        return false;
    within = stream->repeating == file + 1 && serial_distance(stream->assembler.newest, arrival->train) <= 0;
    if (within || begins_again(stream, arrival)) {
        stream->repeating = file + 1;
        return true;
    }
    if (!goes_on(stream, arrival))
        stream->since_train = arrival->train;
    return false;
}

static void count_repeated(const struct stream *stream)
{
    struct pprec_capture_counts *captured = stream->settings->captured;

    captured->repeated++;
    captured->repeated_stream = stream->id;
    captured->repeated_file = stream->settings->file;
    captured->repeated_before = stream->last_file;
}

/* By no more are packets swapped where one file ends and the next begins. */
#define SWAPPED_NS STAMP_NS_PER_S

/* What was rotated goes on from file to file in the order of its times alone. */
static void note_file(struct stream *stream, const struct pprec_arrival *arrival)
{
    struct pprec_capture_counts *captured = stream->settings->captured;
    uint32_t file = stream->settings->file;

    if (stream->counts.packets > 0 && file != stream->last_file
        && sample_difference_ns(stream->last_ns, arrival->received.ns) > SWAPPED_NS) {
        captured->backwards++;
        captured->backwards_stream = stream->id;
        captured->backwards_file = file;
        captured->backwards_after = stream->last_file;
    }
    stream->last_file = stream->assembler.file = file;
}

int stream_push(struct stream *stream, const struct pprec_arrival *arrival)
{
    uint32_t bytes = layer_bytes(&stream->settings->layer, (enum layer_ip)arrival->source.ip,
                                 arrival->payload_bytes + unusual_bytes(stream, arrival));
    int taken;

    if (is_repeated(stream, arrival)) {
        count_repeated(stream);
        return 0;
    }
    if (nearly_full(stream) && may_grow(stream) && stream_grow(stream) < 0)
        return PPREC_ENOMEM;
    stream_available_prepare(stream, arrival);
    if (stream->counts.packets == 0) {
        stream->first_ns = arrival->received.ns;
        stream->destination = arrival->destination;
        stream->first_file = stream->settings->file;
    }
    note_file(stream, arrival);
    stream->last_ns = arrival->received.ns;
    if (arrival->received.source > stream->timestamps)
        stream->timestamps = arrival->received.source;
    taken = assembler_push(&stream->assembler, arrival, bytes);
    if (taken == 1 && stream->frames != NULL)
        frames_carry(stream->frames, arrival->received.ns, bytes);
    if (taken == 1 && arrival->load_hops == 0) /* markers are shorter */
        note_jitter(stream, arrival);
    return taken;
}

void stream_summary(const struct stream *stream, struct pprec_summary *summary)
{
    struct sorted rates = rates_sorted(&stream->rates, stream->settings->scratch);
    struct estimate estimate = stream_estimate(stream);

    *summary = (struct pprec_summary){
        .source = stream->source,
        .destination = stream->destination,
        .kind = stream->kind,
        .stream = stream->id,
        .first_ns = stream->first_ns,
        .last_ns = stream->last_ns,
        .counts = stream->counts,
        .timestamps = (enum pprec_timestamps)stream->timestamps,
        .jitter_ns = stream->jitter_known ? stream->jitter_ns : PPREC_UNKNOWN_NS,
        .capacity = stream_capacity_of(&estimate),
        .adr_bps = rates_adr_bps(&stream->rates),
        .rate_p05_bps = sorted_quantile(rates, 0.05),
        .rate_p50_bps = sorted_quantile(rates, 0.50),
        .rate_p95_bps = sorted_quantile(rates, 0.95),
        .time_to_converge_ns = stream->converge_ns,
        .first_file = stream->first_file,
        .last_file = stream->last_file,
        .available = stream_available(stream),
    };
}

void stream_add_counts(const struct stream *stream, struct pprec_counts *counts)
{
    counts->trains += stream->counts.trains;
    counts->usable += stream->counts.usable;
    counts->packets += stream->counts.packets;
    counts->lost += stream->counts.lost;
    counts->duplicate += stream->counts.duplicate;
    counts->reordered += stream->counts.reordered;
    counts->late += stream->counts.late;
}

static void subtract(struct pprec_counts *counts, const struct pprec_counts *before)
{
    counts->trains -= before->trains;
    counts->usable -= before->usable;
    counts->packets -= before->packets;
    counts->lost -= before->lost;
    counts->duplicate -= before->duplicate;
    counts->reordered -= before->reordered;
    counts->late -= before->late;
}

void stream_interval(const struct stream *stream, struct pprec_cursor *cursor, struct pprec_summary *summary)
{
    struct pprec_cursor now = {
        .stream = stream->number,
        .counts = summary->counts,
        .foreign = summary->foreign,
        .dropped_here = summary->dropped_here,
    };

    if (cursor->stream != stream->number)
        *cursor =
            (struct pprec_cursor){.foreign = stream->begun_foreign, .dropped_here = stream->begun_dropped};
    subtract(&summary->counts, &cursor->counts);
    summary->foreign -= cursor->foreign;
    summary->dropped_here -= cursor->dropped_here;
    *cursor = now;
}

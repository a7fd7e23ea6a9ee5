/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream.h"

#include "common/stamp.h"
#include "filters/dispersion.h"


enum { JITTER_SMOOTHING = 16 };

/* A transit time that changes by more than this was not the network's doing: one of
 * the clocks was set. */
#define TRANSIT_STEP_NS (10 * STAMP_NS_PER_S)

/* The library's words are the filters' words. */
_Static_assert(PPREC_VERDICT_OK == (int)VERDICT_OK, "verdicts");
_Static_assert(PPREC_VERDICT_FOREIGN_SIZE == (int)VERDICT_FOREIGN_SIZE, "verdicts");
_Static_assert(PPREC_VERDICT_FOREIGN_SIZE == VERDICT_COUNT - 1, "verdicts");
_Static_assert(PPREC_STATE_INSUFFICIENT == (int)STATE_INSUFFICIENT, "states");
_Static_assert(PPREC_STATE_SENDER_LIMITED == STATE_COUNT - 1, "states");
_Static_assert(PPREC_UNKNOWN_NS == SAMPLE_UNKNOWN_NS, "unknown times");

/* How others' packets left is not known, save for SRT's pairs: rates that agree
 * may be agreed on by their sender. */
static enum pprec_state state_of(enum pprec_kind kind, enum state state)
{
    bool decided = state == STATE_CONVERGED || state == STATE_SHAPED;

    if (decided && (kind == PPREC_KIND_RTP || kind == PPREC_KIND_FLOW))
        return PPREC_STATE_TENTATIVE;
    return (enum pprec_state)state;
}

static struct pprec_capacity capacity_of(enum pprec_kind kind, const struct estimate *estimate)
{
    return (struct pprec_capacity){
        .state = state_of(kind, estimate->state),
        .capacity_bps = estimate->capacity_bps,
        .low_bps = estimate->low_bps,
        .high_bps = estimate->high_bps,
        .peak_bps = estimate->peak_bps,
        .burst_bytes = estimate->burst_bytes,
    };
}

static void tell(const struct stream *stream, const struct sample *sample)
{
    struct pprec_train train = {
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
        .capacity = capacity_of(stream->kind, &stream->estimate),
    };

    if (stream->settings->on_train != NULL)
        stream->settings->on_train(stream->settings->user, &train);
}

static bool decided(const struct stream *stream)
{
    enum pprec_state state = state_of(stream->kind, stream->estimate.state);

    return state == PPREC_STATE_CONVERGED || state == PPREC_STATE_SHAPED;
}

/* train -> dispersion -> sample -> filter -> estimate -> sinks */
static void on_sample(void *owner, struct sample *sample)
{
    struct stream *stream = owner;
    const struct stream_settings *settings = stream->settings;

    if (settings->train_length != 0 && sample->sent != settings->train_length
        && sample->verdict == VERDICT_OK)
        sample->verdict = VERDICT_FOREIGN_SIZE;
    dispersion_measure(sample);
    settings->filter->push(stream->filter_state, sample);
    settings->filter->estimate(stream->filter_state, &stream->estimate);
    rates_push(&stream->rates, sample);
    if (dispersion_usable(sample)) {
        stream->counts.usable++;
        stream->proven = true;
    }
    if (decided(stream) && stream->converge_ns == PPREC_UNKNOWN_NS)
        stream->converge_ns = sample->time_ns - stream->first_ns;
    tell(stream, sample);
}

/* --- Memory --- */

/* Ten thousand flows that come and go must not cost what as many that stay do: the
 * window begins with this many trains, and grows to its full size once, when it has
 * nearly filled. Nothing else is allocated after the first train. */
enum { WINDOW_FIRST = 24 };

static int get_window(struct stream *stream, unsigned window)
{
    const struct memory *memory = &stream->settings->memory;

    stream->window = window;
    stream->filter_state = memory_get(memory, stream->settings->filter->state_bytes(window));
    stream->rates.window = memory_get(memory, ranked_bytes(window));
    return stream->filter_state == NULL || stream->rates.window == NULL ? PPREC_ENOMEM : 0;
}

static void put_window(struct stream *stream)
{
    const struct memory *memory = &stream->settings->memory;

    memory_put(memory, stream->rates.window);
    memory_put(memory, stream->filter_state);
}

static void init_window(struct stream *stream)
{
    stream->settings->filter->init(stream->filter_state, stream->window);
    rates_init(&stream->rates, stream->rates.window, stream->window);
}

/* One packet may complete as many trains as the assembler has slots. */
static bool nearly_full(const struct stream *stream)
{
    return stream->window < stream->settings->window
        && stream->counts.trains + ASSEMBLER_SLOTS >= stream->window;
}

static int grow(struct stream *stream)
{
    struct stream old = *stream;

    if (get_window(stream, stream->settings->window) < 0) {
        put_window(stream);
        stream->window = old.window;
        stream->filter_state = old.filter_state;
        stream->rates.window = old.rates.window;
        return PPREC_ENOMEM;
    }
    init_window(stream);
    stream->settings->filter->grow(stream->filter_state, old.filter_state);
    ranked_copy(stream->rates.window, old.rates.window);
    stream->rates.long_bytes = old.rates.long_bytes;
    stream->rates.long_ns = old.rates.long_ns;
    put_window(&old);
    return 0;
}

static unsigned first_window(const struct stream_settings *settings)
{
    return settings->filter->grow != NULL && settings->window > WINDOW_FIRST
        ? WINDOW_FIRST : settings->window;
}

struct stream *stream_new(const struct stream_settings *settings,
                          const struct pprec_endpoint *source, uint32_t id)
{
    struct stream *stream = memory_get(&settings->memory, sizeof *stream);

    if (stream == NULL)
        return NULL;
    *stream = (struct stream){
        .source = *source,
        .id = id,
        .settings = settings,
        .converge_ns = PPREC_UNKNOWN_NS,
    };
    assembler_init(&stream->assembler, &settings->memory, &stream->counts, settings->dropped_here,
                   on_sample, stream);
    if (get_window(stream, first_window(settings)) < 0) {
        stream_free(stream);
        return NULL;
    }
    init_window(stream);
    return stream;
}

void stream_free(struct stream *stream)
{
    if (stream == NULL)
        return;
    assembler_fini(&stream->assembler);
    put_window(stream);
    memory_put(&stream->settings->memory, stream);
}

void stream_reset(struct stream *stream)
{
    assembler_reset(&stream->assembler);
    stream->counts = stream->marked = (struct pprec_counts){.trains = 0};
    stream->estimate = (struct estimate){.state = STATE_INSUFFICIENT};
    stream->jitter_known = false;
    stream->jitter_ns = 0;
    stream->timestamps = PPREC_TIMESTAMPS_NONE;
    stream->converge_ns = PPREC_UNKNOWN_NS;
    init_window(stream);
}

/* |a - b|, at most INT64_MAX. */
static int64_t distance_ns(int64_t a, int64_t b)
{
    uint64_t distance = a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;

    return distance < INT64_MAX ? (int64_t)distance : INT64_MAX;
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

/* What the headers have beyond those that the layer takes for granted. Less is
 * not possible: IP and UDP have fixed least headers. */
static uint32_t unusual_bytes(const struct stream *stream, const struct pprec_arrival *arrival)
{
    uint32_t usual = arrival->source.ip == 6 ? 48 : 28;

    if (stream->settings->layer.kind == LAYER_UDP || arrival->header_bytes <= usual)
        return 0;
    return arrival->header_bytes - usual;
}

int stream_push(struct stream *stream, const struct pprec_arrival *arrival)
{
    uint32_t bytes = layer_bytes(&stream->settings->layer, (enum layer_ip)arrival->source.ip,
                                 arrival->payload_bytes + unusual_bytes(stream, arrival));
    int taken;

    if (nearly_full(stream) && grow(stream) < 0)
        return PPREC_ENOMEM;
    if (stream->counts.packets == 0) {
        stream->first_ns = arrival->received.ns;
        stream->destination = arrival->destination;
        stream->kind = arrival->kind;
    }
    stream->last_ns = arrival->received.ns;
    if (arrival->received.source > stream->timestamps)
        stream->timestamps = arrival->received.source;
    taken = assembler_push(&stream->assembler, arrival, bytes);
    if (taken == 1)
        note_jitter(stream, arrival);
    return taken;
}

struct pprec_capacity stream_capacity(const struct stream *stream)
{
    return capacity_of(stream->kind, &stream->estimate);
}

void stream_summary(const struct stream *stream, struct pprec_summary *summary)
{
    const struct ranked *rates = rates_window(&stream->rates);

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
        .capacity = capacity_of(stream->kind, &stream->estimate),
        .adr_bps = rates_adr_bps(&stream->rates),
        .rate_p05_bps = ranked_quantile(rates, 0.05),
        .rate_p50_bps = ranked_quantile(rates, 0.50),
        .rate_p95_bps = ranked_quantile(rates, 0.95),
        .time_to_converge_ns = stream->converge_ns,
    };
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

void stream_mark(struct stream *stream, uint64_t foreign, uint64_t dropped_here)
{
    stream->marked = stream->counts;
    stream->marked_foreign = foreign;
    stream->marked_dropped = dropped_here;
}

void stream_interval(struct stream *stream, struct pprec_summary *summary)
{
    uint64_t foreign = summary->foreign;
    uint64_t dropped_here = summary->dropped_here;

    subtract(&summary->counts, &stream->marked);
    summary->foreign -= stream->marked_foreign;
    summary->dropped_here -= stream->marked_dropped;
    stream_mark(stream, foreign, dropped_here);
}

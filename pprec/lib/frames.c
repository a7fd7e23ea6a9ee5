/* SPDX-License-Identifier: BSD-3-Clause */
#include "frames.h"

#include "common/stamp.h"
#include "filters/dispersion.h"
#include "pprec/lib/assembler.h"

#include <math.h>

/* So many frames in a row must tell how they left; of so many those that look paced. */
enum { TIMED_LEAST = 16, PACED_MOST = 16 };

/* What a stream brings over so long its path carries. */
#define CARRIED_NS (4 * STAMP_NS_PER_S)

/* Nearer together than hosts space packets themselves, and far faster than the stream itself goes,
 * frames say that no queue held them, and nothing of what lasts. A bucket that has room for them
 * would look the same. */
#define HOSTS_TIMES 16

/* Nearly as long a burst as pptrans sends by default: a bucket that hides behind shorter ones is
 * what many have. */
enum { SEEN_LEAST_BYTES = 64 << 10 };

void frames_init(struct frames *frames)
{
    *frames = (struct frames){.untimed = TIMED_LEAST};
}

/* --- What is carried --- */

void frames_carry(struct frames *frames, int64_t now_ns, uint32_t bytes)
{
    int64_t since_ns = now_ns - frames->carried_since_ns;

    frames->last_ns = now_ns;
    if (frames->carried_bytes == 0 || since_ns < 0 || since_ns >= 2 * CARRIED_NS) {
        frames->carried_since_ns = now_ns;
        frames->carried_bytes = bytes;
        return;
    }
    if (since_ns >= CARRIED_NS) {
        frames->carried_bps = (double)frames->carried_bytes * 8e9 / (double)since_ns;
        frames->carried_since_ns = now_ns;
        frames->carried_bytes = 0;
    }
    frames->carried_bytes += bytes;
}

static double carried_bps(const struct frames *frames)
{
    int64_t since_ns = frames->last_ns - frames->carried_since_ns;
    bool enough = since_ns >= STAMP_NS_PER_S;

    if (frames->carried_bps > 0)
        return frames->carried_bps;
    return enough ? (double)frames->carried_bytes * 8e9 / (double)since_ns : 0;
}

/* As far as it is known: at first as if it had taken a second. */
static double carried_least_bps(const struct frames *frames)
{
    double bps = carried_bps(frames);

    return bps > 0 ? bps : (double)frames->carried_bytes * 8e9 / STAMP_NS_PER_S;
}

/* --- How frames left --- */

static void learn_anew(const struct filter *filter, void *state, unsigned window)
{
    filter->init(state, window);
}

/* True when packets tell from now on when they left: frames are others than before. */
static bool note_times(struct frames *frames, const struct sample *sample)
{
    bool told = sample->departure_span_ns != SAMPLE_UNKNOWN_NS;
    bool timed = told && sample->sent_ns != SAMPLE_UNKNOWN_NS, first = timed && !frames->timed;

    if (told && !timed) /* by their looks */
        frames->paced = (uint8_t)(frames->paced + (frames->paced < PACED_MOST));
    else if (frames->paced > 0)
        frames->paced--;
    if (!timed)
        frames->untimed = TIMED_LEAST;
    else if (frames->untimed > 0)
        frames->untimed--;
    frames->timed = frames->timed || timed;
    return first;
}

static bool bucket_seen(const struct frames *frames)
{
    return frames->heads.first.packets > 0 && frames->heads.bucket;
}

/* Half of the last frames do, and nobody told. No pacer lets the first packets of each frame go at once; but one
 * gap is short where the first stamp is late. */
static bool looks_paced(const struct frames *frames)
{
    bool at_once = bucket_seen(frames) && frames->heads.first.packets > 1;

    return frames->untimed > 0 && 2 * frames->paced >= PACED_MOST && !at_once;
}

/* What its sender spread, as it tells, shows no bucket. */
static bool is_spread(const struct sample *sample)
{
    return sample->sent_ns != SAMPLE_UNKNOWN_NS && sample->verdict == VERDICT_SENDER_LIMITED
        && sample->span_ns > sample->gaps * STAMP_HOSTS_GAP_NS;
}

static bool took_half(const struct sample *sample)
{
    return sample->sent_ns != SAMPLE_UNKNOWN_NS && sample_departure_known(sample)
        && (double)sample->departure_span_ns > DEPARTED_HALF * (double)sample->span_ns;
}

/* --- To the filter, and back --- */

/* As if its packets had the size of the stream's first frame: encoders make each frame of packets
 * of its own size, and filters hold like against like. Link and bucket take their time by the byte. */
static void resize(const struct frames *frames, const struct sample *sample, struct sample *resized,
                   struct sample_packet *room)
{
    double offset_ns = 0;

    *resized = *sample;
    resized->packets = room;
    resized->packet_bytes = frames->nominal_bytes;
    for (unsigned i = 0; i < sample->received; i++) {
        const struct sample_packet *packet = &sample->packets[i];
        double share = (double)frames->nominal_bytes / packet->bytes;

        if (i > 0)
            offset_ns += share * (double)(packet->offset_ns - packet[-1].offset_ns);
        room[i] = *packet;
        room[i].offset_ns = (int64_t)(offset_ns + 0.5);
        room[i].bytes = frames->nominal_bytes;
    }
    if (sample_departure_known(sample))
        resized->departure_span_ns =
            (int64_t)((double)sample->departure_span_ns * frames->nominal_bytes / sample->packet_bytes);
}

static bool has_other_sizes(const struct frames *frames, const struct sample *sample)
{
    for (unsigned i = 0; i < sample->received; i++)
        if (sample->packets[i].bytes != frames->nominal_bytes)
            return true;
    return false;
}

/* Half the first frame's and more: stamps do not grow finer with that. */
static bool is_comparable(const struct frames *frames, const struct sample *sample)
{
    return 2 * sample->packet_bytes >= frames->nominal_bytes
        && sample->departure_span_ns != SAMPLE_SPAN_OVER_NS;
}

/* Of frames that a bucket lets pass in part the rest, of others nothing. */
static void push_tail(const struct heads *heads, const struct filter *filter, void *state,
                      struct sample *sample)
{
    struct sample_packet packets[ASSEMBLER_TRAIN_MAX];
    struct sample tail;

    if (heads->bucket && sample->sent_ns == SAMPLE_UNKNOWN_NS) /* how it left is told by its looks */
        sample->departure_span_ns = SAMPLE_UNKNOWN_NS;
    if (!heads_cut(heads, sample, &tail, packets)) {
        sample->verdict = VERDICT_SENDER_LIMITED;
        return;
    }
    tail.verdict = VERDICT_OK;
    dispersion_measure(&tail);
    filter->push(state, &tail);
    sample->verdict = tail.verdict;
}

static void lib_frames_push(struct frames *frames, const struct filter *filter, void *state, unsigned window,
                            struct sample *sample)
{
    bool other = sample->verdict == VERDICT_LATE || sample->verdict == VERDICT_FOREIGN_SIZE
        || sample->verdict == VERDICT_REACH;

    if (!other && note_times(frames, sample)) {
        frames->heads = (struct heads){.bucket = false};
        learn_anew(filter, state, window);
    }
    if (other || is_spread(sample)) {
        filter->push(state, sample);
        return;
    }
    frames->packet_bytes = sample->packet_bytes;
    if (sample->gaps > 0 && !took_half(sample) && heads_push(&frames->heads, sample))
        learn_anew(filter, state, window);
    if (frames->heads.first.packets == 0 || looks_paced(frames))
        filter->push(state, sample);
    else
        push_tail(&frames->heads, filter, state, sample);
}

void frames_push(struct frames *frames, const struct filter *filter, void *state, unsigned window,
                 struct sample *sample)
{
    struct sample_packet packets[ASSEMBLER_TRAIN_MAX];
    struct sample resized;

    if (frames->nominal_bytes == 0)
        frames->nominal_bytes = sample->packet_bytes;
    if (sample->verdict == VERDICT_FOREIGN_SIZE || !has_other_sizes(frames, sample)
        || !is_comparable(frames, sample)) {
        lib_frames_push(frames, filter, state, window, sample);
        return;
    }
    resize(frames, sample, &resized, packets);
    dispersion_measure(&resized);
    lib_frames_push(frames, filter, state, window, &resized);
    sample->verdict = resized.verdict;
}

static bool at_hosts_pace(const struct frames *frames, double bps)
{
    return bps > HOSTS_TIMES * carried_bps(frames) && frames->packet_bytes * 8e9 < bps * STAMP_HOSTS_GAP_NS;
}

static void set_bound(struct estimate *estimate, double bps, enum advice advice)
{
    *estimate = (struct estimate){.state = bps > 0 ? STATE_SENDER_LIMITED : STATE_INSUFFICIENT,
                                  .capacity_bps = bps,
                                  .low_bps = bps,
                                  .why = WHY_SENDER,
                                  .advice = advice,
                                  .seen_bytes = estimate->seen_bytes};
}

static bool may_hide_bucket(const struct frames *frames, const struct estimate *estimate)
{
    return !bucket_seen(frames) && estimate->state != STATE_SHAPED && estimate->seen_bytes < SEEN_LEAST_BYTES;
}

/* Rates that agree may be agreed on by the sender, or hide a bucket. */
static void frames_doubt(const struct frames *frames, bool may_hide, struct estimate *estimate)
{
    if (frames->untimed > 0) {
        estimate_doubt(estimate);
        estimate->why = WHY_NO_SEND_TIMES;
        estimate->advice = ADVICE_SEND_TIMES;
    } else if (may_hide) {
        estimate_doubt(estimate);
        estimate->why = WHY_SHORT_BURSTS;
        estimate->advice = ADVICE_SEND_BURSTS;
    }
}

/* Behind a bucket that frames fit no more may last than what they bring. */
static void admit_bucket(const struct frames *frames, struct estimate *estimate)
{
    if (estimate->state != STATE_INSUFFICIENT && estimate->state != STATE_SENDER_LIMITED)
        estimate->low_bps = fmin(estimate->low_bps, carried_least_bps(frames));
}

void frames_tell(const struct frames *frames, struct estimate *estimate)
{
    bool may_hide;

    estimate->seen_bytes += frames->heads.first.packets * frames->packet_bytes;
    may_hide = may_hide_bucket(frames, estimate);
    if (at_hosts_pace(frames, estimate->capacity_bps))
        set_bound(estimate, carried_bps(frames), ADVICE_SEND_BURSTS);
    else if (looks_paced(frames) && estimate->state != STATE_INSUFFICIENT)
        set_bound(estimate, estimate->low_bps, ADVICE_SEND_TIMES);
    else if (estimate_is_sure(estimate))
        frames_doubt(frames, may_hide, estimate);
    if (estimate->why == WHY_PAIRS_ALONE)
        estimate->why = WHY_SHORT_BURSTS;
    if (may_hide)
        admit_bucket(frames, estimate);
}

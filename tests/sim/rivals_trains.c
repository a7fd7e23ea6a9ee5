/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules that look at whole trains. */
#include "rivals.h"

#include <math.h>
#include <stdlib.h>

/* First to last packet of a train that came whole and in order. */
static bool rivals_trains_whole(const struct sample *sample, double *bytes, double *span_ns)
{
    *bytes = 0;
    if (sample->received != sample->sent)
        return false;
    for (unsigned i = 1; i < sample->received; i++) {
        if (!sample->packets[i].follows)
            return false;
        *bytes += sample->packets[i].bytes;
    }
    *span_ns = (double)sample->packets[sample->received - 1].offset_ns;
    return *span_ns > 0;
}

/* --- PBProbe --- */

/* Chen, Sun, Yang, Sanadidi, Gerla, PBProbe: A capacity estimation tool for high
 * speed networks, Computer Communications 31, 2008: the train whose first and
 * last packet have the least delay sum; trains grow until that one takes more
 * than a threshold of 1 ms. Here all lengths arrive mixed: the shortest whose
 * best train takes that long has the say, else the longest. Of several sizes the
 * largest counts, as PBProbe sends but one. */
#define PBPROBE_THRESHOLD_NS 1e6

enum { LENGTHS = 17 };

struct bulk {
    double bytes; /* of all packets but the first; 0: none yet */
    double sum_ns;
    double span_ns;
    double rate_bps;
};

struct pbprobe {
    struct bulk best[LENGTHS]; /* by log2 of the length */
};

static size_t pbprobe_bytes(unsigned window)
{
    (void)window;
    return sizeof(struct pbprobe);
}

static void pbprobe_init(void *state, unsigned window)
{
    (void)window;
    *(struct pbprobe *)state = (struct pbprobe){0};
}

static void pbprobe_push(void *state, struct sample *sample)
{
    struct bulk *best = &((struct pbprobe *)state)->best[(int)log2(sample->sent)];
    double bytes, span_ns, sum_ns;

    if (!rivals_trains_whole(sample, &bytes, &span_ns) || sample->sent_ns == SAMPLE_UNKNOWN_NS)
        return;
    sum_ns = 2 * (double)(sample->time_ns - sample->sent_ns) + span_ns;
    if (bytes > best->bytes || (bytes >= best->bytes && sum_ns < best->sum_ns))
        *best = (struct bulk){bytes, sum_ns, span_ns, bytes * 8e9 / span_ns};
}

static void pbprobe_estimate(const void *state, struct estimate *estimate)
{
    const struct pbprobe *pbprobe = state;
    double rate_bps = 0;

    for (int i = 0; i < LENGTHS; i++) {
        if (pbprobe->best[i].bytes <= 0)
            continue;
        rate_bps = pbprobe->best[i].rate_bps;
        if (pbprobe->best[i].span_ns >= PBPROBE_THRESHOLD_NS)
            break;
    }
    rival_answer(estimate, rate_bps);
}

const struct filter rival_pbprobe = {
    .name = "pbprobe",
    .usage = "the train of least delay sum, long enough for the clock",
    .state_bytes = pbprobe_bytes,
    .init = pbprobe_init,
    .push = pbprobe_push,
    .estimate = pbprobe_estimate,
};

/* --- pathrate --- */

/* Dovrolis, Ramanathan, Moore, IEEE/ACM Transactions on Networking 12, 2004, and
 * the documentation of its tool: local modes of pair rates, bins of an eighth of
 * the range between the outer deciles; among those above the asymptotic
 * dispersion rate the one of most merit: the share of its bell that is in its
 * bin, times the share of all that is in its bin. No such mode: that rate. */
enum { PATHRATE_LONG_TRAIN = 8 };

#define PATHRATE_BIN_SHARE 0.125

struct pathrate {
    double long_bits, long_ns;
    struct rival_window pairs; /* last: its room follows */
};

struct mode {
    size_t from, to;           /* its bin: sorted[from] to sorted[to - 1] */
    size_t bell_from, bell_to; /* with the slopes on both sides */
};

static size_t pathrate_bytes(unsigned window)
{
    return sizeof(struct pathrate) + window * sizeof(double);
}

static void pathrate_init(void *state, unsigned window)
{
    struct pathrate *pathrate = state;

    pathrate->long_bits = pathrate->long_ns = 0;
    rival_window_init(&pathrate->pairs, window);
}

static void pathrate_push(void *state, struct sample *sample)
{
    struct pathrate *pathrate = state;
    double bytes, ns;

    if (rival_pair(sample, &bytes, &ns))
        rival_window_push(&pathrate->pairs, bytes * 8e9 / ns);
    if (sample->sent >= PATHRATE_LONG_TRAIN && rivals_trains_whole(sample, &bytes, &ns)) {
        pathrate->long_bits += bytes * 8;
        pathrate->long_ns += ns;
    }
}

/* How many from at on lie within one bin, before the end. */
static size_t bin_count(const double *sorted, size_t at, size_t end, double bin)
{
    size_t to = at;

    while (to < end && sorted[to] <= sorted[at] + bin)
        to++;
    return to - at;
}

/* The fullest bin of sorted[begin] to sorted[end - 1]. */
static struct mode fullest(const double *sorted, size_t begin, size_t end, double bin)
{
    struct mode mode = {begin, begin, begin, begin};

    for (size_t i = begin; i < end; i++) {
        size_t count = bin_count(sorted, i, end, bin);
        if (count > mode.to - mode.from)
            mode = (struct mode){i, i + count, i, i + count};
    }
    return mode;
}

/* Bin by bin downhill on both sides. */
static void find_bell(const double *sorted, size_t begin, size_t end, double bin, struct mode *mode)
{
    size_t before = mode->to - mode->from, count, from;

    while (mode->bell_to < end && (count = bin_count(sorted, mode->bell_to, end, bin)) <= before) {
        mode->bell_to += count;
        before = count;
    }
    before = mode->to - mode->from;
    while (mode->bell_from > begin) {
        for (from = mode->bell_from - 1;
             from > begin && sorted[from - 1] >= sorted[mode->bell_from - 1] - bin;)
            from--;
        count = mode->bell_from - from;
        if (count > before)
            break;
        mode->bell_from = from;
        before = count;
    }
}

struct search {
    const double *sorted;
    size_t count;
    double bin;
    double above_bps;
    double merit; /* of the best so far */
    double rate_bps;
};

/* The mode of a stretch, then what lies on either side of its bell. */
static void search_modes(struct search *search, size_t begin, size_t end)
{
    struct mode mode;
    double inside, merit;

    if (begin >= end)
        return;
    mode = fullest(search->sorted, begin, end, search->bin);
    find_bell(search->sorted, begin, end, search->bin, &mode);
    inside = (double)(mode.to - mode.from);
    merit = inside / (double)(mode.bell_to - mode.bell_from) * inside / (double)search->count;
    if (search->sorted[mode.to - 1] > search->above_bps && merit > search->merit) {
        search->merit = merit;
        search->rate_bps = (search->sorted[mode.from] + search->sorted[mode.to - 1]) / 2;
    }
    search_modes(search, begin, mode.bell_from);
    search_modes(search, mode.bell_to, end);
}

static void pathrate_estimate(const void *state, struct estimate *estimate)
{
    const struct pathrate *pathrate = state;
    double *sorted = rival_window_sorted(&pathrate->pairs);
    struct search search = {.sorted = sorted, .count = rival_window_count(&pathrate->pairs)};

    if (pathrate->long_ns > 0)
        search.above_bps = pathrate->long_bits * 1e9 / pathrate->long_ns;
    if (search.count > 0)
        search.bin =
            PATHRATE_BIN_SHARE * (sorted[(search.count - 1) * 9 / 10] - sorted[(search.count - 1) / 10]);
    search_modes(&search, 0, search.count);
    rival_answer(estimate, search.merit > 0 ? search.rate_bps : search.above_bps);
    free(sorted);
}

const struct filter rival_pathrate = {
    .name = "pathrate",
    .usage = "the best mode of pair rates above the rate of long trains",
    .state_bytes = pathrate_bytes,
    .init = pathrate_init,
    .push = pathrate_push,
    .estimate = pathrate_estimate,
};

/* --- WebRTC --- */

/* The probe bitrate estimator of WebRTC's goog_cc: a cluster counts when 80 % of
 * it arrived, within a second, at no more than twice the rate it was sent at;
 * the lesser rate is said. The last cluster has the say. (WebRTC then aims at
 * 95 % of what came when that is well below what was sent; it is a target for a
 * sender, and left out here.) */
#define WEBRTC_LEAST_SHARE 0.8
#define WEBRTC_MOST_RATIO 2.0
#define WEBRTC_LONGEST_NS 1e9

static size_t webrtc_bytes(unsigned window)
{
    (void)window;
    return sizeof(double);
}

static void webrtc_init(void *state, unsigned window)
{
    (void)window;
    *(double *)state = 0;
}

static void webrtc_push(void *state, struct sample *sample)
{
    double first_ns = 0, last_ns = 0, bits = 0, bps, sent_bps;

    for (unsigned i = 0; i < sample->received; i++) {
        first_ns = fmin(first_ns, (double)sample->packets[i].offset_ns);
        last_ns = fmax(last_ns, (double)sample->packets[i].offset_ns);
        bits += i ? 8.0 * sample->packets[i].bytes : 0;
    }
    if (sample->received < WEBRTC_LEAST_SHARE * sample->sent || sample->departure_span_ns <= 0
        || last_ns <= first_ns || last_ns - first_ns > WEBRTC_LONGEST_NS)
        return;
    bps = bits * 1e9 / (last_ns - first_ns);
    sent_bps = bits * 1e9 / (double)sample->departure_span_ns;
    if (bps > WEBRTC_MOST_RATIO * sent_bps)
        return;
    *(double *)state = fmin(bps, sent_bps);
}

static void webrtc_estimate(const void *state, struct estimate *estimate)
{
    rival_answer(estimate, *(const double *)state);
}

const struct filter rival_webrtc = {
    .name = "webrtc",
    .usage = "the last train as a probe cluster",
    .state_bytes = webrtc_bytes,
    .init = webrtc_init,
    .push = webrtc_push,
    .estimate = webrtc_estimate,
};

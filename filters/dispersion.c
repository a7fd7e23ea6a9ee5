/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/dispersion.h"

/* False when packets came out of order. */
static bool sum_gaps(struct sample *sample)
{
    bool in_order = true;

    sample->gaps = 0;
    sample->span_bytes = 0;
    sample->span_ns = 0;
    for (size_t i = 1; i < sample->received; i++) {
        const struct sample_packet *packet = &sample->packets[i];
        int64_t gap_ns = packet->offset_ns - packet[-1].offset_ns;

        in_order &= packet->position >= packet[-1].position;
        if (!packet->follows || gap_ns < 0) /* < 0: the clock was set back */
            continue;
        sample->gaps++;
        sample->span_bytes += packet->bytes;
        sample->span_ns += gap_ns;
    }
    sample->rate_bps = sample->span_ns > 0 ? (double)sample->span_bytes * 8e9 / (double)sample->span_ns : 0;
    return in_order;
}

/* What the gaps that arrived took when they left; 0 when that is not told. */
static double dispersion_departed_ns(const struct sample *sample)
{
    if (sample->departure_span_ns == SAMPLE_UNKNOWN_NS)
        return 0;
    return (double)sample->departure_span_ns * sample->gaps / (sample->sent - 1);
}

static bool sender_limited(const struct sample *sample)
{
    return sample->departure_span_ns >= SAMPLE_SPAN_OVER_NS
        || (double)sample->span_ns <= LIMITED_RATIO * dispersion_departed_ns(sample);
}

/* No path brings packets closer together than they left: the receiver took them in one go. */
static bool batched(const struct sample *sample)
{
    return sample->span_ns == 0
        || (sample->departure_span_ns < SAMPLE_SPAN_OVER_NS
            && (double)sample->span_ns * LIMITED_RATIO < dispersion_departed_ns(sample));
}

static bool sizes_differ(const struct sample *sample)
{
    uint32_t reach = sample->packet_bytes / DISPERSION_SIZES;
    uint32_t least = sample->packet_bytes - reach, most = sample->packet_bytes + reach;

    for (size_t i = 0; i < sample->received; i++)
        if (sample->packets[i].bytes < least || sample->packets[i].bytes > most)
            return true;
    return false;
}

static enum sample_verdict dispersion_judge(const struct sample *sample, bool in_order)
{
    if (sizes_differ(sample))
        return VERDICT_FOREIGN_SIZE;
    if (sample->gaps > 0 && batched(sample))
        return VERDICT_BATCHED;
    if (sample->gaps > 0 && sender_limited(sample))
        return VERDICT_SENDER_LIMITED;
    if (sample->received < sample->sent)
        return VERDICT_PARTIAL;
    if (!in_order)
        return VERDICT_REORDERED;
    return sample->gaps > 0 ? VERDICT_OK : VERDICT_PARTIAL; /* "ok" says: used */
}

void dispersion_measure(struct sample *sample)
{
    bool in_order = sum_gaps(sample);

    if (sample->verdict == VERDICT_OK)
        sample->verdict = dispersion_judge(sample, in_order);
}

bool dispersion_usable(const struct sample *sample)
{
    switch (sample->verdict) {
    case VERDICT_OK:
    case VERDICT_COMPRESSED:
    case VERDICT_EXPANDED:
    case VERDICT_PARTIAL:
    case VERDICT_REORDERED: return sample->rate_bps > 0;
    default: return false;
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/load.h"

/* Of the last few trains each weighs that much less than the next. */
#define LOAD_FADES (1.0 / 16)

/* Above half of what the link carries. */
#define LOAD_MOST 0.5

void load_add(struct load *load, const struct sample *sample)
{
    bool sent = sample->sent_ns != SAMPLE_UNKNOWN_NS;
    int64_t now_ns = sent ? sample->sent_ns : sample->time_ns;
    double ns = (double)now_ns - (double)load->at_ns;

    /* A train's bits count over the time from the one before it, by one clock. */
    if (load->known && load->sent == sent && ns > 0) {
        load->bits += 8.0 * sample->sent * sample->packet_bytes - LOAD_FADES * load->bits;
        load->ns += ns - LOAD_FADES * load->ns;
    }
    load->known = true;
    load->sent = sent;
    load->at_ns = now_ns;
}

bool load_crowds(const struct load *load, double capacity_bps)
{
    return capacity_bps > 0 && load->bits * 1e9 > LOAD_MOST * capacity_bps * load->ns;
}

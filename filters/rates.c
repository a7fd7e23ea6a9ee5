/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/rates.h"

#include "filters/dispersion.h"
#include "filters/sort.h"

#include <string.h>

void rates_init(struct rates *rates, double *ring, unsigned room)
{
    *rates = (struct rates){.room = room, .ring = ring};
}

static void rates_take(struct rates *rates, double rate)
{
    if (rates->count < rates->room) {
        rates->ring[rates->count++] = rate;
        return;
    }
    rates->ring[rates->oldest] = rate;
    rates->oldest = (rates->oldest + 1) % rates->room;
}

void rates_push(struct rates *rates, const struct sample *sample)
{
    if (!dispersion_usable(sample))
        return;
    rates_take(rates, sample->rate_bps);
    if (sample->sent >= SAMPLE_LONG) {
        rates->long_bytes += sample->span_bytes;
        rates->long_ns += sample->span_ns;
    }
}

void rates_grow(struct rates *to, const struct rates *from)
{
    for (unsigned i = 0; i < from->count; i++)
        rates_take(to, from->ring[(from->oldest + i) % from->room]);
    to->long_bytes = from->long_bytes;
    to->long_ns = from->long_ns;
}

struct sorted rates_sorted(const struct rates *rates, double *scratch)
{
    memcpy(scratch, rates->ring, rates->count * sizeof *scratch);
    sort_numbers(scratch, rates->count);
    return (struct sorted){scratch, rates->count};
}

double rates_adr_bps(const struct rates *rates)
{
    return rates->long_ns > 0 ? (double)rates->long_bytes * 8e9 / (double)rates->long_ns : 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/rates.h"

#include "filters/dispersion.h"

void rates_init(struct rates *rates, void *memory, unsigned window)
{
    *rates = (struct rates){.window = memory};
    ranked_init(rates->window, window);
}

void rates_push(struct rates *rates, const struct sample *sample)
{
    if (!dispersion_usable(sample))
        return;
    ranked_append(rates->window, sample->rate_bps);
    if (sample->sent >= RATES_LONG_TRAIN) {
        rates->long_bytes += sample->span_bytes;
        rates->long_ns += sample->span_ns;
    }
}

const struct ranked *rates_window(const struct rates *rates)
{
    ranked_sort(rates->window);
    return rates->window;
}

double rates_adr_bps(const struct rates *rates)
{
    return rates->long_ns > 0 ? (double)rates->long_bytes * 8e9 / (double)rates->long_ns : 0;
}

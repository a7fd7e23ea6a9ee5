/* SPDX-License-Identifier: BSD-3-Clause */
#include "rivals.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

const struct filter *const rival_table[] = {
    &rival_pair_median, &rival_kernel, &rival_capprobe, &rival_pbprobe, &rival_pathrate,
    &rival_webrtc,      &rival_plm,    &rival_srt,      NULL,
};

size_t rival_window_bytes(unsigned window)
{
    return sizeof(struct rival_window) + window * sizeof(double);
}

void rival_window_init(void *state, unsigned size)
{
    struct rival_window *window = state;

    window->size = size;
    window->pushed = 0;
}

void rival_window_push(struct rival_window *window, double value)
{
    window->value[window->pushed++ % window->size] = value;
}

size_t rival_window_count(const struct rival_window *window)
{
    return window->pushed < window->size ? window->pushed : window->size;
}

static int rivals_by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

double *rival_window_sorted(const struct rival_window *window)
{
    size_t count = rival_window_count(window);
    double *sorted = sim_allocate(count, sizeof(*sorted));

    memcpy(sorted, window->value, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), rivals_by_value);
    return sorted;
}

bool rival_pair(const struct sample *sample, double *bytes, double *gap_ns)
{
    const struct sample_packet *second = &sample->packets[1];

    if (sample->received < 2 || !second->follows || second->position != 1 || second->offset_ns <= 0)
        return false;
    *bytes = second->bytes;
    *gap_ns = (double)second->offset_ns;
    return true;
}

void rival_answer(struct estimate *estimate, double rate_bps)
{
    *estimate = (struct estimate){.state = STATE_INSUFFICIENT};
    if (rate_bps > 0)
        *estimate = (struct estimate){
            .state = STATE_CONVERGED, .capacity_bps = rate_bps, .low_bps = rate_bps, .high_bps = rate_bps};
}

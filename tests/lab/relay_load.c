/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay_load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int load_init(struct load *load)
{
    load->steps = malloc(LOAD_STEPS * sizeof *load->steps);
    if (!load->steps)
        return -1;
    memset(load->steps, 0, LOAD_STEPS * sizeof *load->steps);
    return 0;
}

void load_fini(struct load *load)
{
    free(load->steps);
}

void load_left(struct load *load, uint64_t bytes, bool marked, int64_t now_ns)
{
    if (!load->steps)
        return;
    if (load->count == 0)
        load->begun_ns = now_ns;
    int64_t step = (now_ns - load->begun_ns) / LOAD_STEP_NS;
    if (step < 0 || step >= LOAD_STEPS)
        return;
    if (step >= load->count)
        load->count = (uint32_t)step + 1;
    if (marked)
        load->steps[step].marked_bytes += bytes;
    else
        load->steps[step].cross_bytes += bytes;
}

void load_write(const struct load *load, FILE *out)
{
    for (uint32_t i = 0; i < load->count; i++)
        fprintf(out, "%" PRId64 " %" PRIu64 " %" PRIu64 "\n",
                load->begun_ns + (int64_t)(i + 1) * LOAD_STEP_NS, load->steps[i].marked_bytes,
                load->steps[i].cross_bytes);
}

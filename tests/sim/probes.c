/* SPDX-License-Identifier: BSD-3-Clause */
#include "probes.h"

#include "memory.h"

#include <stdlib.h>

void sim_background_add(struct sim_background *background, int64_t at_ps)
{
    background->at_ps =
        sim_grow(background->at_ps, &background->room, background->count + 1, sizeof(*background->at_ps));
    background->at_ps[background->count++] = at_ps;
}

void sim_background_fini(struct sim_background *background)
{
    free(background->at_ps);
    *background = (struct sim_background){0};
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/conclude.h"

#include "pprec/lib/handle.h"

struct estimate conclude_next;

static size_t conclude_state_bytes(unsigned window)
{
    (void)window;
    return sizeof(double);
}

static void conclude_init(void *state, unsigned window)
{
    (void)state;
    (void)window;
}

static void conclude_push(void *state, struct sample *sample)
{
    (void)state;
    (void)sample;
}

static void conclude_estimate(const void *state, struct estimate *to)
{
    (void)state;
    *to = conclude_next;
}

static const struct filter filter = {
    .name = "conclude",
    .state_bytes = conclude_state_bytes,
    .init = conclude_init,
    .push = conclude_push,
    .estimate = conclude_estimate,
};

void conclude_in(struct pprec *pprec)
{
    pprec->settings.filter = &filter;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Input: a byte for the window, then trains as in trains.h, which are pushed to a handle of
 * every filter; what one of them says goes through all sinks. */
#include "tests/fuzz/figures.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sinks.h"
#include "tests/fuzz/trains.h"

#include <stdlib.h>

enum { FILTERS_MOST = 16, TRAINS_AN_INTERVAL = 8 };

struct handles {
    struct pprec *pprec[FILTERS_MOST];
    struct pprec_cursor cursor[FILTERS_MOST];
    unsigned count;
    struct format_run about; /* the one whose sinks are tried */
};

static void push_push_all(void *to, const struct pprec_arrival *arrival)
{
    struct handles *handles = to;

    for (unsigned i = 0; i < handles->count; i++) {
        pprec_push(handles->pprec[i], arrival);
        if (arrival->position == 0 && arrival->train % TRAINS_AN_INTERVAL == 0)
            figures_of_interval(handles->pprec[i], &handles->cursor[i]);
    }
}

static void push_start(struct handles *handles, uint8_t window)
{
    struct pprec_config config;

    pprec_config_init(&config);
    config.window = 1 + window;
    handles->count = figures_filters();
    if (handles->count > FILTERS_MOST)
        abort();
    for (unsigned i = 0; i < handles->count; i++)
        handles->pprec[i] = i == window % handles->count ? sinks_handle(config, i, &handles->about)
                                                         : figures_handle(config, i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct handles handles = {.count = 0};

    push_start(&handles, bytes > 0 ? data[0] : 0);
    if (bytes > 0)
        trains_run(data + 1, bytes - 1, push_push_all, &handles);
    for (unsigned i = 0; i < handles.count; i++) {
        pprec_finish(handles.pprec[i]);
        pprec_free(handles.pprec[i]);
    }
    return 0;
}

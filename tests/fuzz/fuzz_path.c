/* SPDX-License-Identifier: BSD-3-Clause */
/* Input: what came over a simulated path (tests/sim), and what happened to it then.
 *
 *   u8 u8 case; u8 seed; u8 a filter beside adaptive
 *   then changes, one after the other: u8 u8 which arrival, u8 what becomes of it, u8 how much
 *
 * So every state is reached that a filter has an answer in, and then left.
 */
#include "tests/fuzz/figures.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sinks.h"
#include "tests/sim/cases.h"

#include <stdbool.h>
#include <stdlib.h>

enum { HEAD_BYTES = 4, CHANGE_BYTES = 4, CHANGES_MOST = 256, HANDLES = 2 };

enum what { GONE, TWICE, LATER, EARLIER, SIZED, SENT, DEPARTED, PAUSE, KINDS };

static unsigned two_bytes(const uint8_t *at)
{
    return (unsigned)(at[0] << 8 | at[1]);
}

/* 1 ns to half an hour. */
static int64_t path_time_of(uint8_t code)
{
    return (int64_t)(8 + (code & 7)) << (code >> 3) >> 3;
}

/* Arrivals after this one come later too. */
static void pause_at(struct sim_run *run, size_t from, int64_t pause_ns)
{
    for (size_t i = from; i < run->arrival_count; i++)
        run->arrivals[i].received.ns += pause_ns;
}

static void path_change(struct sim_run *run, const uint8_t *how)
{
    size_t which = run->arrival_count * two_bytes(how) / 65536;
    struct pprec_arrival *arrival = &run->arrivals[which];
    int64_t time_ns = path_time_of(how[3]);

    switch ((enum what)(how[2] % KINDS)) {
    case GONE: /* as is the one before: what came of it came once more */
        *arrival = run->arrivals[which > 0 ? which - 1 : 0];
        break;
    case TWICE:
        if (which + 1 < run->arrival_count)
            run->arrivals[which + 1] = *arrival;
        break;
    case LATER: arrival->received.ns += time_ns; break;
    case EARLIER: arrival->received.ns -= time_ns; break;
    case SIZED: arrival->payload_bytes ^= how[3]; break;
    case SENT: arrival->sent_ns = how[3] == 0 ? PPREC_UNKNOWN_NS : arrival->received.ns - time_ns; break;
    case DEPARTED: arrival->departure_span_ns = how[3] == 0 ? PPREC_UNKNOWN_NS : time_ns; break;
    default: pause_at(run, which, time_ns);
    }
}

static void path_draw(struct sim_run *run, const uint8_t *head)
{
    const struct sim_case *row = &sim_cases[two_bytes(head) % sim_case_count];
    struct sim_config config;

    sim_case_config(row, head[2], &config);
    sim_run_init(run, &config, head[2]);
}

static void path_measure(const struct sim_run *run, unsigned filter)
{
    struct pprec_config config;
    struct pprec *pprec;
    struct format_run about;

    pprec_config_init(&config);
    pprec = sinks_handle(config, filter, &about);
    for (size_t i = 0; i < run->arrival_count; i++)
        pprec_push(pprec, &run->arrivals[i]);
    pprec_finish(pprec);
    pprec_free(pprec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct sim_run run;

    if (bytes < HEAD_BYTES)
        return 0;
    path_draw(&run, data);
    for (size_t at = HEAD_BYTES; at + CHANGE_BYTES <= bytes && run.arrival_count > 0; at += CHANGE_BYTES)
        path_change(&run, data + at);
    path_measure(&run, 0);
    if (data[3] % figures_filters() != 0)
        path_measure(&run, data[3]);
    sim_run_fini(&run);
    return 0;
}

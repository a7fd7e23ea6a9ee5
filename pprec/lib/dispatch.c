/* SPDX-License-Identifier: BSD-3-Clause */
#include "dispatch.h"

#include "common/stamp.h"
#include "pprec/lib/intake.h"
#include "pprec/lib/push.h"
#include "pprec/lib/sized.h"

void source_clock_tick(struct source_clock *clock, struct pprec *pprec, int got)
{
    int64_t monotonic_ns = stamp_now_ns(CLOCK_MONOTONIC);

    if (got > 0)
        clock->newest_monotonic_ns = monotonic_ns;
    else if (clock->newest.clock != PPREC_CLOCK_NONE)
        handle_look_over(pprec, clock->newest.clock,
                         clock->newest.ns + monotonic_ns - clock->newest_monotonic_ns);
}

int source_check_none(struct pprec *pprec)
{
    if (intake_of(pprec)->source == NULL)
        return PPREC_OK;
    return handle_fail(pprec, PPREC_EINVAL, "this handle has a source of packets already");
}

static int source_dispatch(struct pprec *pprec, unsigned packets_max)
{
    if (intake_of(pprec)->source != NULL) {
        handle_note_dropped(pprec);
        return intake_of(pprec)->source->ops->dispatch(intake_of(pprec)->source, pprec, packets_max);
    }
    return handle_fail(pprec, PPREC_EINVAL, "this handle has no source of packets");
}

int pprec_dispatch(struct pprec *pprec, unsigned packets_max)
{
    int status = handle_enter(pprec);

    return status < 0 ? status : handle_leave(pprec, source_dispatch(pprec, packets_max));
}

void pprec_get_capture_counts_sized(const struct pprec *pprec, struct pprec_capture_counts *given,
                                    size_t given_bytes)
{
    struct pprec_capture_counts counts = intake_seen(pprec)->captured;
    struct pprec_totals totals;

    pprec_get_totals(pprec, &totals);
    counts.flows_pushed += totals.streams_gone;
    sized_give(given, given_bytes, &counts, sizeof counts);
}

int pprec_fd(const struct pprec *pprec)
{
    return intake_seen(pprec)->source != NULL ? intake_seen(pprec)->source->fd : -1;
}

int pprec_buffer_bytes(const struct pprec *pprec)
{
    return intake_seen(pprec)->source != NULL ? intake_seen(pprec)->source->buffer_bytes : 0;
}

enum pprec_timestamps pprec_source_timestamps(const struct pprec *pprec)
{
    return intake_seen(pprec)->source != NULL ? intake_seen(pprec)->source->timestamps
                                              : PPREC_TIMESTAMPS_NONE;
}

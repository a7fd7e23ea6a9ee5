/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture.h"

#include "pprec/lib/dissect.h"
#include "pprec/lib/intake.h"
#include "pprec/lib/dispatch.h"
#include "pprec/lib/recognise.h"
#include "pprec/lib/sized.h"
#include "pprec/lib/tunnels.h"

enum { SNAP_DEFAULT_BYTES = 192, SNAP_MOST_BYTES = 262144, BUFFER_DEFAULT_BYTES = 16 << 20 };

static const struct pprec_capture_options defaults = {
    .snap_bytes = SNAP_DEFAULT_BYTES,
    .buffer_bytes = BUFFER_DEFAULT_BYTES,
};

void pprec_capture_options_init_sized(struct pprec_capture_options *options, size_t struct_bytes)
{
    sized_write(options, struct_bytes, &defaults, sizeof defaults);
}

static int capture_check(struct pprec *pprec, struct pprec_capture_options *options,
                         const struct pprec_capture_options *given)
{
    *options = defaults;
    if (sized_read(options, sizeof *options, given) < 0)
        return handle_fail(pprec, PPREC_EINVAL, "capture options not set up by pprec_capture_options_init()");
    if ((options->files == NULL) == (options->interface_name == NULL))
        return handle_fail(pprec, PPREC_EINVAL, "a capture is read from files or from an interface");
    if (options->files != NULL && options->files[0] == NULL)
        return handle_fail(pprec, PPREC_EINVAL, "there is no file to read");
    if (options->snap_bytes < 1 || options->snap_bytes > SNAP_MOST_BYTES)
        return handle_fail(pprec, PPREC_EINVAL, "snap_bytes %d: want 1 to %d", options->snap_bytes,
                           SNAP_MOST_BYTES);
    if (options->timestamps > PPREC_TIMESTAMPS_KERNEL)
        return handle_fail(pprec, PPREC_EINVAL, "timestamps %u of a capture: want hardware, kernel or none",
                           (unsigned)options->timestamps);
    if (options->buffer_bytes < 1)
        return handle_fail(pprec, PPREC_EINVAL, "buffer_bytes %d: want 1 or more", options->buffer_bytes);
    return source_check_none(pprec);
}

static int open_capture(struct pprec *pprec, const struct pprec_capture_options *given)
{
    struct pprec_capture_options options;

    if (capture_check(pprec, &options, given) < 0)
        return PPREC_EINVAL;
    return options.files != NULL ? capture_open_files(pprec, &options) : capture_open_live(pprec, &options);
}

int pprec_open_capture(struct pprec *pprec, const struct pprec_capture_options *given)
{
    int status = handle_enter(pprec);

    return status < 0 ? status : handle_leave(pprec, open_capture(pprec, given));
}

int capture_init(struct capture *capture, struct pprec *pprec, const struct pprec_capture_options *options)
{
    capture->options = *options;
    if (intake_of(pprec)->expect == 1U << PPREC_KIND_PROBE)
        return PPREC_OK;
    capture->flows = flows_new(intake_of(pprec)->memory, intake_of(pprec)->hash, FLOWS_CAPTURED, true);
    if (capture->flows != NULL)
        return PPREC_OK;
    return handle_fail(pprec, PPREC_ENOMEM, "no memory for %d flows", FLOWS_CAPTURED);
}

void capture_fini(struct capture *capture)
{
    flows_free(capture->flows);
}

static uint64_t *counter(struct pprec_capture_counts *counts, enum dissect_result result)
{
    switch (result) {
    case DISSECT_FRAGMENT: return &counts->fragments;
    case DISSECT_CUT: return &counts->cut;
    case DISSECT_BAD: return &counts->malformed;
    default: return &counts->other;
    }
}

void capture_take(struct capture *capture, const struct capture_record *record)
{
    const struct link_type *link = record->interface->link;
    struct pprec *pprec = capture->pprec;
    enum dissect_result result;
    struct packet packet;

    intake_of(pprec)->captured.packets++;
    if (!record->timed) {
        intake_of(pprec)->captured.malformed++;
        return;
    }
    capture->stamp.ns = intake_of(pprec)->time_ns = record->time_ns;
    packet.protocol = 0;
    result = link != NULL ? dissect(&packet, link, record->frame, record->at_hand) : DISSECT_OTHER;
    if (result != DISSECT_OK) {
        ++*counter(&intake_of(pprec)->captured, result);
        if (result == DISSECT_OTHER)
            tunnel_count(&intake_of(pprec)->captured, tunnel_of_protocol(packet.protocol));
        return;
    }
    packet.arrival.received = capture->stamp;
    recognise(pprec, capture->flows, &packet, capture->options.port);
}

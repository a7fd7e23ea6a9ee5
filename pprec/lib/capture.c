/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture.h"

#include "pprec/lib/dissect.h"
#include "pprec/lib/handle.h"
#include "pprec/lib/dispatch.h"
#include "pprec/lib/recognise.h"
#include "pprec/lib/sized.h"

enum { SNAP_DEFAULT_BYTES = 192, SNAP_MOST_BYTES = 262144, BUFFER_DEFAULT_BYTES = 16 << 20 };

static const struct pprec_capture_options defaults = {
    .snap_bytes = SNAP_DEFAULT_BYTES,
    .buffer_bytes = BUFFER_DEFAULT_BYTES,
};

void pprec_capture_options_init_sized(struct pprec_capture_options *options, size_t struct_bytes)
{
    sized_write(options, struct_bytes, &defaults, sizeof defaults);
}

static const char *capture_fault_of(struct pprec_capture_options *options,
                                    const struct pprec_capture_options *given)
{
    *options = defaults;
    if (sized_read(options, sizeof *options, given) < 0)
        return "capture options not set up by pprec_capture_options_init()";
    if ((options->files == NULL) == (options->interface_name == NULL))
        return "a capture is read from files or from an interface";
    if (options->files != NULL && options->files[0] == NULL)
        return "there is no file to read";
    if (options->snap_bytes < 1 || options->snap_bytes > SNAP_MOST_BYTES)
        return "snap_bytes: want 1 to 262144";
    if (options->timestamps > PPREC_TIMESTAMPS_KERNEL)
        return "a capture's timestamps are hardware or kernel";
    return NULL;
}

static int open_capture(struct pprec *pprec, const struct pprec_capture_options *given)
{
    struct pprec_capture_options options;
    const char *fault = capture_fault_of(&options, given);

    if (fault != NULL)
        return handle_fail(pprec, PPREC_EINVAL, "%s", fault);
    if (source_check_none(pprec) < 0)
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
    if (pprec->expect == 1U << PPREC_KIND_PROBE)
        return PPREC_OK;
    capture->flows = flows_new(&pprec->settings.memory, &pprec->hash, FLOWS_CAPTURED, true);
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

    pprec->captured.packets++;
    if (!record->timed) {
        pprec->captured.malformed++;
        return;
    }
    capture->stamp.ns = pprec->time_ns = record->time_ns;
    result = link != NULL ? dissect(&packet, link, record->frame, record->at_hand) : DISSECT_OTHER;
    if (result != DISSECT_OK) {
        ++*counter(&pprec->captured, result);
        return;
    }
    packet.arrival.received = capture->stamp;
    recognise(pprec, capture->flows, &packet, capture->options.port);
}

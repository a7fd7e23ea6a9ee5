/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture.h"

#include "common/stamp.h"
#include "pprec/lib/dissect.h"
#include "pprec/lib/handle.h"
#include "pprec/lib/recognise.h"
#include "pprec/lib/sized.h"

enum { SNAP_DEFAULT_BYTES = 192, SNAP_MOST_BYTES = 262144, BUFFER_DEFAULT_BYTES = 16 << 20 };

/* Seconds beyond this are nonsense, and would overflow in nanoseconds. */
#define SECONDS_MOST (INT64_C(1) << 32)

static const struct pprec_capture_options defaults = {
    .snap_bytes = SNAP_DEFAULT_BYTES,
    .buffer_bytes = BUFFER_DEFAULT_BYTES,
};

void pprec_capture_options_init_sized(struct pprec_capture_options *options, size_t struct_bytes)
{
    sized_write(options, struct_bytes, &defaults, sizeof defaults);
}

static const char *fault_of(struct pprec_capture_options *options,
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
    const char *fault = fault_of(&options, given);

    if (fault != NULL) {
        error_set(&pprec->error, "%s", fault);
        return PPREC_EINVAL;
    }
    if (source_check_none(pprec) < 0)
        return PPREC_EINVAL;
    return options.files != NULL ? capture_open_files(pprec, &options)
                                 : capture_open_live(pprec, &options);
}

int pprec_open_capture(struct pprec *pprec, const struct pprec_capture_options *given)
{
    int status = handle_enter(pprec);

    return status < 0 ? status : handle_leave(pprec, open_capture(pprec, given));
}

int capture_init(struct capture *capture, struct pprec *pprec,
                 const struct pprec_capture_options *options)
{
    capture->options = *options;
    if (pprec->expect == 1U << PPREC_KIND_PROBE)
        return PPREC_OK;
    capture->flows = flows_new(&pprec->settings.memory, &pprec->hash, FLOWS_CAPTURED, true);
    if (capture->flows != NULL)
        return PPREC_OK;
    error_set(&pprec->error, "no memory for %d flows", FLOWS_CAPTURED);
    return PPREC_ENOMEM;
}

void capture_fini(struct capture *capture)
{
    capture_end(capture);
    flows_free(capture->flows);
}

int capture_begin(struct capture *capture, struct pprec *pprec, const char *name)
{
    int dlt = pcap_datalink(capture->pcap);
    const char *filter = capture->options.filter;

    capture->link = link_find(dlt);
    if (capture->link == NULL) {
        const char *dlt_name = pcap_datalink_val_to_name(dlt);

        error_set(&pprec->error, "%s: link type %d (%s) is not supported", name, dlt,
                  dlt_name != NULL ? dlt_name : "unknown");
        return PPREC_EIO;
    }
    if (filter == NULL)
        return PPREC_OK;
    if (pcap_compile(capture->pcap, &capture->program, filter, 1, PCAP_NETMASK_UNKNOWN) < 0) {
        error_set(&pprec->error, "filter '%s': %s", filter, pcap_geterr(capture->pcap));
        return PPREC_EINVAL;
    }
    capture->filtered = true;
    return PPREC_OK;
}

void capture_end(struct capture *capture)
{
    if (capture->filtered)
        pcap_freecode(&capture->program);
    if (capture->pcap != NULL)
        pcap_close(capture->pcap);
    capture->filtered = false;
    capture->pcap = NULL;
}

/* At nanosecond precision tv_usec holds nanoseconds, as the file has them. The kernel counts
 * seconds without a sign: where libpcap has 32 bits for them, its last 68 years look negative. */
static bool read_stamp(struct pprec_stamp *stamp, const struct timeval *time)
{
    int64_t seconds = sizeof time->tv_sec == 4 ? (int64_t)(uint32_t)time->tv_sec : time->tv_sec;

    if (seconds <= -SECONDS_MOST || seconds >= SECONDS_MOST || time->tv_usec < 0
        || time->tv_usec >= STAMP_NS_PER_S)
        return false;
    stamp->ns = seconds * STAMP_NS_PER_S + time->tv_usec;
    return true;
}

static uint64_t *counter(struct pprec_capture_counts *counts, enum dissect_result result)
{
    switch (result) {
    case DISSECT_FRAGMENT:
        return &counts->fragments;
    case DISSECT_CUT:
        return &counts->cut;
    case DISSECT_BAD:
        return &counts->malformed;
    default:
        return &counts->other;
    }
}

void capture_take(struct capture *capture, const struct pcap_pkthdr *header,
                  const uint8_t *frame)
{
    struct pprec *pprec = capture->pprec;
    struct packet packet;
    enum dissect_result result;

    pprec->captured.packets++;
    if (!read_stamp(&capture->stamp, &header->ts)) {
        pprec->captured.malformed++;
        return;
    }
    pprec->time_ns = capture->stamp.ns;
    result = dissect(&packet, capture->link, frame, header->caplen);
    if (result != DISSECT_OK) {
        ++*counter(&pprec->captured, result);
        return;
    }
    packet.received = capture->stamp;
    recognise(pprec, capture->flows, &packet, capture->options.port);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Live captures through libpcap. */
#include "capture.h"
#include "pprec/lib/handle.h"

#include <limits.h>
#include <stdlib.h>

struct capture_live {
    struct capture capture;
    struct source_clock clock;
};

/* --- Opening --- */

/* Stamps of the adapter: its own clock where there is a choice, for the one that
 * is steered to the host's time may step. */
static bool ask_adapter(pcap_t *pcap)
{
    int *types;
    int count = pcap_list_tstamp_types(pcap, &types);
    int found = -1;

    for (int i = 0; i < count; i++)
        if (types[i] == PCAP_TSTAMP_ADAPTER_UNSYNCED
            || (types[i] == PCAP_TSTAMP_ADAPTER && found < 0))
            found = types[i];
    if (count > 0)
        pcap_free_tstamp_types(types);
    return found >= 0 && pcap_set_tstamp_type(pcap, found) == 0;
}

static int set_up(struct capture *capture, struct pprec *pprec)
{
    const struct pprec_capture_options *options = &capture->options;
    pcap_t *pcap = capture->pcap;
    bool adapter = options->timestamps != PPREC_TIMESTAMPS_KERNEL && ask_adapter(pcap);

    if (options->timestamps == PPREC_TIMESTAMPS_HARDWARE && !adapter) {
        error_set(&pprec->error, "-C %s: the interface gives no timestamps of its own",
                  options->interface_name);
        return PPREC_EIO;
    }
    capture->stamp.clock = adapter ? PPREC_CLOCK_ADAPTER : PPREC_CLOCK_REALTIME;
    capture->stamp.source = adapter ? PPREC_TIMESTAMPS_HARDWARE : PPREC_TIMESTAMPS_PCAP;
    pcap_set_snaplen(pcap, options->snap_bytes);
    pcap_set_buffer_size(pcap, options->buffer_bytes);
    pcap_set_immediate_mode(pcap, 1); /* no block of packets kept back for a timeout */
    if (pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO) == 0)
        return PPREC_OK;
    error_set(&pprec->error, "-C %s: no timestamps in nanoseconds", options->interface_name);
    return PPREC_EIO;
}

static int activate(struct capture *capture, struct pprec *pprec)
{
    const char *name = capture->options.interface_name;
    char why[PCAP_ERRBUF_SIZE];
    int status = pcap_activate(capture->pcap);

    if (status < 0 || pcap_setnonblock(capture->pcap, 1, why) < 0) {
        const char *text = pcap_geterr(capture->pcap);

        error_set(&pprec->error, "capture on %s: %s%s", name,
                  text[0] != '\0' ? text : pcap_statustostr(status),
                  status == PCAP_ERROR_PERM_DENIED ? " (it takes CAP_NET_RAW)" : "");
        return PPREC_EIO;
    }
    status = capture_begin(capture, pprec, name);
    if (status < 0)
        return status;
    if (capture->filtered && pcap_setfilter(capture->pcap, &capture->program) < 0) {
        error_set(&pprec->error, "filter '%s': %s", capture->options.filter,
                  pcap_geterr(capture->pcap));
        return PPREC_EIO;
    }
    return PPREC_OK;
}

static int open_interface(struct capture *capture, struct pprec *pprec)
{
    char why[PCAP_ERRBUF_SIZE];
    int status;

    capture->pcap = pcap_create(capture->options.interface_name, why);
    if (capture->pcap == NULL) {
        error_set(&pprec->error, "capture on %s: %s", capture->options.interface_name, why);
        return PPREC_EIO;
    }
    status = set_up(capture, pprec);
    return status < 0 ? status : activate(capture, pprec);
}

/* --- Reading --- */

static void take(u_char *user, const struct pcap_pkthdr *header, const u_char *frame)
{
    capture_take((struct capture *)user, header, frame);
}

static int live_dispatch(struct source *source, struct pprec *pprec, unsigned packets_max)
{
    struct capture_live *live = (struct capture_live *)source;
    struct capture *capture = &live->capture;
    int most = packets_max == 0 || packets_max > INT_MAX ? INT_MAX : (int)packets_max;
    int got;

    capture->pprec = pprec;
    got = pcap_dispatch(capture->pcap, most, take, (u_char *)capture);
    if (got > 0)
        live->clock.newest = capture->stamp;
    source_clock_tick(&live->clock, pprec, got);
    if (got >= 0)
        return got;
    error_set(&pprec->error, "capture on %s: %s", capture->options.interface_name,
              pcap_geterr(capture->pcap));
    return PPREC_EIO;
}

static uint64_t live_dropped(const struct source *source)
{
    struct pcap_stat stat;

    if (pcap_stats(((const struct capture *)source)->pcap, &stat) < 0)
        return 0;
    return (uint64_t)stat.ps_drop + stat.ps_ifdrop;
}

static void live_free(struct source *source, const struct memory *memory)
{
    capture_fini((struct capture *)source);
    memory_put(memory, source);
}

static const struct source_ops live_ops = {live_free, live_dispatch, live_dropped};

int capture_open_live(struct pprec *pprec, const struct pprec_capture_options *options)
{
    const struct memory *memory = &pprec->settings.memory;
    struct capture_live *live = memory_get(memory, sizeof *live);
    int status;

    if (live == NULL) {
        error_set(&pprec->error, "no memory to capture into");
        return PPREC_ENOMEM;
    }
    live->capture.source = (struct source){.ops = &live_ops, .fd = -1};
    status = capture_init(&live->capture, pprec, options);
    if (status == PPREC_OK)
        status = open_interface(&live->capture, pprec);
    if (status < 0) {
        live_free(&live->capture.source, memory);
        return status;
    }
    live->capture.source.fd = pcap_get_selectable_fd(live->capture.pcap);
    live->capture.source.buffer_bytes = options->buffer_bytes;
    live->capture.source.timestamps =
        (enum pprec_timestamps)live->capture.stamp.source;
    pprec->source = &live->capture.source;
    return PPREC_OK;
}

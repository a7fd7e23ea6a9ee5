/* SPDX-License-Identifier: BSD-3-Clause */
/* Live captures through libpcap. */
#include "capture.h"
#include "pprec/lib/intake.h"
#include "pprec/lib/dispatch.h"

#include "common/stamp.h"

#include <limits.h>
#include <pcap/pcap.h>

struct capture_live {
    struct capture capture;
    struct source_clock clock;
    pcap_t *pcap;
    struct capture_interface interface;
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
        if (types[i] == PCAP_TSTAMP_ADAPTER_UNSYNCED || (types[i] == PCAP_TSTAMP_ADAPTER && found < 0))
            found = types[i];
    if (count > 0)
        pcap_free_tstamp_types(types);
    return found >= 0 && pcap_set_tstamp_type(pcap, found) == 0;
}

static int capture_live_set_up(struct capture *capture, pcap_t *pcap, struct pprec *pprec)
{
    const struct pprec_capture_options *options = &capture->options;
    bool adapter = options->timestamps != PPREC_TIMESTAMPS_KERNEL && ask_adapter(pcap);

    if (options->timestamps == PPREC_TIMESTAMPS_HARDWARE && !adapter)
        return handle_fail(pprec, PPREC_EIO, "interface '%s' gives no timestamps of its own",
                           options->interface_name);
    capture->stamp.clock = adapter ? PPREC_CLOCK_ADAPTER : PPREC_CLOCK_REALTIME;
    capture->stamp.source = adapter ? PPREC_TIMESTAMPS_HARDWARE : PPREC_TIMESTAMPS_PCAP;
    pcap_set_snaplen(pcap, options->snap_bytes);
    pcap_set_buffer_size(pcap, options->buffer_bytes);
    pcap_set_immediate_mode(pcap, 1); /* no block of packets kept back for a timeout */
    if (pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO) == 0)
        return PPREC_OK;
    return handle_fail(pprec, PPREC_EIO, "interface '%s' gives no timestamps in nanoseconds",
                       options->interface_name);
}

static int set_filter(pcap_t *pcap, const char *text, struct error *error)
{
    struct bpf_program program;
    int status;

    if (text == NULL)
        return PPREC_OK;
    status = pcap_compile(pcap, &program, text, 1, PCAP_NETMASK_UNKNOWN);
    if (status == 0) {
        status = pcap_setfilter(pcap, &program);
        pcap_freecode(&program);
    }
    if (status == 0)
        return PPREC_OK;
    error_set(error, "filter '%s': %s", text, pcap_geterr(pcap));
    return PPREC_EINVAL;
}

static int find_link(struct capture_live *live, struct pprec *pprec, const char *name)
{
    int dlt = pcap_datalink(live->pcap);
    const char *dlt_name = pcap_datalink_val_to_name(dlt);

    live->interface = (struct capture_interface){.dlt = dlt, .link = link_find(dlt)};
    if (live->interface.link != NULL)
        return PPREC_OK;
    return handle_fail(pprec, PPREC_EIO, "%s: link type %d (%s) is not supported", name, dlt,
                       dlt_name != NULL ? dlt_name : "unknown");
}

static int activate(struct capture_live *live, struct pprec *pprec)
{
    const struct pprec_capture_options *options = &live->capture.options;
    char why[PCAP_ERRBUF_SIZE];
    int status = pcap_activate(live->pcap);

    if (status < 0 || pcap_setnonblock(live->pcap, 1, why) < 0) {
        const char *text = pcap_geterr(live->pcap);

        return handle_fail(pprec, PPREC_EIO, "capture on %s: %s%s", options->interface_name,
                           text[0] != '\0' ? text : pcap_statustostr(status),
                           status == PCAP_ERROR_PERM_DENIED ? " (it takes CAP_NET_RAW)" : "");
    }
    status = find_link(live, pprec, options->interface_name);
    return status < 0 ? status : set_filter(live->pcap, options->filter, &intake_of(pprec)->error);
}

static int open_interface(struct capture_live *live, struct pprec *pprec)
{
    const char *name = live->capture.options.interface_name;
    char why[PCAP_ERRBUF_SIZE];
    int status;

    live->pcap = pcap_create(name, why);
    if (live->pcap == NULL)
        return handle_fail(pprec, PPREC_EIO, "capture on %s: %s", name, why);
    status = capture_live_set_up(&live->capture, live->pcap, pprec);
    return status < 0 ? status : activate(live, pprec);
}

/* --- Reading --- */

/* Seconds beyond this are nonsense, and would overflow in nanoseconds. */
#define SECONDS_MOST (INT64_C(1) << 32)

/* At nanosecond precision tv_usec holds nanoseconds. The kernel counts seconds without a sign:
 * where libpcap has 32 bits for them, its last 68 years look negative. */
static void capture_live_take(u_char *user, const struct pcap_pkthdr *header, const u_char *frame)
{
    struct capture_live *live = (struct capture_live *)user;
    const struct timeval *time = &header->ts;
    int64_t seconds = sizeof time->tv_sec == 4 ? (int64_t)(uint32_t)time->tv_sec : time->tv_sec;
    const struct capture_record record = {
        .interface = &live->interface,
        .timed = seconds > -SECONDS_MOST && seconds < SECONDS_MOST && time->tv_usec >= 0
            && time->tv_usec < STAMP_NS_PER_S,
        .time_ns = (int64_t)((uint64_t)seconds * STAMP_NS_PER_S + (uint64_t)time->tv_usec),
        .bytes = header->len,
        .at_hand = header->caplen,
        .frame = frame,
    };

    capture_take(&live->capture, &record);
}

static int live_dispatch(struct source *source, struct pprec *pprec, unsigned packets_max)
{
    struct capture_live *live = (struct capture_live *)source;
    struct capture *capture = &live->capture;
    int most = packets_max == 0 || packets_max > INT_MAX ? INT_MAX : (int)packets_max;
    int got;

    capture->pprec = pprec;
    got = pcap_dispatch(live->pcap, most, capture_live_take, (u_char *)live);
    if (got > 0)
        live->clock.newest = capture->stamp;
    source_clock_tick(&live->clock, pprec, got);
    if (got >= 0)
        return got;
    return handle_fail(pprec, PPREC_EIO, "capture on %s: %s", capture->options.interface_name,
                       pcap_geterr(live->pcap));
}

static uint64_t live_dropped(const struct source *source)
{
    struct pcap_stat stat;

    if (pcap_stats(((const struct capture_live *)source)->pcap, &stat) < 0)
        return 0;
    return (uint64_t)stat.ps_drop + stat.ps_ifdrop;
}

static void capture_live_live_free(struct source *source, const struct memory *memory)
{
    struct capture_live *live = (struct capture_live *)source;

    if (live->pcap != NULL)
        pcap_close(live->pcap);
    capture_fini(&live->capture);
    memory_put(memory, source);
}

static const struct source_ops live_ops = {capture_live_live_free, live_dispatch, live_dropped};

int capture_open_live(struct pprec *pprec, const struct pprec_capture_options *options)
{
    const struct memory *memory = intake_of(pprec)->memory;
    struct capture_live *live = memory_get(memory, sizeof *live);
    int status;

    if (live == NULL)
        return handle_fail(pprec, PPREC_ENOMEM, "no memory to capture into");
    live->capture.source = (struct source){.ops = &live_ops, .fd = -1};
    status = capture_init(&live->capture, pprec, options);
    if (status == PPREC_OK)
        status = open_interface(live, pprec);
    if (status < 0) {
        capture_live_live_free(&live->capture.source, memory);
        return status;
    }
    live->capture.source.fd = pcap_get_selectable_fd(live->pcap);
    live->capture.source.buffer_bytes = options->buffer_bytes;
    live->capture.source.timestamps = (enum pprec_timestamps)live->capture.stamp.source;
    intake_of(pprec)->source = &live->capture.source;
    return PPREC_OK;
}

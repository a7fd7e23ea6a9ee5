/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run begins with, and what follows the path while it lasts. */
#include "run.h"

#include "common/transmit.h"
#include "method.h"

#include <net/if.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

/* What a packet that waits in this host is charged to the socket: data rounded
 * up to a power of two, and the kernel's own structures. */
static size_t run_open_buffer_bytes(const struct plan *plan)
{
    return (size_t)plan_longest(plan) * (2 * (size_t)plan->train.payload_bytes + 1280);
}

static struct transmit_config transmit_config(const struct sender_options *options, size_t bytes)
{
    return (struct transmit_config){.interface = options->interface,
                                    .ttl = (int)options->ttl,
                                    .no_loop = options->loop == SENDER_LOOP_OFF,
                                    .dscp = options->dscp,
                                    .buffer_bytes = bytes};
}

static enum plan_pattern pattern(const struct sender_options *options)
{
    return options->available && options->locate ? PLAN_TIGHT
        : options->available                     ? PLAN_AVAILABLE
        : options->locate                        ? PLAN_LOCATE
        : options->mix                           ? PLAN_MIX
                                                 : PLAN_ALIKE;
}

/* What to send through the path as the kernel knows it now. */
static int run_open_make_plan(struct run *run, struct plan *plan, struct error *error)
{
    const struct sender_options *options = run->options;
    struct plan_wish wish = {.layer = options->layer,
                             .size_bytes = options->size_bytes,
                             .length = options->length,
                             .delay_ms = options->delay_ms,
                             .load_most_bps = options->load_most_bps,
                             .pattern = pattern(options),
                             .low_bps = options->low_bps,
                             .high_bps = options->high_bps,
                             .device_bps = run->egress.speed_bps,
                             .hop_from = options->hop_from,
                             .hop_to = options->hop_to,
                             .classic = options->classic,
                             .tagged = options->key_file != NULL};
    struct transmit_config config = transmit_config(options, 0);
    struct transmit_path path;

    if (transmit_path(&run->to, &config, &path, error) != 0)
        return -1;
    wish.marker_hops = path.hops;
    return plan_make(plan, &wish, address_ip(&run->to), path.mtu_bytes, error);
}

/* Where to, and what: address, plan, device, way of sending. */
static int run_open_decide(struct run *run, bool *segment, struct error *error)
{
    const struct sender_options *options = run->options;
    int family = options->ipv4 ? AF_INET : options->ipv6 ? AF_INET6 : AF_UNSPEC;

    if (address_resolve(&run->to, options->host, (uint16_t)options->port, family, error) != 0)
        return -1;
    egress_find(&run->egress, &run->to, options->interface);
    if (run_open_make_plan(run, &run->plan, error) != 0
        || plan_check_rate(&run->plan, run->egress.speed_bps, error) != 0)
        return -1;
    return method_choose((enum method_wish)options->send, &run->egress, plan_longest(&run->plan), segment,
                         &run->reason, error);
}

static unsigned interface_index(const struct run *run)
{
    return run->options->interface != NULL ? if_nametoindex(run->options->interface) : 0;
}

/* Routers are not to answer what goes to a group (RFC 1122, section 3.2.2). */
static void open_listener(struct run *run)
{
    struct transmit_config config = transmit_config(run->options, 0);

    run->listener =
        address_is_multicast(&run->to) ? -1 : transmit_listen(run->burst.socket, &run->to, &config);
}

static int run_open_open_socket(struct run *run, bool segment, struct error *error)
{
    size_t wanted_bytes = run_open_buffer_bytes(&run->plan), got_bytes;
    struct transmit_config config = transmit_config(run->options, wanted_bytes);
    int fd = transmit_open(&run->to, &config, &got_bytes, error);

    if (fd < 0)
        return -1;
    if (got_bytes < wanted_bytes)
        error_set(&run->warning,
                  "the send buffer holds %zu of the %zu bytes that a whole train "
                  "may need: a slow device may cut trains (CAP_NET_ADMIN or "
                  "net.core.wmem_max would help)",
                  got_bytes, wanted_bytes);
    burst_init(&run->burst, fd, &run->to, segment, transmit_stamps(fd));
    open_listener(run);
    run->interface_index = interface_index(run);
    return 0;
}

/* An interface that was removed and comes back under its name is another one to
 * the kernel, and the socket is bound to the old one for good: a new socket binds
 * without privileges. */
static void follow_interface(struct run *run)
{
    unsigned index = interface_index(run);
    struct transmit_config config = transmit_config(run->options, run_open_buffer_bytes(&run->plan));
    int fd;

    if (index == 0 || index == run->interface_index)
        return;
    fd = transmit_open(&run->to, &config, NULL, NULL);
    if (fd < 0)
        return; /* until the next train */
    close(run->burst.socket);
    run->burst.socket = fd;
    if (run->listener >= 0) {
        close(run->listener);
        open_listener(run);
    }
    run->interface_index = index;
    burst_renumber(&run->burst);
}

/* A smaller MTU on the way tells itself by packets that come to nothing, and then by the
 * kernel's refusals. A size that was asked for stays. */
static void follow_mtu(struct run *run)
{
    struct plan plan;
    struct payloads payloads;

    if (run->options->size_bytes != 0 || run_open_make_plan(run, &plan, NULL) != 0
        || plan.train.payload_bytes == run->plan.train.payload_bytes
        || payloads_init(&payloads, plan_longest(&plan), plan.train.payload_bytes, NULL) != 0)
        return;
    payloads_fini(&run->payloads);
    run->payloads = payloads;
    run->plan = plan;
    fprintf(stderr, "pptrans: the path's MTU is %u: packets of %u bytes from now on\n", plan.mtu_bytes,
            plan.train.size_bytes);
}

void run_follow(struct run *run)
{
    follow_interface(run);
    follow_mtu(run);
}

static enum schedule_spacing spacing(const struct run *run)
{
    if (run->options->spacing >= 0)
        return (enum schedule_spacing)run->options->spacing;
    return run->plan.paper ? SCHEDULE_UNIFORM : SCHEDULE_POISSON;
}

/* The clock, where something keeps the kernel's own from us. */
static uint64_t any_number(void)
{
    uint64_t number;

    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        number = (uint64_t)stamp_now_ns(CLOCK_REALTIME);
    return number;
}

static void start_schedule(struct run *run)
{
    run->stream = (uint32_t)any_number();
    run->totals.stream = run->stream;
    schedule_init(&run->schedule, spacing(run), stamp_now_ns(CLOCK_MONOTONIC), any_number());
}

static void close_sockets(struct run *run)
{
    close(run->burst.socket);
    if (run->listener >= 0)
        close(run->listener);
}

int run_open(struct run *run, const struct sender_options *options, struct error *error)
{
    bool segment;

    *run = (struct run){
        .options = options,
        .report = {
            .out = stdout, .json = options->json, .quiet = options->quiet, .verbose = options->verbose}};
    if (options->key_file != NULL && tagger_open(&run->tagger, options->key_file, error) != 0)
        return -1;
    if (run_open_decide(run, &segment, error) != 0 || run_open_open_socket(run, segment, error) != 0)
        return -1;
    if (payloads_init(&run->payloads, plan_longest(&run->plan), run->plan.train.payload_bytes, error) != 0) {
        close_sockets(run);
        return -1;
    }
    if (plan_paces(&run->plan))
        prctl(PR_SET_TIMERSLACK, 1UL); /* ns: sleepers are woken when they asked for */
    tagger_aim(&run->tagger, &run->to);
    if (run->plan.tagged)
        tagger_calibrate(&run->tagger, &run->payloads, &run->plan.train);
    start_schedule(run);
    return 0;
}

void run_close(struct run *run)
{
    tagger_close(&run->tagger);
    payloads_fini(&run->payloads);
    close_sockets(run);
}

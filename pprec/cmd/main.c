/* SPDX-License-Identifier: BSD-3-Clause */
/* pprec: a client of libpprec like any other. */
#include "common/auth.h"
#include "common/notify.h"
#include "pprec/cmd/confine.h"
#include "pprec/cmd/each.h"
#include "pprec/cmd/loop.h"
#include "pprec/cmd/options.h"
#include "pprec/cmd/privileges.h"
#include "pprec/cmd/replay.h"
#include "pprec/cmd/report.h"
#include "pprec/cmd/say.h"
#include "pprec/cmd/server.h"
#include "pprec/cmd/state.h"
#include "pprec/pprec.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_ESTIMATE = 0, EXIT_NO_ESTIMATE = 1, EXIT_USAGE = 2 };

static void on_train(void *user, const struct pprec_train *train)
{
    report_put_train(user, train);
}

static void on_estimate(void *user, const struct pprec_change *change)
{
    report_put_change(user, change);
}

static void on_summary(void *user, const struct pprec_summary *summary)
{
    report_put_summary(user, summary);
}

static struct pprec_endpoint endpoint_of(const struct address *address)
{
    struct pprec_endpoint endpoint = {.ip = (uint8_t)address_ip(address),
                                      .port = address_port(address)};

    if (address_ip(address) == LAYER_IPV6)
        memcpy(endpoint.address, &address->ipv6.sin6_addr, 16);
    else
        memcpy(endpoint.address, &address->ipv4.sin_addr, 4);
    return endpoint;
}

static int make_handle(struct pprec **pprec, const struct options *options,
                       struct report *report, struct error *error)
{
    struct pprec_config config;
    struct auth_key key;
    int status;

    options_configure(options, &config);
    if (options->key_file != NULL) {
        if (auth_init(error) < 0 || auth_read_key(&key, options->key_file, error) < 0)
            return -1;
        config.key = key.bytes;
        if (options->sent_to.bytes > 0)
            config.sent_to = endpoint_of(&options->sent_to);
    }
    config.user = report;
    config.on_train = on_train;
    config.on_estimate = on_estimate;
    config.on_summary = on_summary;
    status = pprec_new(pprec, &config);
    auth_forget_key(&key);
    return status < 0 ? error_set(error, "%s", pprec_error(*pprec)) : 0;
}

static int join(struct pprec *pprec, const struct options *options, struct error *error)
{
    for (const char *const *group = options->groups; *group != NULL; group++)
        if (pprec_join(pprec, *group, options->interface_name) < 0)
            return error_set(error, "-g: %s", pprec_error(pprec));
    return 0;
}

static int listen_on(struct pprec *pprec, const struct options *options, struct error *error)
{
    static const enum pprec_timestamps sources[] = {
        [OPTIONS_TIMESTAMPS_AUTO] = PPREC_TIMESTAMPS_KERNEL,
        [OPTIONS_TIMESTAMPS_KERNEL] = PPREC_TIMESTAMPS_KERNEL,
        [OPTIONS_TIMESTAMPS_HARDWARE] = PPREC_TIMESTAMPS_HARDWARE,
        [OPTIONS_TIMESTAMPS_USER] = PPREC_TIMESTAMPS_USER,
    };
    struct pprec_socket_options socket;

    pprec_socket_options_init(&socket);
    socket.port = (uint16_t)options->port;
    socket.ip = options->ipv4 ? 4 : options->ipv6 ? 6 : 0;
    socket.interface_name = options->interface_name;
    socket.timestamps = sources[options->timestamps];
    socket.sources = options->sources[0] != NULL ? options->sources : NULL;
    socket.share_port = options->groups[0] != NULL;
    if (pprec_listen(pprec, &socket) < 0)
        return error_set(error, "%s", pprec_error(pprec));
    if (join(pprec, options, error) < 0)
        return -1;
    if (pprec_source_timestamps(pprec) != socket.timestamps)
        fprintf(stderr, "pprec: the kernel gives no timestamps: using the time of reading, "
                        "which is far less exact\n");
    if (pprec_buffer_bytes(pprec) < socket.buffer_bytes)
        fprintf(stderr, "pprec: receive buffer of %d bytes, wanted %d: fast trains may be dropped "
                        "here; raise net.core.rmem_max or run with CAP_NET_ADMIN\n",
                pprec_buffer_bytes(pprec), socket.buffer_bytes);
    return 0;
}

static int open_capture(struct pprec *pprec, const struct options *options, struct error *error)
{
    static const enum pprec_timestamps sources[] = {
        [OPTIONS_TIMESTAMPS_AUTO] = PPREC_TIMESTAMPS_NONE,
        [OPTIONS_TIMESTAMPS_KERNEL] = PPREC_TIMESTAMPS_KERNEL,
        [OPTIONS_TIMESTAMPS_HARDWARE] = PPREC_TIMESTAMPS_HARDWARE,
    };
    struct pprec_capture_options capture;

    pprec_capture_options_init(&capture);
    capture.files = options_stored(options) ? options->files : NULL;
    capture.interface_name = options->capture;
    capture.filter = options->bpf;
    capture.port = (uint16_t)options->port;
    capture.timestamps = sources[options->timestamps];
    if (pprec_open_capture(pprec, &capture) < 0)
        return error_set(error, "%s", pprec_error(pprec));
    return 0;
}

static int open_source(struct pprec *pprec, const struct options *options, struct error *error)
{
    if (options_stored(options) || options->capture != NULL)
        return open_capture(pprec, options, error);
    return listen_on(pprec, options, error);
}

static void name_input(const struct options *options, char *room, size_t room_bytes)
{
    if (options_stored(options))
        snprintf(room, room_bytes, "stored captures");
    else if (options->capture != NULL)
        snprintf(room, room_bytes, "capture on %.32s", options->capture);
    else
        snprintf(room, room_bytes, "UDP port %u", options->port);
}

static void greet(const struct pprec *pprec, const char *input, const struct report *report)
{
    fprintf(stderr, "pprec: %s, timestamps %s, ", input, report->run.timestamps);
    if (pprec_buffer_bytes(pprec) > 0)
        fprintf(stderr, "receive buffer %d bytes, ", pprec_buffer_bytes(pprec));
    fprintf(stderr, "layer %s, filter %s\n", report->run.layer, report->run.filter);
}

/* Networks double packets now and then, captures by the half. */
static bool mostly_doubled(const struct pprec *pprec)
{
    struct pprec_totals totals;

    pprec_get_totals(pprec, &totals);
    return totals.counts.packets > 0 && 2 * totals.counts.duplicate >= totals.counts.packets;
}

static void say_left_out(const struct pprec *pprec)
{
    struct pprec_capture_counts counts;

    pprec_get_capture_counts(pprec, &counts);
    if (counts.packets > 0 && mostly_doubled(pprec))
        say("most packets came twice, so their gaps tell nothing: capture on one interface (not "
            "'any') and in one direction, or drop the copies (editcap -d)");
    if (counts.fragments + counts.cut + counts.malformed > 0)
        say("left out of %llu packets: %llu fragments, %llu cut too short, %llu malformed",
            (unsigned long long)counts.packets, (unsigned long long)counts.fragments,
            (unsigned long long)counts.cut, (unsigned long long)counts.malformed);
    if (counts.merged > 0)
        say("%llu segments were merged before they were captured and tell no spacing: capture with "
            "offloads off (ethtool -K IF gro off lro off)", (unsigned long long)counts.merged);
    if (counts.flows_pushed > 0)
        say("%llu times the longest idle flow was forgotten for want of room",
            (unsigned long long)counts.flows_pushed);
}

static void say_nothing_came(const struct pprec *pprec, const struct options *options)
{
    struct pprec_capture_counts counts;
    struct line refused = {.bytes = 0};

    pprec_get_capture_counts(pprec, &counts);
    format_refused(&refused, "; refused ", pprec);
    if (options_stored(options) || options->capture != NULL)
        say("nothing to measure in %llu packets%s", (unsigned long long)counts.packets,
            refused.text);
    else
        say("no probes came (%llu foreign datagrams%s)",
            (unsigned long long)pprec_foreign(pprec), refused.text);
}

/* After -c the train in flight is left alone: exactly so many were asked for. */
static void finish(struct pprec *pprec, const struct options *options, struct report *report)
{
    struct pprec_summary summary;
    struct pprec_totals totals;

    report_rank(report);
    if (!report_full(report)) {
        pprec_finish(pprec);
    } else {
        for (size_t i = 0; each_summary(pprec, i, &summary); i++)
            report_put_summary(report, &summary);
    }
    report_ranked(report, options->top);
    report_deliver(report);
    pprec_get_totals(pprec, &totals);
    if (totals.counts.packets == 0)
        say_nothing_came(pprec, options);
    report_say_no_estimate(report, totals.counts.packets);
    say_left_out(pprec);
}

/* Damage leaves an estimate that is not to be relied on; 2 when there was nothing
 * in front of it. */
static int status_of(const struct pprec *pprec, const struct report *report, int status)
{
    struct pprec_capture_counts counts;

    pprec_get_capture_counts(pprec, &counts);
    if (status == REPLAY_DAMAGED && counts.packets == 0)
        return EXIT_USAGE;
    return status == 0 && report->estimated && !report->failed ? EXIT_ESTIMATE : EXIT_NO_ESTIMATE;
}

/* Where the filter was not asked for, its lack is told and no more. */
static int confine_as(const struct options *options, struct error *error)
{
    if (confine(options->confine, error) == 0 || options->confine == CONFINE_KILL)
        return error->text[0] == '\0' ? 0 : -1;
    say("%s", error->text);
    error->text[0] = '\0';
    return 0;
}

/* Said once all is well: of an error there is one line. */
static void say_rights(const struct options *options, const char *rights)
{
    if (rights != NULL && !options_stored(options))
        say("run by root without --user: keeps %s; --user NAME gives up being root", rights);
}

static int measure(struct pprec *pprec, const struct options *options, struct report *report,
                   struct error *error)
{
    struct state state, *kept = options->state != NULL ? &state : NULL;
    const char *timestamps, *rights = NULL;
    char input[64];
    int metrics_socket = -1;
    int status;

    if (options->metrics != NULL && (metrics_socket = server_listen(options->metrics, error)) < 0)
        return EXIT_USAGE;
    /* the log is opened by whom it will be opened again by */
    if (open_source(pprec, options, error) < 0
        || privileges_drop(options->user, options->interface_name != NULL, &rights, error) < 0
        || (kept != NULL && state_open(kept, pprec, options->state, error) < 0))
        return EXIT_USAGE;
    timestamps = pprec_timestamps_name(pprec_source_timestamps(pprec));
    name_input(options, input, sizeof input);
    if (report_open(report, options, input, timestamps, error) < 0
        || confine_as(options, error) < 0) {
        if (kept != NULL)
            state_close(kept);
        return EXIT_USAGE;
    }
    report->run.pprec = pprec;
    say_rights(options, rights);
    if (!options->quiet)
        greet(pprec, input, report);
    status = options_stored(options)
        ? replay_run(pprec, report, options, error)
        : loop_run(pprec, report, options, metrics_socket, kept, error);
    notify_send("STOPPING=1");
    if (kept != NULL)
        state_close(kept);
    report_end_view(report);
    finish(pprec, options, report);
    report_close(report);
    return status_of(pprec, report, status);
}

int main(int argc, char **argv)
{
    struct error error = {.text = ""};
    struct options options;
    struct report report;
    struct pprec *pprec = NULL;
    int status = EXIT_USAGE;

    signal(SIGPIPE, SIG_IGN); /* a reader of the screen that goes away must not end the log */
    signal(SIGXFSZ, SIG_IGN); /* a limit on files is a full disk to the log, and no end */
    switch (options_from_arguments(&options, argc, argv, &error)) {
    case OPTION_HELP:
        options_help(&options, stdout);
        return EXIT_SUCCESS;
    case OPTION_VERSION:
        printf("%s %s\n", options_program()->name, options_program()->version);
        return EXIT_SUCCESS;
    case OPTION_BAD:
        break;
    case OPTION_RUN:
        if (make_handle(&pprec, &options, &report, &error) == 0)
            status = measure(pprec, &options, &report, &error);
        pprec_free(pprec);
    }
    if (error.text[0] != '\0')
        say("%s", error.text);
    return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* pprec: a client of libpprec like any other. */
#include "pprec/cmd/loop.h"
#include "pprec/cmd/options.h"
#include "pprec/cmd/report.h"
#include "pprec/pprec.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXIT_ESTIMATE = 0, EXIT_NO_ESTIMATE = 1, EXIT_USAGE = 2 };

static void on_train(void *user, const struct pprec_train *train)
{
    report_put_train(user, train);
}

static void on_summary(void *user, const struct pprec_summary *summary)
{
    report_put_summary(user, summary);
}

static int make_handle(struct pprec **pprec, const struct options *options,
                       struct report *report, struct error *error)
{
    struct pprec_config config;

    pprec_config_init(&config);
    config.layer = options->layer;
    config.filter = pprec_filter_name((size_t)options->filter);
    config.window = options->window;
    config.train_length = options->train_length;
    config.classic = options->classic;
    config.user = report;
    config.on_train = on_train;
    config.on_summary = on_summary;
    if (pprec_new(pprec, &config) < 0)
        return error_set(error, "%s", pprec_error(*pprec));
    return 0;
}

static int listen_on(struct pprec *pprec, const struct options *options, struct error *error)
{
    static const enum pprec_timestamps sources[] = {
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
    if (pprec_listen(pprec, &socket) < 0)
        return error_set(error, "%s", pprec_error(pprec));
    if (pprec_socket_timestamps(pprec) != socket.timestamps)
        fprintf(stderr, "pprec: the kernel gives no timestamps: using the time of reading, "
                        "which is far less exact\n");
    if (pprec_buffer_bytes(pprec) < socket.buffer_bytes)
        fprintf(stderr, "pprec: receive buffer of %d bytes, wanted %d: fast trains may be dropped "
                        "here; raise net.core.rmem_max or run with CAP_NET_ADMIN\n",
                pprec_buffer_bytes(pprec), socket.buffer_bytes);
    return 0;
}

static void greet(const struct pprec *pprec, const struct options *options,
                  const struct report *report)
{
    fprintf(stderr, "pprec: UDP port %u, timestamps %s, receive buffer %d bytes, layer %s, "
                    "filter %s\n",
            options->port, report->run.timestamps, pprec_buffer_bytes(pprec), report->run.layer,
            report->run.filter);
}

/* After -c the train in flight is left alone: exactly so many were asked for. */
static void finish(struct pprec *pprec, struct report *report)
{
    struct pprec_summary summary;

    if (!report_full(report)) {
        pprec_finish(pprec);
    } else {
        for (size_t i = 0; pprec_summary(pprec, i, &summary) == PPREC_OK; i++)
            report_put_summary(report, &summary);
    }
    if (pprec_streams(pprec) == 0)
        fprintf(stderr, "pprec: no probes came (%llu foreign datagrams)\n",
                (unsigned long long)pprec_foreign(pprec));
    report_flush();
}

static int measure(struct pprec *pprec, const struct options *options, struct report *report,
                   struct error *error)
{
    const char *timestamps;
    int status;

    if (listen_on(pprec, options, error) < 0)
        return EXIT_USAGE;
    timestamps = pprec_timestamps_name(pprec_socket_timestamps(pprec));
    if (report_open(report, options, timestamps, error) < 0)
        return EXIT_USAGE;
    if (!options->quiet)
        greet(pprec, options, report);
    status = loop_run(pprec, report, options, error);
    finish(pprec, report);
    report_close(report);
    if (status < 0)
        return EXIT_NO_ESTIMATE;
    return report->estimated ? EXIT_ESTIMATE : EXIT_NO_ESTIMATE;
}

int main(int argc, char **argv)
{
    struct error error = {.text = ""};
    struct options options;
    struct report report;
    struct pprec *pprec = NULL;
    int status = EXIT_USAGE;

    signal(SIGXFSZ, SIG_IGN); /* a limit on files is a full disk to the log, and no end */
    switch (options_from_arguments(&options, argc, argv, &error)) {
    case OPTION_HELP:
    case OPTION_VERSION:
        return EXIT_SUCCESS;
    case OPTION_BAD:
        break;
    case OPTION_RUN:
        if (make_handle(&pprec, &options, &report, &error) == 0)
            status = measure(pprec, &options, &report, &error);
        pprec_free(pprec);
    }
    if (error.text[0] != '\0')
        fprintf(stderr, "pprec: %s\n", error.text);
    return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* pprec: a client of libpprec like any other. */
#include "common/descriptors.h"
#include "common/notify.h"
#include "pprec/cmd/confine.h"
#include "pprec/cmd/finish.h"
#include "pprec/cmd/handle.h"
#include "pprec/cmd/jobs.h"
#include "pprec/cmd/loop.h"
#include "pprec/cmd/names.h"
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

static int cmd_join(struct pprec *pprec, const struct options *options, struct error *error)
{
    for (const char *const *group = options->groups; *group != NULL; group++)
        if (pprec_join(pprec, *group, options->interface_name) < 0)
            return error_set(error, "-g: %s", pprec_error(pprec));
    return 0;
}

static int cmd_listen_on(struct pprec *pprec, const struct options *options, struct error *error)
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
    if (cmd_join(pprec, options, error) < 0)
        return -1;
    if (pprec_source_timestamps(pprec) != socket.timestamps)
        fprintf(stderr,
                "pprec: the kernel gives no timestamps: using the time of reading, "
                "which is far less exact\n");
    if (pprec_buffer_bytes(pprec) < socket.buffer_bytes)
        fprintf(stderr,
                "pprec: receive buffer of %d bytes, wanted %d: fast trains may be dropped "
                "here; raise net.core.rmem_max or run with CAP_NET_ADMIN\n",
                pprec_buffer_bytes(pprec), socket.buffer_bytes);
    return 0;
}

/* From the first of the captures on that can be read: what cannot is said, and counts as damaged. */
static int open_stored(struct pprec *pprec, const struct options *options, const struct names *names,
                       bool *damaged, struct error *error)
{
    const char *const *files = (const char *const *)names->all;
    int status;

    while ((status = handle_open_capture(pprec, options, files, error)) == PPREC_EIO && files[1] != NULL) {
        say("%s", error->text);
        error->text[0] = '\0';
        *damaged = true;
        files++;
    }
    return status < 0 ? -1 : 0;
}

static int open_source(struct pprec *pprec, const struct options *options, const struct names *names,
                       bool *damaged, struct error *error)
{
    if (options->jobs != 0)
        return 0; /* each opens its own */
    if (options_stored(options))
        return open_stored(pprec, options, names, damaged, error);
    if (options->capture != NULL)
        return handle_open_capture(pprec, options, NULL, error) < 0 ? -1 : 0;
    return cmd_listen_on(pprec, options, error);
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

/* Where the filter was not asked for, its lack is told and no more. */
static int confine_as(const struct options *options, struct error *error)
{
    if (confine(options->confine, options->jobs != 0, error) == 0 || options->confine == CONFINE_KILL)
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

/* What main() holds. */
struct program {
    struct options options;
    struct names names; /* of stored captures */
    struct pprec *pprec;
    struct report report;
    struct jobs *jobs; /* NULL: none */
    struct state state, *kept;
    int metrics_socket;
    bool damaged;   /* a capture could not be opened */
    char input[64]; /* what is listened to, for as long as the report is */
};

/* The log is opened by whom it will be opened again by. */
static int cmd_open_all(struct program *program, const char **rights, struct error *error)
{
    const struct options *options = &program->options;
    bool stored = options_stored(options);
    struct privileges_again again = {.open = stored || options->log != NULL || options->state != NULL,
                                     .bind = options->interface_name != NULL};

    if (options->metrics != NULL && (program->metrics_socket = server_listen(options->metrics, error)) < 0)
        return -1;
    if ((stored && names_find(&program->names, options, error) < 0)
        || open_source(program->pprec, options, &program->names, &program->damaged, error) < 0
        || privileges_drop(options->user, again, rights, error) < 0)
        return -1;
    if (options->state == NULL)
        return 0;
    program->kept = &program->state;
    if (state_open(program->kept, program->pprec, options->state, error) == 0)
        return 0;
    program->kept = NULL;
    return -1;
}

static const char *timestamps_of(const struct program *program)
{
    return pprec_timestamps_name(program->options.jobs != 0 ? PPREC_TIMESTAMPS_PCAP
                                                            : pprec_source_timestamps(program->pprec));
}

/* The threads come before what confines them all. */
static int cmd_begin(struct program *program, const char *rights, struct error *error)
{
    const struct options *options = &program->options;

    name_input(options, program->input, sizeof program->input);
    if (report_open(&program->report, options, program->input, timestamps_of(program), error) < 0)
        return -1;
    program->report.run.pprec = program->pprec;
    if (options->jobs != 0) {
        program->jobs = jobs_new(options, (const char *const *)program->names.all, program->names.count,
                                 &program->report, error);
        if (program->jobs == NULL)
            return -1;
    }
    if (confine_as(options, error) < 0) {
        if (program->jobs != NULL)
            jobs_free(program->jobs);
        return -1;
    }
    say_rights(options, rights);
    if (!options->quiet)
        greet(program->pprec, program->input, &program->report);
    return 0;
}

static enum outcome cmd_run(struct program *program, struct error *error)
{
    const struct options *options = &program->options;
    struct report *report = &program->report;
    int status;

    if (program->jobs != NULL)
        return jobs_run(program->jobs);
    status = options_stored(options)
        ? replay_run(program->pprec, report, options, (const char *const *)program->names.all, error)
        : loop_run(program->pprec, report, options, program->metrics_socket, program->kept, error);
    notify_send("STOPPING=1");
    if (program->kept != NULL)
        state_close(program->kept);
    program->kept = NULL;
    report_end_view(report);
    finish(program->pprec, options, report);
    return finish_outcome(program->pprec, options, report, program->damaged || status != 0);
}

static enum outcome cmd_measure(struct program *program, struct error *error)
{
    enum outcome outcome = OUTCOME_UNUSABLE;
    const char *rights = NULL;

    if (handle_make(&program->pprec, &program->options, &program->report, error) == 0
        && cmd_open_all(program, &rights, error) == 0) {
        if (cmd_begin(program, rights, error) == 0) {
            outcome = cmd_run(program, error);
            report_close(&program->report);
        }
        if (program->kept != NULL)
            state_close(program->kept);
    }
    pprec_free(program->pprec);
    names_free(&program->names);
    return outcome;
}

int main(int argc, char **argv)
{
    struct program program = {.metrics_socket = -1};
    struct error error = {.text = ""};
    int status = OUTCOME_UNUSABLE;

    if (descriptors_fill(&error) != 0) {
        say("%s", error.text);
        return OUTCOME_UNUSABLE;
    }
    signal(SIGPIPE, SIG_IGN); /* a reader of the screen that goes away must not end the log */
    signal(SIGXFSZ, SIG_IGN); /* a limit on files is a full disk to the log, and no end */
    switch (options_from_arguments(&program.options, argc, argv, &error)) {
    case OPTION_HELP: options_help(&program.options, stdout); return EXIT_SUCCESS;
    case OPTION_VERSION:
        printf("%s %s\n", options_program()->name, options_program()->version);
        return EXIT_SUCCESS;
    case OPTION_BAD: break;
    case OPTION_RUN: status = (int)cmd_measure(&program, &error);
    }
    if (error.text[0] != '\0')
        say("%s", error.text);
    return status;
}

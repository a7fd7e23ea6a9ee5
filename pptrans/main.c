/* SPDX-License-Identifier: BSD-3-Clause */
/* pptrans: sends UDP packet pairs and trains. */
#include "common/descriptors.h"
#include "common/notify.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>

/* Exit status: nothing of what was asked could be sent; bad usage. */
enum { EXIT_NOTHING_SENT = 1, EXIT_USAGE = 2 };

static int usage_error(const struct error *error)
{
    fprintf(stderr, "pptrans: %s\n", error->text);
    return EXIT_USAGE;
}

static void pptrans_start(const struct run *run)
{
    char to[ADDRESS_TEXT_BYTES];
    struct report_start start = {
        .version = sender_options_program.version,
        .to = address_text(&run->to, to),
        .device = run->egress.name,
        .spacing = run->schedule.spacing == SCHEDULE_POISSON ? "poisson" : "uniform",
        .segment = run->burst.segment,
        .stamped = run->burst.stamped,
        .reason = run->reason.text,
        .stream = run->stream,
    };

    if (run->warning.text[0] != '\0')
        fprintf(stderr, "pptrans: %s\n", run->warning.text);
    report_start(&run->report, &run->plan, &start);
}

static int pptrans_send_all(const struct sender_options *options)
{
    static struct run run; /* too large for some stacks */
    struct error error = {""};
    bool sent;

    if (run_open(&run, options, &error) != 0)
        return usage_error(&error);
    pptrans_start(&run);
    notify_send("READY=1");
    run_trains(&run);
    sent = run.totals.packets > 0;
    run_close(&run);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fputs("pptrans: standard output could not be written\n", stderr);
        return EXIT_NOTHING_SENT;
    }
    return sent ? EXIT_SUCCESS : EXIT_NOTHING_SENT;
}

int main(int argc, char **argv)
{
    struct sender_options options;
    struct error error = {""};

    if (descriptors_fill(&error) != 0)
        return usage_error(&error);
    switch (sender_options_read(&options, argc, argv, &error)) {
    case OPTION_BAD: return usage_error(&error);
    case OPTION_HELP: option_help(&sender_options_program, &options, stdout); return EXIT_SUCCESS;
    case OPTION_VERSION:
        printf("%s %s\n", sender_options_program.name, sender_options_program.version);
        return EXIT_SUCCESS;
    case OPTION_RUN: break;
    }
    /* A line when it happens, also into a pipe or a file. */
    setvbuf(stdout, NULL, _IOLBF, 0);
    return pptrans_send_all(&options);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/bench/bench.h"

#include "common/stamp.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EXIT_USAGE = 2 };

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} verbs[] = {
    {"blast", bench_blast, "send probes at a rate, or as fast as can be"},
    {"receive", bench_receive, "receive with a bare loop, counting only"},
    {"push", bench_push, "push datagrams from memory into libpprec"},
    {"streams", bench_streams, "push packets of one stream and of many, in turn"},
    {"depart", bench_depart, "gaps at departure of trains sent by sendto()"},
    {"arrive", bench_arrive, "gaps at arrival, within trains"},
    {"cpu", bench_cpu, "processor time that a process has used"},
};

enum { VERBS = sizeof verbs / sizeof verbs[0] };

int bench_refuse(const char *text)
{
    fprintf(stderr, "bench: %s\n", text);
    return EXIT_USAGE;
}

bool bench_options(const struct option_program *program, int argc, char **argv, void *options, int *status)
{
    struct error error = {""};

    *status = EXIT_SUCCESS;
    switch (option_parse(program, argc, argv, options, &error)) {
    case OPTION_RUN: return true;
    case OPTION_BAD: *status = bench_refuse(error.text); return false;
    default: option_help(program, options, stdout); return false;
    }
}

/* --- cpu --- */

struct cpu_options {
    uint32_t pid;
};

static const struct option_row cpu_rows[] = {
    {.name = "pid",
     .letter = 'p',
     .metavar = "PID",
     .kind = &option_unsigned,
     .offset = offsetof(struct cpu_options, pid),
     .min = 1,
     .max = INT32_MAX,
     .help = "the process",
     .required = true},
    {.kind = NULL},
};

static const struct option_program cpu_program = {
    .name = "bench cpu",
    .version = "",
    .usage = "-p PID",
    .about = "Prints the user and system time of all threads of a process, as the scheduler\n"
             "counts it: in nanoseconds, not in clock ticks.\n",
    .rows = cpu_rows,
};

int bench_cpu(int argc, char **argv)
{
    struct cpu_options options = {0};
    clockid_t clock;
    int status;

    if (!bench_options(&cpu_program, argc, argv, &options, &status))
        return status;
    if (clock_getcpuclockid((pid_t)options.pid, &clock) != 0)
        return bench_refuse("there is no such process");
    printf("{\"cpu_ns\":%" PRId64 "}\n", stamp_now_ns(clock));
    return EXIT_SUCCESS;
}

/* --- verbs --- */

static int bench_help(FILE *out, int status)
{
    fprintf(out, "Usage: bench VERB [options]; bench VERB --help lists them\n");
    for (size_t i = 0; i < VERBS; i++)
        fprintf(out, "  %-10s %s\n", verbs[i].name, verbs[i].help);
    return status;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--help") == 0)
        return bench_help(stdout, EXIT_SUCCESS);
    for (size_t i = 0; argc > 1 && i < VERBS; i++)
        if (strcmp(argv[1], verbs[i].name) == 0)
            return verbs[i].run(argc - 1, argv + 1);
    return bench_help(stderr, EXIT_USAGE);
}

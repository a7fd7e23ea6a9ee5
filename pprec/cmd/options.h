/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of pprec. */
#ifndef PPREC_CMD_OPTIONS_H
#define PPREC_CMD_OPTIONS_H

#include "common/address.h"
#include "common/option.h"
#include "pprec/pprec.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { OPTIONS_LIST_MAX = 256 };

struct options {
    uint32_t port;                            /* 0: none, with files or a capture */
    const char *files[OPTIONS_LIST_MAX + 1];  /* of -r; ends with NULL */
    const char *const *names;                 /* files and directories without -r; ends with
                                                   NULL; NULL: none */
    uint32_t jobs;                            /* captures read side by side; 0: in sequence */
    const char *groups[OPTIONS_LIST_MAX + 1]; /* ends with NULL */
    const char *capture;                      /* interface */
    const char *bpf;
    unsigned expect;       /* bits of enum pprec_kind; 0: all */
    uint32_t top;          /* summaries at the end; 0: all */
    uint32_t train_length; /* 0: any */
    bool classic;
    bool ipv4, ipv6;
    const char *interface_name;
    const char *sources[OPTIONS_LIST_MAX + 1]; /* prefixes; ends with NULL */
    const char *key_file;
    uint32_t max_age_s;
    const char *state;      /* NULL: none */
    struct address sent_to; /* bytes 0: where packets come to */
    int timestamps;         /* index into options_timestamps */
    const char *layer;
    int filter; /* index into the library's filters */
    uint32_t window;
    uint64_t memory_bytes;
    uint32_t idle_s; /* 0: never */

    const char *log;
    uint32_t log_rate; /* bytes per second; 0: no limit */
    const char *user;  /* to become after opening; NULL: none */
    int confine;       /* CONFINE_... of confine.h */
    bool json, csv, packets, quiet, live;
    double interval_s;   /* 0: no interval reports */
    const char *metrics; /* where to serve them */

    uint32_t trains;   /* 0: no end */
    double duration_s; /* 0: no end */
};

/* AUTO: kernel of a port, of a capture the adapter where it can. */
enum {
    OPTIONS_TIMESTAMPS_AUTO,
    OPTIONS_TIMESTAMPS_KERNEL,
    OPTIONS_TIMESTAMPS_HARDWARE,
    OPTIONS_TIMESTAMPS_USER
};

/* Captures are read, stored ones. */
static inline bool options_stored(const struct options *options)
{
    return options->files[0] != NULL || (options->names != NULL && options->names[0] != NULL);
}

/* The table, for what else is made from it. */
const struct option_program *options_program(void);

/* Reads the command line; what goes together is checked too. */
enum option_result options_from_arguments(struct options *options, int argc, char **argv,
                                          struct error *error);

/* What --help tells, with the defaults found in options. */
void options_help(const struct options *options, FILE *out);

/* Sets a handle's configuration as the options want it, but for key and callbacks. The
 * strings stay those of the options. */
void options_configure(const struct options *options, struct pprec_config *config);

#endif

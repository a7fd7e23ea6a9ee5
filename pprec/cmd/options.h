/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of pprec. */
#ifndef PPREC_CMD_OPTIONS_H
#define PPREC_CMD_OPTIONS_H

#include "common/option.h"

#include <stdbool.h>
#include <stdint.h>

struct options {
    uint32_t port;
    uint32_t train_length; /* 0: any */
    bool classic;
    bool ipv4, ipv6;
    const char *interface_name;
    int timestamps; /* index into options_timestamps */
    const char *layer;
    int filter; /* index into the library's filters */
    uint32_t window;

    const char *log;
    bool json, csv, quiet;
    double interval_s; /* 0: no interval reports */

    uint32_t trains;   /* 0: no end */
    double duration_s; /* 0: no end */
};

enum { OPTIONS_TIMESTAMPS_KERNEL, OPTIONS_TIMESTAMPS_HARDWARE, OPTIONS_TIMESTAMPS_USER };

/* Reads the command line; what goes together is checked too. --help and
 * --version are printed to stdout. */
enum option_result options_from_arguments(struct options *options, int argc, char **argv,
                                          struct error *error);

#endif

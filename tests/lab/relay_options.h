/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The relay's command line.
 */
#ifndef RELAY_OPTIONS_H
#define RELAY_OPTIONS_H

#include "relay_path.h"

struct relay_options {
    const char *interface_a, *interface_b;
    struct path_config path;
    uint16_t port;       /* mark only UDP to this port; 0: all UDP */
    bool everything;     /* all IP frames cross the link, not only UDP */
    int64_t spin_ns;     /* awake so long before each release */
    const char *stats;   /* NULL: standard output */
    const char *account; /* NULL: none */
    const char *load;    /* file for what crossed the link, in steps of time; NULL: none */
};

/* Prints help or one line on what is wrong, and exits, if there is nothing to run. */
void relay_options_parse(struct relay_options *options, int argc, char **argv);

#endif

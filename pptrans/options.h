/* SPDX-License-Identifier: BSD-3-Clause */
/* pptrans' command line. */
#ifndef PPTRANS_OPTIONS_H
#define PPTRANS_OPTIONS_H

#include "common/error.h"
#include "common/layer.h"
#include "common/option.h"

#include <stdbool.h>
#include <stdint.h>

enum sender_loop { SENDER_LOOP_ON, SENDER_LOOP_OFF };

struct sender_options {
    const char *host;
    uint32_t port;
    uint32_t size_bytes; /* 0, and so below: plan_make() chooses */
    double delay_ms;
    double load_most_bps;
    uint32_t length;
    uint32_t trains; /* 0: until told to stop */
    double seconds;  /* 0: until told to stop */
    bool mix;
    bool available;            /* what is free */
    double low_bps, high_bps;  /* 0: no range was asked for */
    bool locate;               /* which link is narrow */
    uint32_t hop_from, hop_to; /* 0: no range was asked for */
    int spacing;               /* enum schedule_spacing; -1: as the pattern wants it */
    int send;                  /* enum method_wish */
    struct layer layer;
    uint32_t ttl; /* 0: the system's */
    int loop;     /* enum sender_loop */
    const char *interface;
    int dscp; /* -1: the system's */
    bool ipv4, ipv6;
    bool classic;
    const char *key_file;
    bool json, quiet, verbose;
};

extern const struct option_program sender_options_program;

/* Reads argv. OPTION_BAD with the error's text set also for options that
 * exclude each other. */
enum option_result sender_options_read(struct sender_options *options, int argc, char **argv,
                                       struct error *error);

#endif

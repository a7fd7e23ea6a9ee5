/* SPDX-License-Identifier: BSD-3-Clause */
/* A BPF expression, compiled for each link type that it is asked about. */
#ifndef PPREC_LIB_CAPTURE_FILTER_H
#define PPREC_LIB_CAPTURE_FILTER_H

#include "common/error.h"
#include "pprec/lib/capture_format.h"

#include <pcap/pcap.h>

enum { FILTER_PROGRAMS = 8 };

struct capture_filter {
    const char *text; /* the caller's; NULL: all passes */
    unsigned count;
    struct capture_program {
        int dlt;
        struct bpf_program program;
    } programs[FILTER_PROGRAMS];
};

void filter_init(struct capture_filter *filter, const char *text);
void filter_fini(struct capture_filter *filter);

/* Compiles it for the link type, if it is not yet. -1 with the error's text set, which names the
 * expression. */
int filter_ready(struct capture_filter *filter, int dlt, struct error *error);

/* Of a link type that it is not ready for nothing passes. */
bool filter_passes(const struct capture_filter *filter, const struct capture_record *record);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What captures from files and from an interface have in common. */
#ifndef PPREC_LIB_CAPTURE_H
#define PPREC_LIB_CAPTURE_H

#include "pprec/lib/flows.h"
#include "pprec/lib/link.h"
#include "pprec/lib/source.h"
#include "pprec/source.h"

#include <pcap/pcap.h>
#include <stdbool.h>

struct capture {
    struct source source;
    struct pprec_capture_options options;
    struct flows *flows; /* NULL: nothing but probes is expected */
    struct pprec *pprec; /* during a dispatch */
    pcap_t *pcap;        /* NULL between files */
    const struct link_type *link;
    bool filtered;
    struct bpf_program program; /* with filtered */
    struct pprec_stamp stamp;   /* clock and source of all stamps, time of the newest */
};

/* Sets what does not depend on where packets come from. PPREC_OK or PPREC_ENOMEM,
 * the handle's error set. */
int capture_init(struct capture *capture, struct pprec *pprec,
                 const struct pprec_capture_options *options);

/* Closes, and frees all but *capture. */
void capture_fini(struct capture *capture);

/* Readies a pcap that has just been opened: its link type, its filter. On failure
 * the handle's error is set, naming what was opened. */
int capture_begin(struct capture *capture, struct pprec *pprec, const char *name);

/* Closes the pcap, if there is one. */
void capture_end(struct capture *capture);

/* Takes one record. */
void capture_take(struct capture *capture, const struct pcap_pkthdr *header,
                  const uint8_t *frame);

int capture_open_files(struct pprec *pprec, const struct pprec_capture_options *options);
int capture_open_live(struct pprec *pprec, const struct pprec_capture_options *options);

#endif

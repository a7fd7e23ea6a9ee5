/* SPDX-License-Identifier: BSD-3-Clause */
/* What captures from files and from an interface have in common. */
#ifndef PPREC_LIB_CAPTURE_H
#define PPREC_LIB_CAPTURE_H

#include "pprec/lib/capture_format.h"
#include "pprec/lib/flows.h"
#include "pprec/lib/source.h"
#include "pprec/source.h"

struct capture {
    struct source source;
    struct pprec_capture_options options;
    struct flows *flows;      /* NULL: nothing but probes is expected */
    struct pprec *pprec;      /* during a dispatch */
    struct pprec_stamp stamp; /* clock and source of all stamps, time of the newest */
};

/* Sets what does not depend on where packets come from. PPREC_OK or PPREC_ENOMEM,
 * the handle's error set. */
int capture_init(struct capture *capture, struct pprec *pprec, const struct pprec_capture_options *options);

/* Frees all but *capture. */
void capture_fini(struct capture *capture);

/* Takes one record that has passed the filter. */
void capture_take(struct capture *capture, const struct capture_record *record);

int capture_open_files(struct pprec *pprec, const struct pprec_capture_options *options);
int capture_open_live(struct pprec *pprec, const struct pprec_capture_options *options);

#endif

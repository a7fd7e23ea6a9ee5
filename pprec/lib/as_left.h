/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a capture shows a path at all: what was captured where it was sent comes as it left, and at once. */
#ifndef PPREC_LIB_AS_LEFT_H
#define PPREC_LIB_AS_LEFT_H

#include "filters/sample.h"
#include "pprec/source.h"

/* Counts a train of probes, once its span is measured: in `departed` if it tells what this is about, and then in
 * the two after it, as it is. */
void as_left_note(struct pprec_capture_counts *counts, const struct sample *sample);

#endif

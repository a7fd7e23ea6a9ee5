/* SPDX-License-Identifier: BSD-3-Clause */
/* A handle of the library as the options want it, whose records go to a report; and its captures. */
#ifndef PPREC_CMD_HANDLE_H
#define PPREC_CMD_HANDLE_H

#include "common/error.h"
#include "pprec/cmd/options.h"
#include "pprec/cmd/report.h"
#include "pprec/pprec.h"

/* 0, or -1 with the error's text set. *pprec is to be freed in either case. */
int handle_make(struct pprec **pprec, const struct options *options, struct report *report,
                struct error *error);

/* Opens stored captures, or with NULL that of the options. As pprec_open_capture(), the error's text
 * set where it fails. files stay the caller's. */
int handle_open_capture(struct pprec *pprec, const struct options *options, const char *const *files,
                        struct error *error);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What this process uses, under the names that Prometheus has for it. */
#ifndef PPREC_CMD_PROCESS_H
#define PPREC_CMD_PROCESS_H

/* NAN: not known. */
struct process {
    double cpu_s;
    double resident_bytes;
    double descriptors;
};

void process_read(struct process *process);

#endif

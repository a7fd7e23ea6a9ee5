/* SPDX-License-Identifier: BSD-3-Clause */
/* A run as a capture: pcap with nanosecond stamps, Ethernet, IPv4, UDP. */
#ifndef TESTS_SIM_CAPTURE_H
#define TESTS_SIM_CAPTURE_H

#include "sim.h"

#include <stdbool.h>
#include <stdio.h>

enum { SIM_CAPTURE_SNAP_BYTES = 96 };

/* Writes all arrivals in their order, with the probe header of version 1 or, if
 * classic, the paper's one byte. Takes file over and closes it; it may be a
 * stream that cannot seek. Returns 0, or -1 when writing failed. */
int sim_capture_write(const struct sim_run *run, bool classic, FILE *file);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* The random number streams, fixed, so that a run draws the same departures
 * whatever else a scenario contains. */
#ifndef STREAMS_H
#define STREAMS_H

enum { STREAM_PROBE_INTERVAL = 1, STREAM_PROBE_ID = 2, STREAM_FTP_START = 3 };

#endif

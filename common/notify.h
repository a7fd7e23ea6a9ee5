/* SPDX-License-Identifier: BSD-3-Clause */
/* To the service manager, if one started us: the protocol of sd_notify(3), which
 * needs no library. */
#ifndef COMMON_NOTIFY_H
#define COMMON_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

/* A service manager listens ($NOTIFY_SOCKET). */
bool notify_wanted(void);

/* Sends assignments, one per line: READY=1, STOPPING=1, STATUS=text, WATCHDOG=1. Does
 * nothing when nobody listens, and never waits. */
void notify_send(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Longest time between two WATCHDOG=1, half of what the service manager grants;
 * 0: it does not watch us. */
int64_t notify_watchdog_ns(void);

#endif

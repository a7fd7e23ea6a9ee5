/* SPDX-License-Identifier: BSD-3-Clause */
/* Datagrams to a socket of this host, for the tests of receiving. */
#ifndef TESTS_UNIT_LOOPBACK_H
#define TESTS_UNIT_LOOPBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loopback {
    int fd;
    uint16_t port; /* the sender's */
};

/* Whether this host has IPv6 on its loopback interface; if not, says so. */
bool loopback_has_ipv6(void);

/* Whether it is Linux itself that answers: an emulator of a processor passes neither stamps on,
 * nor groups, nor counts of what was dropped. If not, says so. */
bool loopback_has_linux(void);

/* A sender to the port that the receiver's socket is bound to, over IPv4 or 6. */
struct loopback loopback_open(int receiver_fd, int ip);
void loopback_close(struct loopback *loopback);

void loopback_send(const struct loopback *loopback, const void *data, size_t bytes);

/* Waits until the receiver has something to read: not a pause, an event. */
void loopback_wait(int receiver_fd);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's stamps, destinations and hop limits, as control messages bring them. There are two sets of
 * stamps: whoever asks in a program whose time_t has 32 bits gets the old ones, in longs; 64 bits
 * bring the new ones where a long has only 32. Both are read, for a caller of the library may be
 * compiled otherwise than the library. */
#ifndef COMMON_CONTROL_H
#define COMMON_CONTROL_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* The three times of SO_TIMESTAMPING; the second is no longer used. */
enum control_time { CONTROL_SOFTWARE, CONTROL_HARDWARE = 2 };

/* *ns from a message of SO_TIMESTAMPNS, of SO_TIMESTAMP (in whole microseconds), or of
 * SO_TIMESTAMPING; false, and nothing written, for any other message and when that time is not
 * there. A message that was cut is not as long as it should be, and so another one. */
bool control_stamp(const struct cmsghdr *control, int64_t *ns);
bool control_stamp_us(const struct cmsghdr *control, int64_t *ns);
bool control_stamping(const struct cmsghdr *control, enum control_time which, int64_t *ns);

/* Where the packet was sent to, as its header has it (IP_PKTINFO, IPV6_RECVPKTINFO), IPv4 as
 * ::ffff:a.b.c.d; false, and nothing written, for any other message. */
bool control_destination(const struct cmsghdr *control, struct in6_addr *destination);

/* The packet's hop limit as it came (IP_RECVTTL, IPV6_RECVHOPLIMIT); false, and nothing written,
 * for any other message and for what is no hop limit. */
bool control_hops(const struct cmsghdr *control, uint8_t *hops);

#endif

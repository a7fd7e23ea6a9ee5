/* SPDX-License-Identifier: BSD-3-Clause */
/* RFC 1982 serial number arithmetic on 32-bit counters that wrap. */
#ifndef COMMON_SERIAL_H
#define COMMON_SERIAL_H

#include <stdbool.h>
#include <stdint.h>

/* How far b is ahead of a: negative when b is behind. Exactly half the circle
 * apart is undefined by RFC 1982, section 3.2; here it counts as behind. */
static inline int32_t serial_distance(uint32_t a, uint32_t b)
{
    return (int32_t)(b - a);
}

static inline bool serial_before(uint32_t a, uint32_t b)
{
    return serial_distance(a, b) > 0;
}

/* The 32-bit number nearest to near whose low 16 bits are low: RTP's sequence number,
 * RFC 3550, appendix A.1. */
static inline uint32_t serial_unwrap16(uint32_t near, uint16_t low)
{
    int32_t ahead = (int16_t)(low - (uint16_t)near);

    return near + (uint32_t)ahead;
}

/* The 32-bit number nearest to near whose low 8 bits are low: undoes the
 * wrapping of the classic format's one-byte sequence number. */
static inline uint32_t serial_unwrap8(uint32_t near, uint8_t low)
{
    int32_t ahead = (int8_t)(low - (uint8_t)near);

    return near + (uint32_t)ahead;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers in network byte order, read byte by byte: packets are not aligned. */
#ifndef PPREC_LIB_BYTES_H
#define PPREC_LIB_BYTES_H

#include <stdint.h>

static inline uint16_t bytes_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t bytes_u32(const uint8_t *at)
{
    return (uint32_t)bytes_u16(at) << 16 | bytes_u16(at + 2);
}

#endif

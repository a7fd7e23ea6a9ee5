/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers in network byte order, byte by byte: packets are not aligned. */
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

static inline uint64_t bytes_u64(const uint8_t *at)
{
    return (uint64_t)bytes_u32(at) << 32 | bytes_u32(at + 4);
}

/* Both return what follows. */
static inline uint8_t *bytes_put_u32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
    return at + 4;
}

static inline uint8_t *bytes_put_u64(uint8_t *at, uint64_t value)
{
    return bytes_put_u32(bytes_put_u32(at, (uint32_t)(value >> 32)), (uint32_t)value);
}

#endif

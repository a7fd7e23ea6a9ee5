/* SPDX-License-Identifier: BSD-3-Clause */
#include "pprec/lib/sized.h"

#include <string.h>

/* No struct will ever be so large: the number is not a size. */
enum { SIZE_MOST_BYTES = 4096 };

static size_t sized_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

void sized_give(void *to, size_t to_bytes, const void *from, size_t from_bytes)
{
    memcpy(to, from, sized_least(to_bytes, from_bytes));
    if (to_bytes > from_bytes)
        memset((char *)to + from_bytes, 0, to_bytes - from_bytes);
}

void sized_take(void *to, size_t to_bytes, const void *from, size_t from_bytes)
{
    memcpy(to, from, sized_least(to_bytes, from_bytes));
}

void sized_write(void *to, size_t to_bytes, const void *defaults, size_t default_bytes)
{
    memset(to, 0, to_bytes);
    memcpy(to, defaults, sized_least(to_bytes, default_bytes));
    memcpy(to, &to_bytes, sized_least(to_bytes, sizeof to_bytes));
}

int sized_read(void *to, size_t to_bytes, const void *from)
{
    const unsigned char *bytes = from;
    size_t from_bytes;

    if (from == NULL)
        return -1;
    memcpy(&from_bytes, from, sizeof from_bytes);
    if (from_bytes <= sizeof from_bytes || from_bytes > SIZE_MOST_BYTES)
        return -1;
    for (size_t i = to_bytes; i < from_bytes; i++)
        if (bytes[i] != 0)
            return -1;
    memcpy(to, from, sized_least(to_bytes, from_bytes));
    return 0;
}

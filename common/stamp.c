/* SPDX-License-Identifier: BSD-3-Clause */
#include "stamp.h"

int64_t stamp_now_ns(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return stamp_from_timespec(&time);
}

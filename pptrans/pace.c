/* SPDX-License-Identifier: BSD-3-Clause */
#include "pace.h"

#include <math.h>

int64_t pace_due_ns(const struct pace *pace, uint32_t position)
{
    return pace->start_ns + llround(pace->gap_ns * position);
}

int64_t pace_wake_ns(int64_t due_ns, int64_t now_ns)
{
    return due_ns - now_ns > PACE_SPIN_NS ? due_ns - PACE_SPIN_NS : 0;
}

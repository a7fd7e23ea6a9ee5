# SPDX-License-Identifier: BSD-3-Clause
"""When which participant does what, from the start that the schedule says."""
import datetime
import math
import time

import plugin

# The receivers open their ports at the start; clocks of participants may be half a second apart.
SETTLE_S = 3
# After the last packet: trains that are late, the summary.
LINGER_S = 2
# For processes to start and to end.
SPARE_S = 3


def sending_s(spec):
    return plugin.seconds_of(spec.get("duration", "PT%dS" % plugin.DEFAULT_DURATION_S))


def listening_s(spec):
    return SETTLE_S + sending_s(spec) + LINGER_S


def whole_s(spec):
    return math.ceil(listening_s(spec) + SPARE_S)


def wait_until(start, later_s=0.0):
    """start: ISO 8601, of UTC where it names no zone. ValueError where it is no time."""
    at = datetime.datetime.fromisoformat(start.replace("Z", "+00:00"))
    if at.tzinfo is None:
        at = at.replace(tzinfo=datetime.timezone.utc)
    left_s = at.timestamp() + later_s - time.time()
    if left_s > 0:
        time.sleep(left_s)

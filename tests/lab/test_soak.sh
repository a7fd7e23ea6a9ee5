#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The soak, as short as it may be: every fault twice.
exec "$(dirname "$0")/soak" 1

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The paper's own format at both ends, with the sequence number wrapping many times.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"

lab_up --name ppclassic --relay "--rate 10m --overhead 0 --loss 0.02 --port $port --seed 5" \
    2>/dev/null
receive "$scratch/log" --layer 42 --classic -n 8
send "$RECEIVER4" --classic -s 1000 -n 8 -d 15 -c 200
stop_receiving
truth=$("$lab" stop --name ppclassic)
check_equal "lost" "$(summary lost)" "$(echo "$truth" | json_field dropped_loss)"
check_near "capacity_bps" "$(summary capacity_bps)" 10000000 2
scratch_clean
test_end

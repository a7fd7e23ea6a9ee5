#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Token buckets: state shaped, the sustained rate within 2 %, the bucket within 30 %. Trains of
# the mix, of 64 packets among pairs, outlast the bucket; twelve of them, as in 45 s of the default.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"

for row in "10000000 10000" "10000000 20000" "50000000 10000" "50000000 20000"; do
    rate=${row% *} bucket=${row#* }
    lab_up --name ppshaped --rate "$rate" --burst "$bucket" --limit 1000000
    receive "$scratch/log" --layer 42 --filter adaptive
    send "$RECEIVER4" -s 1500 --mix -d 100 -c 120
    stop_receiving
    lab_down ppshaped
    name="$rate bit/s, bucket of $bucket:"
    check_equal "$name state" "$(summary state)" shaped
    check_near "$name capacity_bps" "$(summary capacity_bps)" "$rate" 2
    check_near "$name burst_bytes" "$(summary burst_bytes)" "$bucket" 30
done
scratch_clean
test_end

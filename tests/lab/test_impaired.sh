#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Trains of 16 through a relay that drops 10 % of the packets, doubles 5 % and reorders
# 5 %: pprec's counts are the relay's, to the packet, and no sample is wrong.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"

trains=${PP_TRAINS:-500}
seed=${PP_SEED:-$(date +%s)}
echo "# PP_SEED=$seed"

# The marks are made before the link, as a lossy hop in front of the narrow one would.
impaired() { # WHERE
    lab_up --name ppimpair --relay "--rate 10m --overhead 0 --loss 0.1 --duplicate 0.05 \
        --reorder 0.05 --hold 5000 --delay 6000 --impair $1 --port $port --seed $seed" 2>/dev/null
    receive "$scratch/log" --layer 42
    send "$RECEIVER4" -s 1000 -n 16 -d 20 -c "$trains"
    sleep 2.5 # until what the last train lacks counts as lost: before that, nobody knows that it was sent
    stop_receiving
    truth=$("$lab" stop --name ppimpair)
    lab_down ppimpair

    count() { echo "$truth" | json_field "$1"; }
    check_equal "$1 the link: lost" "$(summary lost)" "$(($(count dropped_loss) + $(count dropped_queue)))"
    check_equal "$1 the link: duplicate" "$(summary duplicate)" "$(count duplicated)"
    check_equal "$1 the link: reordered" "$(summary reordered)" "$(count reordered)"
    check_equal "$1 the link: packets" "$(summary packets)" \
        "$((trains * 16 - $(count dropped_loss) - $(count dropped_queue)))"
    check_near "$1 the link: capacity_bps" "$(summary capacity_bps)" 10000000 2
    # a span may be wrong by what the relay says that it was late itself; what the kernel stamps late
    # beside that neither sees, but it is rare
    wrong=$(awk -v late_us="$(($(count late_max_ns) / 1000))" '!/^#/ && $10 != "-" {
            true_us = $9 * $10 / 10000
            if ($9 > true_us * 1.05 + late_us || $9 < true_us * 0.95 - late_us) wrong++
        } END { print wrong + 0 }' "$scratch/log")
    timed check_rare "$1 the link: trains over 5 % off (relay late by $(count late_max_ns) ns at most)" \
        "$wrong" "$trains"
}

impaired before
impaired after
scratch_clean
test_end

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What is free of a link of 20 Mbit/s (relay, behind a link of 40) beside UDP and TCP, against the
# relay's own count of what crossed it: answers within 15 % of C, bounds not over 10 % of C above it; a
# capture of the same probes says the same; the capacity is no worse than by the default pattern; of two
# receivers of one group, behind 5 and 50 Mbit/s, each has its own answer.
# TRAINS: how many each takes [480: 75 s].
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"
# shellcheck source=tests/lab/available.sh
. "$(dirname "$0")/available.sh"
# shellcheck source=tests/lab/star.sh
. "$(dirname "$0")/star.sh"
need iperf3
trains=${TRAINS:-480}

tell() { # NAME
    state=$(summary available_state) bps=$(summary available_bps) truth=$(free_truth)
    judged=$(free_judge "$state" "$bps" "$truth")
    echo "# $1: truth $truth, $state $bps ($(summary available_low_bps) to $(summary available_high_bps)): $judged;" \
        "capacity $(summary state) $(summary capacity_bps)"
}

beside() { # KIND LOAD
    free_up 20
    free_measure "$1" "$2" "$trains"
    free_down
    tell "$1 $2"
    timed check_equal "$1 $2: wrong answers" "$(echo "$judged" | grep -c wrong)" 0
    answers="$answers $judged"
}

answers=
beside none 0
beside poisson 0.5
beside cbr 0.6
beside onoff 0.3
beside tcp 0.5
check_below "answers that are none, of 5" "$(echo "$answers" | tr ' ' '\n' | grep -c open)" 5

# --- A capture of the same probes says the same ---

# Sent by others than the relay's first link delays: the stamps are those that the socket had.
from_capture() {
    "$BIN/pprec" -r "$scratch/pcap" -q --json -f "udp port $port" >"$scratch/read.json" 2>"$scratch/read.err"
    for key in available_state available_bps available_low_bps available_high_bps queue_ns buffer_bytes lossless_train; do
        printf '%s ' "$(grep '"type":"summary"' "$scratch/read.json" | json_field "$key")"
    done
}

from_socket() {
    for key in available_state available_bps available_low_bps available_high_bps queue_ns buffer_bytes lossless_train; do
        printf '%s ' "$(summary "$key")"
    done
}

if (need_tcpdump) >"$scratch/skip"; then
    free_up 20
    capture "$RECEIVER_NS" in "$scratch/pcap" -s 96 udp port "$port"
    free_measure poisson 0.4 120
    sleep 1.2 # tcpdump reads its ring once a second
    capture_end
    free_down
    check_equal "pprec -r of the same probes:" "$(from_capture)" "$(from_socket)"
else
    cat "$scratch/skip"
fi

# --- The capacity is no worse ---

worst_off() { # OPTIONS...
    free_up 20
    free_load poisson 0.3 20
    free_job=$job
    receive "$scratch/log"
    send_default "$RECEIVER4" -t 20 "$@"
    stop_receiving
    kill "$free_job" 2>/dev/null
    free_down
    echo "# capacity with ${*:-the default pattern}: $(summary state) $(summary capacity_bps)"
}

worst_off
default_state=$(summary state)
worst_off --available
if is_sure "$(summary state)"; then
    check_near "capacity by --available" "$(summary capacity_bps)" 20000000 5
else
    echo "# not decided by --available; by the default pattern: $default_state"
fi

# --- Two receivers of one group, each its own ---

# Behind 5 and 50 Mbit/s, of which others take 2 and 20.
group=239.7.7.7
star_up ppfreestar "--rate 5m --queue 200000 --port $port --load $scratch/load1" \
    "--rate 50m --queue 400000 --port $port --load $scratch/load2"
star_ns crosser
star_wire crosser out 101 crosser -
receivers=
for it in 1 2; do
    ip netns exec "ppfreestar-rcv$it" "$BIN/pprec" -p "$port" -g "$group" -I in -q --json -o "$scratch/log$it" \
        >"$scratch/json$it" 2>"$scratch/err$it" &
    lab_jobs="$lab_jobs $!"
    receivers="$receivers $!"
    in_background star_exec "rcv$it" "$BIN/cross" hole 9999
    wait_udp "ppfreestar-rcv$it" "$port"
    wait_udp "ppfreestar-rcv$it" 9999
done
sleep 0.3 # groups are joined after that, and the bridge must hear of it
in_background star_exec crosser "$BIN/cross" 10.78.0.1 9999 2000000 600 1 poisson
in_background star_exec crosser "$BIN/cross" 10.78.0.2 9999 20000000 600 2 poisson
sleep 1
star_exec snd "$BIN/pptrans" -h "$group" -p "$port" -q --available -c "$trains" >"$scratch/sent" 2>&1
sleep 0.3
for it in $receivers; do
    kill "$it"
    wait "$it"
done
star_stop
for it in 1 2; do
    cp "$scratch/json$it" "$receive_out.json"
    cp "$scratch/load$it" "$scratch/load"
    cp "$scratch/log$it" "$scratch/log"
    free_mbit=5
    [ $it = 1 ] || free_mbit=50
    tell "receiver behind $free_mbit Mbit/s"
    check_near "receiver behind $free_mbit Mbit/s: capacity" "$(summary capacity_bps)" ${free_mbit}000000 5
    timed check_equal "receiver behind $free_mbit Mbit/s: wrong answers" "$(echo "$judged" | grep -c wrong)" 0
    # Its own: more than the other's whole link where that is what is free.
    timed check_equal "receiver behind $free_mbit Mbit/s: free beyond 5 Mbit/s" \
        "$(summary available_bps | awk '{ print ($1 > 5.5e6) }')" "$((free_mbit > 5))"
done
lab_down ppfreestar
scratch_clean
test_end

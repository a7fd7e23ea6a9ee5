#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What is free of a link of 20 Mbit/s (relay, behind a link of 40), idle and beside UDP, against the relay's own
# count of what crossed it: the idle link is answered, and no answer is wrong (over 15 % of C off, or a bound over
# 10 % of C above the truth); a capture of the same probes gives a figure, too; of two receivers of one group, behind
# 5 and 50 Mbit/s, each has its own answer, and none a wrong one. available_table has more traffic, and longer.
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

tell() { # NAME
    state=$(summary available_state) bps=$(summary available_bps) truth=$(free_truth)
    judged=$(free_judge "$state" "$bps" "$truth")
    echo "# $1: truth $truth, $state $bps ($(summary available_low_bps) to $(summary available_high_bps)): $judged;" \
        "capacity $(summary state) $(summary capacity_bps)"
    timed check_equal "$1: wrong answers" "$(echo "$judged" | grep -c wrong)" 0
}

# --- One link ---

# A host that is busy for some seconds may scatter what is sent in them: up to three times.
idle() {
    free_up 20
    free_measure none 0 80
    free_down
    tell idle
    [ "$judged" != open ]
}

thrice idle
timed check_equal "idle: answers" "$(echo "$judged" | grep -vc open)" 1

captured=
(need_tcpdump) >"$scratch/skip" && captured=yes
free_up 20
[ -z "$captured" ] || capture "$RECEIVER_NS" in "$scratch/pcap" -s 96 udp port "$port"
free_measure poisson 0.5 110
[ -z "$captured" ] || { sleep 1.2 && capture_end; } # tcpdump reads its ring once a second
free_down
tell "poisson 0.5"

# Which trains it closes before it hears how they left depends on when it looks, so that digits may differ.
if [ -n "$captured" ]; then
    free_known=$(summary lossless_train)
    "$BIN/pprec" -r "$scratch/pcap" -q --json >"$receive_out.json" 2>"$scratch/read.err"
    tell "pprec -r of the same probes"
    check_equal "pprec -r of the same probes: longest train without loss" "$(summary lossless_train)" "$free_known"
    check_equal "pprec -r of the same probes: no figure" "$(echo "$state" | grep -c unknown)" 0
else
    cat "$scratch/skip"
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
# 1.1 Mbit/s on average, a fifth of the slower link.
star_exec snd "$BIN/pptrans" -h "$group" -p "$port" -q --available 2m-150m -c 160 >"$scratch/sent" 2>&1 ||
    fail "pptrans: $(tail -n 1 "$scratch/sent")"
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
    # Its own: more than the other's whole link where that is what is free.
    timed check_equal "receiver behind $free_mbit Mbit/s: free beyond 5 Mbit/s" \
        "$(summary available_bps | awk '{ print ($1 > 5.5e6) }')" "$((free_mbit > 5))"
done
lab_down ppfreestar
scratch_clean
test_end

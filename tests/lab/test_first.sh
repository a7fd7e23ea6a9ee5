#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a newcomer types: two senders at once with the default pattern across one shaper; a path
# whose MTU is smaller than the sender knows; pairs alone. (first_table measures 63 links.)
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"

check_decided() { # WHAT JSON-OF-A-SUMMARY TRUTH PERCENT
    state=$(echo "$2" | json_field state)
    if is_sure "$state"; then ok "$1: $state"; else timed fail "$1: ${state:-nothing}, $(echo "$2" | json_field why)"; fi
    check_near "$1: capacity" "$(echo "$2" | json_field capacity_bps)" "$3" "$4"
    # A noisy host excuses a doubt, not this.
    if is_sure "$state" && ! within "$(echo "$2" | json_field capacity_bps)" "$3" 5; then
        check_equal "$1: sure and off by over 5 %:" yes no
    fi
}

# tc counts full frames as 1514 bytes. Of 18 streams all were decided after 10 to 23 s.
two_at_once() {
    lab_up --name ppfirst --rate 20mbit --burst 6000
    receive "$scratch/log"
    send_default "$RECEIVER4" -t 45 &
    first=$!
    send_default "$RECEIVER4" -t 45
    wait "$first"
    stop_receiving
    lab_down ppfirst
    grep '"type":"summary"' "$receive_out.json" >"$scratch/two"
    check_equal "two senders: streams" "$(wc -l <"$scratch/two")" 2
    for which in 1 2; do
        check_decided "sender $which of two" "$(sed -n "${which}p" "$scratch/two")" 20052840 3
    done
}

# The router tells it by ICMP; before that nothing of full size arrives.
smaller_mtu() {
    lab_up --name ppfirst --rate 20mbit
    ip -n ppfirst-r1 link set out mtu 1400
    "$lab" exec --name ppfirst rcv "$BIN/pprec" -p "$port" --json >"$scratch/trains" &
    receiver=$!
    lab_jobs="$lab_jobs $receiver"
    wait_udp ppfirst-rcv "$port"
    send_default "$RECEIVER4" -t 8 2>"$scratch/said"
    stop_receiving
    lab_down ppfirst
    check_equal "smaller MTU: said" "$(head -n 1 "$scratch/said")" \
        "pptrans: the path's MTU is 1400: packets of 1418 bytes from now on"
    check_equal "smaller MTU: said once" "$(wc -l <"$scratch/said")" 1
    came=$(grep -c '"size":1418,"sent":4,"received":4' "$scratch/trains")
    if [ "$came" -ge 8 ]; then ok "smaller MTU: $came of 10 short trains came"
    else fail "smaller MTU: $came of 10 short trains came"; fi
}

pairs_alone() {
    lab_up --name ppfirst --rate 10mbit --burst 5000
    "$lab" exec --name ppfirst rcv "$BIN/pprec" -p "$port" >"$scratch/text" &
    receiver=$!
    lab_jobs="$lab_jobs $receiver"
    wait_udp ppfirst-rcv "$port"
    send "$RECEIVER4" -n 2 -s 1518 -d 50 -t 8
    stop_receiving
    lab_down ppfirst
    check_equal "pairs alone: sure" "$(grep -cE 'converged|shaped|fair|policed|varying|sender_limited$' "$scratch/text")" 0
    if grep -q 'no long trains: a bucket may hide the link; send the default pattern' "$scratch/text"
    then ok "pairs alone: advice"; else fail "pairs alone: no advice"; fi
}

pairs_alone
smaller_mtu
two_at_once
scratch_clean
test_end

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The relay's other links, with real TCP on them: queues by flow, a policer, contention, a rate that
# varies. What the kernel's stamps and iperf3 say, against what the options promise; frames count
# 1518 bytes each (1514 as tc counts).
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
need iperf3
seed=${PP_SEED:-$(date +%s)}
out=$(mktemp)
echo "# PP_SEED=$seed"

up() { lab_up --name pplinks --relay "$* --seed $seed" 2>/dev/null; }

down() { # leaves the relay's account in $truth
    truth=$("$lab" stop --name pplinks)
    lab_down pplinks
    check_equal "$1: frames that the relay could not carry" \
        "$(($(told dropped_ring) + $(told dropped_pool) + $(told refused)))" 0
}

told() { echo "$truth" | json_field "$1"; }

run_trains() { # TRAINS LENGTH PAYLOAD_BYTES INTERVAL_US: leaves what the sink said in $out
    in_background "$lab" exec --name pplinks rcv "$bin/sink" 9000 "$2" 300 >"$out"
    sink=$job
    wait_udp pplinks-rcv 9000
    "$lab" exec --name pplinks snd "$bin/train" "$RECEIVER4" 9000 "$@"
    wait "$sink"
}

quantile() { # gap_us|mean_gap_us pNN: of what the sink said
    awk -v part="$1" -v key="$2=" '{
        for (i = 1; i <= NF; i++) {
            if ($i == part) found = 1
            else if (found && index($i, key) == 1) { print substr($i, length(key) + 1); exit }
        } }' "$out"
}

iperf() { # CLIENT OPTIONS...
    in_background "$lab" exec --name pplinks rcv iperf3 -s -1 >/dev/null 2>&1
    server=$job
    sleep 0.3 # iperf3 has no other sign that it listens
    "$lab" exec --name pplinks snd iperf3 -c "$RECEIVER4" -f k "$@" >"$out.iperf"
    kill "$server" 2>/dev/null
    wait "$server"
}

received_kbps() { # NTH stream; the one after the last is their sum
    awk '/receiver/ { print $(NF - 2) }' "$out.iperf" | sed -n "${1}p"
}

# Reno is in every kernel, and keeps the queue full, which BBR does not.
# A full frame spends the whole quantum, so the second of a pair waits for the turns of all but the
# flow that was being sent, and later ones for all; of frames 4 bytes smaller two go at once.
fair() {
    up --rate 20m --all --queue 200000 --fq 1514
    iperf -P 2 -t 10 -C reno &
    flows=$!
    sleep 2.5 # slow start
    run_trains 50 2 1472 25000
    check_near "fq, beside two TCP flows: full pairs, us" "$(quantile gap_us p50)" 1214.4 2
    run_trains 50 2 1468 25000
    check_near "fq: pairs 4 bytes smaller, us" "$(quantile gap_us p50)" 605.6 2
    run_trains 20 16 1472 80000
    check_near "fq: gap in trains, us" "$(quantile gap_us p50)" 1821.6 2
    wait "$flows"
    down fq
    check_near "fq: one TCP flow's share of the other's" "$(received_kbps 1)" "$(received_kbps 2)" 5
    check_equal "fq: probes dropped" "$(told dropped_queue)" 0
    check_equal "fq: at least five flows seen" "$(($(told flows) >= 5))" 1
}

# Our flow alone: every gap is the link's.
fair_idle() {
    up --rate 20m --all --queue 200000 --fq 1514
    run_trains 50 2 1472 25000
    check_near "fq, nobody beside: pairs, us" "$(quantile gap_us p50)" 607.2 2
    run_trains 20 16 1472 80000
    check_near "fq, nobody beside: gap in trains, us" "$(quantile gap_us p50)" 607.2 2
    down "fq, nobody beside"
}

# iperf3 sends UDP in datagrams of 1448 bytes: 1494 on the link, so that 20 Mbit/s are 20.64 here. One
# Reno flow alone gets 55 to 85 % of what it is policed to, eight 74 to 94 (seven runs), as they like: 10 Mbit/s carry 9.54,
# and in 4 s what the bucket holds besides, 0.1.
police() {
    up --rate 100m --all --queue 200000 --police 10m/50000
    iperf -u -b 20m -l 1448 -t 4
    iperf -P 8 -t 4 -C reno
    down police
    check_near "police: share of UDP at twice the rate that is dropped, %" \
        "$(awk -v all="$(told received)" -v dropped="$(told dropped_policed)" \
            'BEGIN { printf "%.2f", dropped * 100 / all }')" 51.0 2
    kbps=$(received_kbps 9)
    check_below "police: eight TCP flows, kbit/s" "$kbps" 9700
    check_below "police: what one gets at the least, of theirs, kbit/s" 5247 "$kbps"
    check_equal "police: dropped by the queue" "$(($(told dropped_queue) + $(told cross_dropped)))" 0
    check_equal "police: TCP segments dropped" "$(($(told cross_policed) > 0))" 1
}

# DIFS 34 us, 0 to 15 slots of 9 us, a preamble of 20 us, 506 us of bits.
slots() {
    up --rate 24m --slots 15
    run_trains 100 32 1472 30000
    down slots
    check_near "slots: mean gap, us" "$(quantile mean_gap_us p50)" 627.5 3
    check_near "slots: gap, us: p10, the second of 16 slots" "$(quantile gap_us p10)" 569 2
    check_near "slots: gap, us: p90, the fifteenth" "$(quantile gap_us p90)" 686 2
    check_near "slots: the relay's account, bit/s" "$(told service_bps)" 19353000 1
}

# A train of 256 lasts 62 ms: 12 rates of 5 ms.
vary() {
    up --rate 50m --vary 5:10%
    run_trains 50 256 1472 80000
    down vary
    check_near "vary: mean gap, us" "$(quantile mean_gap_us p50)" 242.88 3
    check_near "vary: the relay's account, bit/s" "$(told service_bps)" 50000000 3
    check_below "vary: gap, us: p05, 1.25 times it below p95" \
        "$(awk -v low="$(quantile gap_us p05)" 'BEGIN { print low * 1.25 }')" "$(quantile gap_us p95)"
}

check_refused() { # RELAY OPTIONS...: one line, exit 2
    said=$("$bin/relay" a b "$@" 2>&1)
    check_equal "relay $*: exits" $? 2
    check_equal "relay $*: lines" "$(echo "$said" | wc -l)" 1
}

check_refused --fq 1514
check_refused --fq 100 --rate 10m
check_refused --slots 15
check_refused --slots 15,34,9,20,1 --rate 24m
check_refused --slots 15 --rate 24m --tick 1000
check_refused --vary 5:10%
check_refused --vary 5 --rate 10m
check_refused --vary 5:30% --rate 10m
check_refused --vary 5:10% --rate 10m --burst 20000
check_refused --police 10m
check_refused --police 10m/1000
check_refused --police 10/25000
fair
fair_idle
police
slots
vary
rm -f "$out" "$out.iperf"
test_end

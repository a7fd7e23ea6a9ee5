#!/bin/sh
# The relay's account of what it did to the packets, against what a receiver counted.
. "$(dirname "$0")/lib.sh"
lab_private "$@"
trains=50 length=32 out=$(mktemp)

run_trains() { # RELAY OPTIONS: leaves what the sink said in $out, the relay's JSON in $truth
    lab_up --relay "$1"
    in_background "$lab" exec rcv "$bin/sink" 9000 "$length" 300 >"$out"
    wait_udp "$RECEIVER_NS" 9000
    "$lab" exec snd "$bin/train" "${2:-$RECEIVER4}" 9000 "$trains" "$length" 1000 40000
    wait "$job"
    truth=$("$lab" stop)
    lab_down "$LAB"
}

true_count() { echo "$truth" | json_field "$1"; }

check_account() { # RELAY OPTIONS
    run_trains "$@"
    check_equal "$1: packets" "$(field packets <"$out")" "$(true_count forwarded)"
    check_equal "$1: copies" "$(field copies <"$out")" "$(true_count duplicated)"
    check_equal "$1: reordered" "$(field reordered <"$out")" "$(true_count reordered)"
    dropped=$(($(true_count dropped_loss) + $(true_count dropped_queue)))
    check_equal "$1: sent" $(($(true_count forwarded) + dropped)) $((trains * length))
}

# Counts must be exact; the medians may be off by 1 % on a busy machine (seen: 0.1 %).
run_trains "--rate 10m"
check_near "10 Mbit/s: median gap, us" "$(field p50 <"$out")" 836.8 1
run_trains "--rate 100m"
check_near "100 Mbit/s: median gap, us" "$(field p50 <"$out")" 83.68 1

check_account "--rate 10m --seed 1 --loss 0.1"
first=$(true_count dropped_loss)
check_account "--rate 100m --seed 1 --loss 0.1"
check_equal "one seed, one pattern: lost" "$(true_count dropped_loss)" "$first"
check_account "--rate 10m --seed 2 --duplicate 0.1"
check_account "--rate 10m --seed 3 --reorder 0.1"
check_account "--rate 10m --seed 4 --loss 0.05 --duplicate 0.05 --reorder 0.05 --impair after"
check_account "--rate 10m --queue 20p --seed 5 --duplicate 0.1"
check_equal "queue of 20: dropped" "$(($(true_count dropped_queue) > 0))" 1
rm -f "$out"
test_end

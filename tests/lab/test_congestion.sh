#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Queueing delay and losses as on_congestion tells them, interval by interval, beside the relay's own
# account of the same packets, while TCP fills a link of 10 Mbit/s: medians within 1 ms, losses equal.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"
need iperf3

# Our packets are quiet for 5 s, beside 20 s of TCP, and quiet again; then nothing is on its way.
tcp_seconds=20
with_tcp() { # COMMAND...: that sends for 30 s
    in_background "$@"
    sender=$job
    sleep 5
    "$lab" exec --name ppcongest snd iperf3 -c "$RECEIVER4" -p 5201 -t "$tcp_seconds" >/dev/null
    wait "$sender"
    sleep 1
}

# What the relay knows of packets that were sent in the interval: how long each was inside, less the
# relay's delay of 1 ms and its own bits (IP + 18). `each`: of how many one told when it left.
compare() { # EACH
    awk -v each="$1" '
        function sort(a, n,   i, j, x) {
            for (i = 2; i <= n; i++) {
                x = a[i]
                for (j = i - 1; j >= 1 && a[j] > x; j--)
                    a[j + 1] = a[j]
                a[j + 1] = x
            }
        }
        function median(a, n) {
            sort(a, n)
            return (a[int((n + 1) / 2)] + a[int(n / 2) + 1]) / 2
        }
        # Nanoseconds since 1970 are more than a number holds: they are counted from a day.
        function since(ns) { return substr(ns, 5) + 0 }
        FNR == NR {
            if ($2 == "-") { lost++; next }
            if ((FNR - 1) % each) next
            sent[++n] = since($2)
            wait[n] = since($2) - since($1) - 1e6 - ($3 + 4) * 8 / 10e6 * 1e9
            next
        }
        {
            told += $8
            end = since($1) - 2e5 # what is received in it left the relay a little earlier
            while (at < n && sent[at + 1] < end - $2) at++
            for (m = 0; at < n && sent[at + 1] < end; at++) inside[++m] = wait[at + 1]
            if (m == 0 || $6 == 0) next
            true_ns = median(inside, m)
            off[++k] = $3 > true_ns ? $3 - true_ns : true_ns - $3
            if (true_ns > most) most = true_ns
            within += off[k] <= 1e6
        }
        END {
            worst = k ? median(off, k) : 0
            sort(off, k)
            printf "intervals=%d within=%.1f off_p50_us=%.0f off_p99_us=%.0f off_most_us=%.0f deepest_ms=%.1f lost=%d true_lost=%d\n",
                k, (k ? within * 100 / k : 0), worst / 1e3, off[int(k * 0.99)] / 1e3, off[k] / 1e3, most / 1e6,
                told, lost
        }' "$scratch/account" "$scratch/told"
}

run() { # NAME MODE EACH COMMAND...
    name=$1 mode=$2 each=$3
    shift 3
    lab_up --name ppcongest --relay "--rate 10m --all --queue 60000 --port $port --account $scratch/account"
    ip netns exec "$RECEIVER_NS" iperf3 -s -1 -p 5201 >/dev/null &
    lab_jobs="$lab_jobs $!"
    ip netns exec "$RECEIVER_NS" "$BIN/congestion" "$mode" "$port" >"$scratch/told" &
    receiver=$!
    lab_jobs="$lab_jobs $receiver"
    wait_udp "$RECEIVER_NS" "$port"
    with_tcp "$lab" exec --name ppcongest snd "$@"
    kill "$receiver"
    wait "$receiver"
    "$lab" stop --name ppcongest >"$scratch/relay"
    figures=$(compare "$each")
    echo "# $name: $figures"
    echo "# $name: $(tail -n 1 "$scratch/told")"
    get() { echo "$figures" | field "$1"; }
    check_below "$name: 150 less the intervals that tell a delay" "$((150 - $(get intervals)))" 0
    check_below "$name: 20 ms less the deepest queue" "$(awk -v ms="$(get deepest_ms)" 'BEGIN { print 20 - ms }')" 0
    timed check_below "$name: percent of intervals off by over 1 ms" \
        "$(awk -v in_them="$(get within)" 'BEGIN { print 100 - in_them }')" 5
    check_equal "$name: lost" "$(get lost)" "$(get true_lost)"
    lab_down ppcongest
}

run media receive 1 "$BIN/congestion" send 10.77.1.2 "$port" 30
run pairs probe 2 "$BIN/pptrans" -h 10.77.1.2 -p "$port" -q -n 2 -s 1000 -d 20 -c 1500
scratch_clean
test_end

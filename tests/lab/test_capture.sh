#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The same trains by the socket, by a live capture and by a stored capture of the receiving
# interface: sample by sample and estimate by estimate.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"
need_tcpdump

trains=60

capture_start() { # NAME COMMAND...: in the receiver; ready when it says so
    capture_name=$1
    shift
    "$lab" exec --name "$LAB" rcv "$@" >"$scratch/$capture_name.out" 2>"$scratch/$capture_name.err" &
    capture_job=$!
    lab_jobs="$lab_jobs $capture_job"
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        grep -Eq 'listening on|capture on' "$scratch/$capture_name.err" && return
        sleep 0.1
    done
    fail "$capture_name does not start: $(cat "$scratch/$capture_name.err")"
}

compare() { # WHAT LOG
    awk '!/^#/' "$scratch/socket.log" | sort -k 4,4 >"$scratch/a"
    awk '!/^#/' "$2" | sort -k 4,4 >"$scratch/b"
    check_equal "$1: trains" "$(wc -l <"$scratch/b")" "$trains"
    # columns 4 train, 9 dispersion_us: the clock is one, the hook a few lines of code apart
    join -1 4 -2 4 -o 1.9,2.9 "$scratch/a" "$scratch/b" | awk -v what="$1" '
        { off = $1 - $2; if (off < 0) off = -off; if (off > most) most = off
          if (off / $1 > share) share = off / $1; sum += off; n++ }
        END { printf "# %s: %d samples, mean difference %.3f us, greatest %.3f us (%.3f %%)\n",
              what, n, n ? sum / n : 0, most, share * 100; exit !(n > 0 && share <= 0.005) }' &&
        ok "$1: every sample within 0.5 %" || fail "$1: samples differ by more than 0.5 %"
}

estimate_of() { json_field capacity_bps <"$1"; }

for rate in 10 100; do
    lab_up --name ppcapture --relay "--rate ${rate}m --overhead 0" 2>/dev/null
    capture_start tcpdump tcpdump -Z root -i in --immediate-mode --time-stamp-precision=nano -s 96 -U \
        -w "$scratch/stored.pcap" udp port "$port"
    dumping=$capture_job
    capture_start live "$BIN/pprec" -C in -f "udp port $port" -o "$scratch/live.log" --layer 42 --json
    live=$capture_job
    receive "$scratch/socket.log" --layer 42
    send "$RECEIVER4" -s 1500 -n 4 -d 20 -c "$trains"
    sleep 0.3
    stop_receiving
    kill -INT "$live" "$dumping" 2>/dev/null
    wait "$live" "$dumping"
    "$BIN/pprec" -r "$scratch/stored.pcap" -o "$scratch/stored.log" --layer 42 -q --json \
        >"$scratch/stored.json" 2>"$scratch/stored.err"
    check_equal "$rate Mbit/s, stored: status" $? 0
    compare "$rate Mbit/s, live" "$scratch/live.log"
    compare "$rate Mbit/s, stored" "$scratch/stored.log"
    grep '"type":"summary"' "$scratch/live.out" >"$scratch/live.json"
    check_near "$rate Mbit/s, live: capacity_bps" "$(estimate_of "$scratch/live.json")" "$(summary capacity_bps)" 0.5
    check_near "$rate Mbit/s, stored: capacity_bps" "$(estimate_of "$scratch/stored.json")" "$(summary capacity_bps)" 0.5
    check_equal "$rate Mbit/s, live: dropped_here" "$(json_field dropped_here <"$scratch/live.json")" 0
    rm -f "$scratch"/*.log
    lab_down ppcapture
done
# What is captured at the sender's own interface shows no path, and is said to; the receiver's capture does.
lab_up --name ppcapture --relay "--rate 10m --overhead 0" 2>/dev/null
capture_start tcpdump tcpdump -Z root -i in --immediate-mode --time-stamp-precision=nano -s 96 -U \
    -w "$scratch/receiver.pcap" udp port "$port"
dumping=$capture_job
"$lab" exec --name "$LAB" snd tcpdump -Z root -i out --immediate-mode --time-stamp-precision=nano -s 96 -U \
    -w "$scratch/sender.pcap" udp port "$port" >"$scratch/sender.out" 2>"$scratch/sender.err" &
sending=$!
lab_jobs="$lab_jobs $sending"
wait_for grep -q 'listening on' "$scratch/sender.err"
send "$RECEIVER4" -s 1500 -n 64 -d 100 -c 20
sleep 0.5
kill -INT "$sending" "$dumping" 2>/dev/null
wait "$sending" "$dumping"
for side in sender receiver; do
    "$BIN/pprec" -q --json "$scratch/$side.pcap" >"$scratch/$side.json" 2>"$scratch/$side.said"
done
check_equal "captured at the sender: lines that say so" \
    "$(grep -c 'came as they left, and at once: this was captured at the sender, or' "$scratch/sender.said")" 1
check_equal "captured at the receiver: lines that say so" \
    "$(grep -c 'came as they left' "$scratch/receiver.said")" 0
check_equal "captured at the receiver: trains" "$(json_field trains <"$scratch/receiver.json")" 20
lab_down ppcapture
# By the time in the capture, here five trains of four, 100 ms apart, from 0.005 s on.
"$BIN/pprec" -r "$(dirname "$0")/../vectors/same-ethernet.pcap" -q --json -i 0.1 >"$scratch/intervals"
check_equal "-i: ends of intervals, and packets in each" "$(sed -n \
    's/.*"interval","time":17000000\([0-9.]*\)000000,.*"packets":\([0-9]*\),.*/\1 \2/p' \
    "$scratch/intervals" | paste -sd , -)" "00.105 5,00.205 4,00.305 4,00.405 4"
"$BIN/pprec" -r "$(dirname "$0")/../vectors/same-ethernet.pcap" -q --json -t 0.2 >"$scratch/intervals"
check_equal "-t: packets, the first past it among them" "$(json_field packets <"$scratch/intervals")" 9
scratch_clean
test_end

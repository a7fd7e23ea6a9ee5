#!/bin/sh
# What a link of the lab does to trains of 1500-byte packets: README.md quotes its figures.
# usage: measure.sh tbf|relay RATE LENGTH [LAB OR RELAY OPTIONS]
# One line: gaps between packets in us, their quantiles, and of each train's mean gap; the
# relay's own account follows. A full frame is 1518 bytes to the relay (IP + 18) and 1514 to
# tc, so the gap to expect at 10 Mbit/s is 1214.4 or 1211.2 us.
. "$(dirname "$0")/lib.sh"
[ $# -ge 3 ] || { sed -n '3s/^# //p' "$0" >&2; exit 2; }
lab_private "$@"

kind=$1 rate=$2 length=$3
shift 3
case $kind in
tbf) lab_up --rate "$rate" "$@" ;;
relay) lab_up --relay "--rate $rate $*" ;;
*) exit 2 ;;
esac
# The pause lets the queue run empty: four times what the train takes.
pause_us=$(awk -v bps="$(echo "$lab_facts" | field NARROW_RATE_BPS)" -v n="$length" \
    'BEGIN { us = 4 * n * 12144e6 / bps; print int(us > 20000 ? us : 20000) }')
trains=${TRAINS:-200}
in_background "$lab" exec rcv "$bin/sink" 9000 "$length" $((pause_us / 1000 + 500))
wait_udp "$RECEIVER_NS" 9000
"$lab" exec snd "$bin/train" "$RECEIVER4" 9000 "$trains" "$length" 1472 "$pause_us"
wait "$job"
"$lab" stop

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What leaves with --available and --locate, as a capture on the sender's own link shows it: rates,
# hop limits, sizes, what the packets tell of themselves; unicast and groups, both families, with a
# key; through routers that answer with ICMP; and the order to stop in the midst of a paced train.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"
need_tcpdump

lab_up --name pppatt --routers 3 --rate 100mbit
for family in -4 -6; do # groups need a way out
    ip "$family" -n "$SENDER_NS" route add multicast "$([ "$family" = -4 ] && echo 224.0.0.0/4 || echo ff00::/8)" \
        dev "$SENDER_IF" 2>/dev/null
done
(umask 077 && od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n' >"$scratch/key")
tagged=
"$BIN/pptrans" --key-file "$scratch/key" -h 127.0.0.1 -p 9 -c 1 -q 2>&1 | grep -q 'no authentication' ||
    tagged="--key-file $scratch/key"

# Where it may the sender runs before others, as the relay does.
first=
! chrt -f 10 true 2>/dev/null || first="chrt -f 10"

# The control of what is paced: how many waits end as late as tests of them allow.
LATE_US=60
watch() {
    # shellcheck disable=SC2086
    $first "$BIN/naps" $LATE_US >"$scratch/naps" &
    naps_job=$!
    capture "$SENDER_NS" "$SENDER_IF" "$scratch/pcap" -s 120 udp port "$port"
}

unwatch() { # what was seen becomes $scratch/left
    sleep 0.5
    kill "$capture_job"
    wait "$capture_job" 2>/dev/null
    kill "$naps_job"
    wait "$naps_job"
    "$BIN/left" "$scratch/pcap" >"$scratch/left"
}

# Sends, and says what it sent, a line a train, in $scratch/told: train, packets, paced_bps, departure_ns
run() { # ADDRESS OPTIONS...
    to=$1
    shift
    # shellcheck disable=SC2086
    "$lab" exec --name "$LAB" snd $first "$BIN/pptrans" -h "$to" -p "$port" --json -v "$@" >"$scratch/json"
    status=$?
    sed -n 's/.*"type":"train".*"train":\([0-9]*\).*"packets":\([0-9]*\).*/\1 \2 &/p' "$scratch/json" |
        awk '{ paced = match($0, /"paced_bps":[0-9.]+/) ? substr($0, RSTART + 12, RLENGTH - 12) : 0
               span = match($0, /"departure_ns":[0-9]+/) ? substr($0, RSTART + 15, RLENGTH - 15) : "-"
               print $1, $2, paced, span }' >"$scratch/told"
}

totals() { grep '"type":"totals"' "$scratch/json" | json_field "$1"; }

# beside EXPRESSION: for each train that both lists have, $1..$12 of `left` and paced, span; prints
# how many of them it is true of, and of how many.
beside() {
    awk 'NR == FNR { paced[$1] = $3; span[$1] = $4; next }
        $1 in paced { p = paced[$1]; s = span[$1]; all += ('"$2"'); good += ('"$2"') && ('"$1"') }
        END { print good + 0, all + 0 }' "$scratch/told" "$scratch/left"
}

check_all() { # WHAT EXPRESSION OF-WHICH
    set -- "$1" "$(beside "$2" "$3")"
    if [ "${2% *}" = "${2#* }" ] && [ "${2% *}" != 0 ]; then ok "$1: all of ${2#* }"
    else fail "$1: ${2% *} of ${2#* }"; fi
}

# Of 16 packets each but the first is waited for: more than one train in ten has one that a host like this
# sends late.
naps_spoil_trains() {
    awk '{ exit 1 - (1 - $2 / $1) ^ 15 <= 0.1 }' "$scratch/naps"
}

check_most() { # WHAT EXPRESSION OF-WHICH: nine of ten, on a calm host
    set -- "$1" "$(beside "$2" "$3")"
    if [ $((${2% *} * 10)) -ge $((${2#* } * 9)) ] && [ "${2#* }" != 0 ]; then ok "$1: ${2% *} of ${2#* }"
    elif naps_spoil_trains; then
        noisy "$1: ${2% *} of ${2#* }" "of $(awk '{ print $1 " waits " $2 }' "$scratch/naps") ended over $LATE_US us late"
    else timed fail "$1: ${2% *} of ${2#* }"; fi
}

# The spacing of paced trains, within 1 % and 30 us of what was asked; what they told of it is what
# was seen, within 1 % and 20 us; and others leave at once.
available() { # NAME ADDRESS PAYLOAD SIZE OPTIONS...
    name=$1 to=$2 payload=$3 size=$4
    shift 4
    watch
    run "$to" --available 2m-60m -d 30 -c 240 "$@"
    unwatch
    check_equal "$name: status, packets refused, seen less sent" \
        "$status $(totals refused) $(($(awk '{ n += $3 } END { print n }' "$scratch/left") - $(totals packets)))" "0 0 0"
    check_all "$name: every packet of a train was seen" '$2 == $3' 1
    check_all "$name: paced trains are of full frames" "\$8 == $payload && \$9 == $payload && \$10 == 0" 'p > 0'
    check_all "$name: trains paced" '$2 == ($1 < 40 ? 4 : $1 < 44 ? 8 : 16)' 'p > 0'
    check_most "$name: they leave at the rate of their rung" \
        "(x = (\$2 - 1) * $size * 8e6 / p) && \$4 < x * 1.01 + 30 && \$4 > x * 0.99 - 30" 'p > 0'
    check_most "$name: and evenly" "\$5 < $size * 8e6 / p * 1.05 + 60" 'p > 0'
    check_most "$name: told as seen" '$4 < s / 990 + 20 && $4 > s / 1010 - 20' 'p > 0 && s != "-"'
    check_most "$name: others leave at once" '$4 < 100 * $2' 'p == 0'
    check_equal "$name: rungs" "$(awk '$3 > 0 { print $3 }' "$scratch/told" | sort -un | wc -l)" 16
}

available IPv4 "$RECEIVER4" 1472 1518
# shellcheck disable=SC2086
available IPv6 "$RECEIVER6" 1452 1518 $tagged
available "a group" 239.5.5.5 1472 1518 -I "$SENDER_IF" --send mmsg
check_all "a group: hop limit" '$6 == 1 && $7 == 1' 'p > 0 && $2 > 2'

# What dies on the way, and what goes all of it. Each router it dies at answers, which is no refusal.
locate() { # NAME ADDRESS FROM TO MARKER-HOPS MARKER LOAD OPTIONS...
    name=$1 to=$2 from=$3 last=$4 own=$5 marker=$6 load=$7
    shift 7
    watch
    run "$to" --locate "$from-$last" -d 20 -c 240 "$@"
    unwatch
    check_equal "$name: status, packets refused, departures known, seen less sent" \
        "$status $(totals refused) $(totals departures_known) $(($(awk '{ n += $3 } END { print n }' \
            "$scratch/left") - $(totals packets)))" "0 0 240 0"
    check_all "$name: 160 of 240 locate" '($1 % 3 > 0) == ($10 > 0)' 1
    check_all "$name: sizes" "\$8 == $marker && \$9 == $load && \$12 == $load" '$10 > 0'
    check_all "$name: hop limits, as they tell" "\$6 == $own && \$11 == $own && \$7 == \$10" '$10 > 0'
    check_all "$name: others have no such limits" "\$6 == $own" '$10 == 0'
    check_equal "$name: hops, and of how many packets" \
        "$(awk '$10 > 0 { hops[$10]; packets[$2] } END { for (h in hops) print "h", h; for (p in packets) print "p", p }' \
            "$scratch/left" | sort -k 1,1 -k 2n | awk '{ printf "%s%s", (NR > 1 ? " " : ""), $2 } END { print "" }')" \
        "$(seq -s ' ' "$from" "$last") 3 8"
}

before=$("$lab" exec --name "$LAB" snd cat /proc/net/snmp | awk '/^Icmp:/ && $2 ~ /^[0-9]/ { print $2 }')
locate "IPv4" "$RECEIVER4" 1 6 64 38 1472
after=$("$lab" exec --name "$LAB" snd cat /proc/net/snmp | awk '/^Icmp:/ && $2 ~ /^[0-9]/ { print $2 }')
check_below "ICMP messages that routers sent back, negative," $((before - after)) 0
# shellcheck disable=SC2086
locate "IPv6" "$RECEIVER6" 2 3 40 $((tagged_bytes = ${#tagged} > 0 ? 54 : 38)) 1452 --ttl 40 $tagged
locate "an IPv4 group" 239.5.5.5 1 4 7 38 954 -I "$SENDER_IF" --ttl 7 -s 1000
locate "an IPv6 group" ff3e::5:5 1 2 7 38 1452 -I "$SENDER_IF" --ttl 7
run 239.5.5.5 --locate -I "$SENDER_IF" -d 10 -c 3
check_equal "a group, no --ttl: up to hop" "$(json_field hop_to <"$scratch/json")" 1

# Trains of a good part of a second: the order to stop comes in one of them.
receive "$scratch/log"
watch
"$lab" exec --name "$LAB" snd "$BIN/pptrans" -h "$RECEIVER4" -p "$port" --json --available 100k-150k -n 8 \
    -d 1000 --spacing uniform >"$scratch/json" &
sender=$!
sleep 1
pid=$(ip netns pids "$SENDER_NS" | while read -r it; do
    [ "$(cat "/proc/$it/comm" 2>/dev/null)" != pptrans ] || echo "$it"; done)
until "$BIN/left" "$scratch/pcap" | tail -n 1 | awk '{ exit !($4 > 10000 && $3 < $2) }'; do
    sleep 0.05
done
began=$(date +%s%N)
kill -INT "$pid"
wait "$sender"
check_equal "stopped in a paced train: status" $? 0
timed check_below "stopped in a paced train: ms to the end" $((($(date +%s%N) - began) / 1000000)) 150
unwatch
stop_receiving
check_equal "stopped in a paced train: packets seen less those sent" \
    "$(($(awk '{ n += $3 } END { print n }' "$scratch/left") - $(totals packets)))" 0
check_below "stopped in a paced train: packets not sent, negative," $((-$(totals unsent))) 0
check_equal "stopped in a paced train: lost, as the receiver has it" "$(summary lost)" 0
scratch_clean
test_end

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Which link is narrow: of six by tbf one in the middle and the sender's own, routers that answer with
# ICMP and ones that do not; IPv6; a path of one link; a receiver on the sender's host; a group of two
# receivers, each with its own path. Never a wrong hop. More of them: locate_table.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"
# shellcheck source=tests/lab/star.sh
. "$(dirname "$0")/star.sh"
# shellcheck source=tests/lab/locate.sh
. "$(dirname "$0")/locate.sh"

judge() { # NAME HOP LINKS MBIT
    echo "# $1: capacity $state; narrow link $first to $last of $links, $mbit Mbit/s, $why"
    check_equal "$1: links" "$links" "$3"
    timed check_equal "$1: told" "$(verdict "$2" | sed s/range/right/)" right
    check_rate "$1" "$2" "$4"
}

# The sender's own link may have spaced the departures that it tells, too: a bound, which is no rate.
check_rate() { # NAME HOP MBIT
    if [ "$2" = 1 ] && [ "$state" = sender_limited ]; then
        check_equal "$1: a bound is no rate" "$mbit" 0.00
    else
        check_near "$1: its rate" "$mbit" "$3" 5
    fi
}

path() { # NAME HOP MBIT RATES ICMP
    lab_up --routers 5 --rates "$4" --burst 1600
    answer "$5"
    locate "$RECEIVER4" -d 30 -t 10 --locate 1-6
    judge "$1" "$2" 6 "$3"
    lab_down
}

path first 1 10 10mbit,50mbit,40mbit,50mbit,30mbit,50mbit FEW
path middle 3 10 50mbit,40mbit,10mbit,50mbit,30mbit,50mbit ALL
timed check_equal "middle: no range" "$(verdict 3)" right

lab_up --routers 2 --rates 50mbit,10mbit,20mbit --burst 1600
if [ -n "$RECEIVER6" ]; then
    locate "$RECEIVER6" -d 30 -t 6 --locate 1-4
    judge "IPv6, three links" 2 3 10
fi
lab_down

lab_up --routers 0 --rates 10mbit
locate "$RECEIVER4" -d 30 -t 4 --locate 1-2
judge "one link" 1 1 10

# Nothing there is as slow as it can tell: a bound, or nothing, but one link.
"$lab" exec --name "$LAB" snd "$BIN/pprec" -p 9001 -q --json >"$scratch/host" 2>/dev/null &
host=$!
wait_udp "$SENDER_NS" 9001
"$lab" exec --name "$LAB" snd "$BIN/pptrans" -h 127.0.0.1 -p 9001 -q -d 20 -t 4 --locate >/dev/null
kill -TERM "$host"
wait "$host"
narrow "$scratch/host"
echo "# same host: capacity $state; narrow link $first to $last of $links, $mbit Mbit/s, $why"
check_equal "same host: links" "$links" 1
check_equal "same host: no link but that" "$(verdict 1 | sed s/silent/right/)" right
[ "$state" != sender_limited ] || check_equal "same host: a bound is no rate" "$mbit" 0.00
lab_down

group_receiver() { # NODE
    ip netns exec "$star_name-$1" "$BIN/pprec" -p "$port" -q --json -I in -g 239.5.5.5 >"$scratch/$1" 2>/dev/null &
    group_jobs="$group_jobs $!"
    wait_udp "$star_name-$1" "$port"
}

# By a relay, which is exact: tbf with a bucket of one packet loses what its timer is late by, 6 % of 20 Mbit/s.
star_up pploc '--rate 20m' '--rate 10m'
group_jobs=
group_receiver rcv1
group_receiver rcv2
sleep 0.3 # groups are joined after that
star_exec snd "$BIN/pptrans" -h 239.5.5.5 -p "$port" -I out -q -d 30 -t 6 --ttl 3 --locate 1-3 >/dev/null
sleep 0.2
# shellcheck disable=SC2086 # words
kill -TERM $group_jobs
# shellcheck disable=SC2086
wait $group_jobs
narrow "$scratch/rcv1"
judge "group, a receiver" 1 1 20
narrow "$scratch/rcv2"
judge "group, another" 1 1 10
star_stop
scratch_clean
test_end

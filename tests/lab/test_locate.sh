#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Which of six links is narrow: the first, one in the middle, the last, one after a slower and a faster
# one, 5 to 50 Mbit/s by tbf, routers that answer with ICMP and ones that do not; IPv6; a link in user space;
# two routers and a path of one link. Right hop in most, a range that holds it in all, and the rate within 5 %, at a
# train every 60 ms.
# SECONDS_EACH: how long each takes [32].
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"
seconds=${SECONDS_EACH:-32} runs=0 exact=0

# Linux answers one packet that died a second, a target; with 0 every one, within the forwarding path.
answer() { # ALL|FEW
    limit=1000000
    [ "$1" = ALL ] && limit=0
    for node in 1 2 3 4 5; do
        "$lab" exec --name "$LAB" "r$node" sh -c "echo $limit >/proc/sys/net/ipv4/icmp_ratelimit
            echo 100000 >/proc/sys/net/ipv4/icmp_msgs_per_sec" 2>/dev/null
    done
}

measure() { # NAME ADDRESS HOP LINKS MBIT
    receive "$scratch/log"
    send_default "$2" --locate -d 60 -t "$seconds"
    stop_receiving
    echo "# $1: capacity $(summary state) $(summary capacity_bps); narrow link $(summary narrow_hop) to" \
        "$(summary narrow_hop_last) of $(summary hops_count), $(summary narrow_link_bps), $(summary hops_why)"
    check_equal "$1: links" "$(summary hops_count)" "$4"
    runs=$((runs + 1))
    [ "$(summary narrow_hop) $(summary narrow_hop_last)" != "$3 $3" ] || exact=$((exact + 1))
    timed check_equal "$1: it is within that range:" "$(summary narrow_hop) $(summary narrow_hop_last)" \
        "$(summary narrow_hop | awk -v at="$3" '{ print ($1 <= at ? $1 : at) }') $(summary narrow_hop_last |
            awk -v at="$3" '{ print ($1 >= at ? $1 : at) }')"
    check_near "$1: its rate" "$(summary narrow_link_bps)" "${5}000000" 5
}

path() { # NAME HOP MBIT RATES ICMP
    lab_up --routers 5 --rates "$4" --burst 1600
    answer "$5"
    measure "$1" "$RECEIVER4" "$2" 6 "$3"
    lab_down
}

path first 1 10 10mbit,50mbit,40mbit,50mbit,30mbit,50mbit FEW
path middle 3 10 50mbit,40mbit,10mbit,50mbit,30mbit,50mbit ALL
path last 6 5 50mbit,40mbit,30mbit,50mbit,40mbit,5mbit FEW
path "slower, faster, narrow" 4 8 30mbit,15mbit,40mbit,8mbit,50mbit,20mbit ALL

lab_up --routers 2 --rates 50mbit,10mbit,20mbit --burst 1600
if [ -n "$RECEIVER6" ]; then measure "IPv6, three links" "$RECEIVER6" 2 3 10; fi
lab_down

lab_up --routers 2 --rates 50mbit,40mbit,- --relay '--rate 20m --overhead 14'
measure "relay behind" "$RECEIVER4" 3 3 20
lab_down

lab_up --routers 0 --rates 10mbit
measure "one link" "$RECEIVER4" 1 1 10
lab_down
# A range that holds it is no wrong answer, but not what one wants either.
timed check_below "paths, of $runs, whose narrow link is one of several" $((runs - exact)) 3
scratch_clean
test_end

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Groups: any-source and source-specific, IPv4 and IPv6, two receivers of one sender, a
# late one, a wrong source, another group on the same port, an interface that goes and
# comes back.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"
# shellcheck source=tests/lab/star.sh
. "$(dirname "$0")/star.sh"

star_up ppmc 4mbit 2mbit

start() { # NAME NODE PPREC-OPTIONS...: pprec in the background, its output in $scratch/NAME
    start_as=$1 start_at=$2
    shift 2
    ip netns exec "$star_name-$start_at" "$BIN/pprec" -p "$port" -q --json --layer "$layer" "$@" \
        >"$scratch/$start_as" 2>"$scratch/$start_as.err" &
    lab_jobs="$lab_jobs $!"
    jobs_now="$jobs_now $!"
    wait_udp "$star_name-$start_at" "$port"
    sleep 0.3 # groups are joined after that, and the bridge must hear of it
}

finish() { # all receivers
    sleep 0.2
    for it in $jobs_now; do kill -TERM "$it"; done
    for it in $jobs_now; do wait "$it"; done
    jobs_now=
}

to() { # GROUP PPTRANS-OPTIONS...
    to_group=$1
    shift
    star_exec snd "$BIN/pptrans" -h "$to_group" -p "$port" -q -n 2 -s 1518 "$@" >/dev/null
}

streams() { grep -c '"type":"summary"' "$scratch/$1"; } # NAME

value() { # NAME KEY: of its summary; 0 when it has none
    value_got=$(grep '"type":"summary"' "$scratch/$1" | json_field "$2")
    echo "${value_got:-0}"
}

(umask 077 && od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n' >"$scratch/key")
jobs_now=
layer=42 # on top of the payload, as tc counts
group_test() { # NAME GROUP SOURCE WRONG-SOURCE OTHER-GROUP
    start a rcv1 -I in -g "$2"
    start b rcv2 -g "$2@$3"
    to "$2" -d 20 -c 60 --ttl 3
    to "$5" -d 20 -c 10 # the same port
    finish
    check_equal "$1: any source, trains" "$(value a trains)" 60
    check_near "$1: any source, capacity" "$(value a capacity_bps)" 4000000 2
    check_equal "$1: any source, streams" "$(streams a)" 1
    check_equal "$1: source-specific, trains" "$(value b trains)" 60
    check_near "$1: source-specific, capacity" "$(value b capacity_bps)" 2000000 2
    start a rcv1 -g "$2@$4"
    start b rcv2 -4 -g 239.7.7.7 -g "$6"
    to "$2" -d 20 -c 10
    to "$6" -d 20 -c 10
    finish
    check_equal "$1: wrong source, trains" "$(value a trains)" 0
    check_equal "$1: wrong source, foreign" "$(grep -c 'no probes came (0 foreign' "$scratch/a.err")" 1
}

# A group is its own destination, whatever a NAT does to other addresses.
key_test() { # NAME GROUP
    start a rcv1 -g "$2" --key-file "$scratch/key" --sent-to 192.0.2.1
    to "$2" -d 20 -c 10 --key-file "$scratch/key"
    finish
    check_equal "$1: with a key, trains" "$(value a trains)" 10
}

group_test IPv4 232.1.2.3 10.78.0.100 10.78.0.99 232.1.2.4 239.7.7.8
check_equal "the second of two groups, trains" "$(value b trains)" 10
layer=62
group_test IPv6 ff3e::4321 fd78::100 fd78::99 ff3e::4322 239.7.7.8

if star_exec snd "$BIN/pptrans" --key-file "$scratch/key" -h 127.0.0.1 -p 9 -c 1 -q 2>&1 |
    grep -q 'no authentication'; then
    echo "SKIP test_multicast: this build has no authentication: no keys"
else
    key_test IPv4 239.7.7.9
    key_test IPv6 ff3e::4323
fi

# Two receivers on one host, each with a group of its own, and one that comes late.
# An IPv4 socket takes the groups of its neighbours unless told not to; one for both
# families does that with IPv6 groups only.
start a rcv1 -4 -g 239.1.1.1
start b rcv1 -4 -g 239.1.1.2
to 239.1.1.1 -d 20 -c 100 &
sender=$!
to 239.1.1.2 -d 20 -c 50
start late rcv2 -g 239.1.1.1
wait $sender
finish
check_equal "one host, first group" "$(value a trains)" 100
check_equal "one host, second group" "$(value b trains)" 50
check_equal "one host, streams of each" "$(streams a) $(streams b)" "1 1"
start a rcv1 -g ff3e::1
start b rcv1 -g ff3e::2
sleep 1 # MLD may take its time to report
to ff3e::1 -d 10 -c 10
to ff3e::2 -d 10 -c 20
finish
check_equal "one host, IPv6: streams and trains of each" \
    "$(streams a) $(value a trains) $(streams b) $(value b trains)" "1 10 1 20"
late=$(value late trains)
if [ "$late" -gt 5 ] && [ "$late" -lt 60 ]; then ok "late: $late trains of 100"
else fail "late: $late trains of 100"; fi

star_exec rcv2 "$BIN/pprec" -p "$port" -g 239.1.1.1 -I in -t 1 -q --json >"$scratch/idle" 2>/dev/null
check_equal "a receiver that left gets nothing" "$(value idle trains)" 0

# Receivers on the sender's own host.
for family in 239.1.1.1 ff3e::1; do
    for loop in on off; do
        start own snd -g "$family"
        start far rcv1 -g "$family"
        to "$family" -d 10 -c 10 --loop "$loop"
        finish
        [ "$loop" = on ] && own=10 || own=0
        check_equal "$family, --loop $loop: trains on the sender's host, and on another" \
            "$(value own trains) $(value far trains)" "$own 10"
    done
done

# Down and up, then gone and back under its name.
replug() {
    ip -n ppmc-rcv1 link delete in
    sleep 0.3
    star_wire rcv1 in 1 rcv1 -
}
for family in 239.1.1.1 ff3e::77; do
    start named rcv1 -I in -g "$family"
    sleep 1 # MLD may take its time to report
    to "$family" -d 10 -c 10
    ip -n ppmc-rcv1 link set in down
    sleep 0.2
    ip -n ppmc-rcv1 link set in up
    ip -n ppmc-rcv1 route add 224.0.0.0/4 dev in 2>/dev/null
    ip -n ppmc-rcv1 address add fd78::1/64 dev in nodad 2>/dev/null
    sleep 2
    to "$family" -d 10 -c 50
    replug
    sleep 2
    to "$family" -d 10 -c 40
    finish
    check_equal "$family: trains before, after down and up, after it went and came" \
        "$(sed -n 's/.*"summary".*"trains":\([0-9]*\).*/\1/p' "$scratch/named" | sort -n |
            paste -sd ' ' -)" "10 40 50"
done
scratch_clean
test_end

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# With no system calls but its own, and death as the price of any other, pprec does all that it does
# after its start: groups, interfaces and logs that go and come back, requests, reports, captures.
# (All lab tests that way: make confined.)
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"
"$BIN/pprec" -q --confine kill -r "$lab_dir/../vectors/same-ethernet.pcap" >"$scratch/out" 2>"$scratch/err" ||
    skip "$(cat "$scratch/err")"

lab_up --name ppconf --rate 10mbit
rcv() { "$lab" exec --name ppconf rcv "$@"; }
plug() {
    rcv ip link add plug type veth peer name gulp
    rcv ip address add 10.88.0.1/24 dev plug
    rcv ip link set plug up
    rcv ip link set gulp up
}
await_log() { # until it was begun anew
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        ! grep -q '^# pprec' "$scratch/log" 2>/dev/null || return 0
        sleep 0.1
    done
    fail "no log"
}
seccomp_of() { # of the pprec that runs
    for it in $(ip netns pids ppconf-rcv); do
        [ "$(cat "/proc/$it/comm")" != pprec ] || sed -n 's/^Seccomp:[[:space:]]*//p' "/proc/$it/status"
    done
}
await_confined() { # which is the last that it does before it begins
    tries=100
    while [ "$(seccomp_of)" != 2 ] && [ $((tries -= 1)) -gt 0 ]; do sleep 0.05; done
}

# --- On a port ---

plug
NOTIFY_SOCKET=$scratch/manager
export NOTIFY_SOCKET
receive "$scratch/log" --confine kill -g 239.1.2.3 -g ff15::7 -I plug -i 0.2
unset NOTIFY_SOCKET
check_equal "its filter is loaded (2)" "$(seccomp_of)" 2
rcv ip link delete plug
plug
sleep 1.5
check_equal "bound to the interface that came back" "$(rcv ss -uln | grep -c "%plug:$port ")" 1
check_equal "groups joined there" "$(rcv ip maddress show dev plug | grep -c '239.1.2.3\|ff15::7')" 2
stop_receiving
check_equal "nothing came: status" "$status" 1

receive "$scratch/log" --confine kill -i 0.2 --metrics 127.0.0.1:9740
send "$RECEIVER4" -d 20 -c 80 &
sender=$!
sleep 0.3
mv "$scratch/log" "$scratch/log.1"
kill -HUP "$receiver"
await_log
rm "$scratch/log"
await_log
kill -STOP "$receiver"
kill -CONT "$receiver"
if command -v curl >"$scratch/out"; then
    check_equal "a scrape: the filter's name, its own figures" "$(rcv curl -sS -m 5 http://127.0.0.1:9740/metrics |
        sed -n 's/^pprec_config_info.*filter="\([a-z]*\)".*/\1/p; s/^process_\([or][a-z]*\).*/\1/p' | paste -sd ' ' -)" \
        "adaptive resident open"
fi
wait $sender
stop_receiving
check_equal "a log that was rotated and removed: status, trains" "$status $(summary trains)" "0 80"

# --- Captures ---

rcv "$BIN/pprec" --confine kill -C in -q --json -t 1 >"$scratch/captured" 2>"$scratch/err" &
captor=$!
await_confined
send "$RECEIVER4" -d 20 -c 20
wait "$captor"
check_equal "live: status, trains" \
    "$? $(grep -c . "$scratch/captured") $(json_field trains <"$scratch/captured")" "0 1 20"
"$BIN/pprec" --confine kill -q "-r" "$lab_dir/../vectors/same.pcapng" -r - <"$lab_dir/../vectors/same-ethernet.pcap" \
    >"$scratch/out" 2>"$scratch/err"
check_equal "stored, and standard input: status" "$?" 0

# --- Off ---

receive "$scratch/log" --confine off
check_equal "off: no filter (0)" "$(seccomp_of)" 0
stop_receiving
receive "$scratch/log"
check_equal "unless told otherwise (2)" "$(seccomp_of)" 2
stop_receiving
scratch_clean
test_end

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Two senders at once, one of them restarted: three streams, three right summaries.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"

lab_up --name ppstreams --relay "--rate 10m --overhead 4" 2>/dev/null
receive "$scratch/log"
send "$RECEIVER4" -s 1000 -d 37 -c 80 &
other=$!
send "$RECEIVER4" -s 1500 -n 4 -d 31 -c 40
send "$RECEIVER6" -s 1500 -n 8 -d 29 -c 30 # its source differs too: IPv6
wait $other
stop_receiving

grep '"type":"summary"' "$receive_out.json" >"$scratch/summaries"
check_equal "streams" "$(wc -l <"$scratch/summaries")" 3
for want in "80 160" "40 160" "30 240"; do
    # shellcheck disable=SC2086
    set -- $want
    line=$(grep "\"trains\":$1," "$scratch/summaries")
    check_equal "$1 trains: packets" "$(echo "$line" | json_field packets)" "$2"
    check_equal "$1 trains: lost" "$(echo "$line" | json_field lost)" 0
    check_near "$1 trains: capacity_bps" "$(echo "$line" | json_field capacity_bps)" 10000000 2
done
check_equal "exit status with an estimate" "$status" 0

# One that falls silent ends: its summary comes then, reports leave it out, the receiver goes on.
receive "$scratch/log" --idle 1 -i 0.5
send "$RECEIVER4" -s 1000 -d 20 -c 20
sleep 2.5
kill -0 "$receiver"
check_equal "receiver goes on" $? 0
check_equal "summaries meanwhile" "$(grep -c '"type":"summary"' "$receive_out.json")" 1
check_equal "reports after it" "$(sed '1,/"type":"summary"/d' "$receive_out.json" | wc -l)" 0
timed check_below "reports" "$(grep -c '"type":"interval"' "$receive_out.json")" 6
stop_receiving
check_equal "summaries at the end" "$(grep -c '"type":"summary"' "$receive_out.json")" 1
check_equal "exit status with an estimate" "$status" 0
scratch_clean
test_end

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The log: whole lines through kill -9, none missing that was shown; reopened on SIGHUP; a
# full disk is said once, counted, and does not end the measurement.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"

lab_up --name pplog --rate 10mbit
columns='NF && !/^#/ && NF != 15 { bad++ } END { print bad + 0 }'

in_background "$lab" exec --name pplog snd "$BIN/pptrans" -h "$RECEIVER4" -p "$port" -d 4 -q
torn=0 missing=0
for round in 1 2 3 4 5 6 7 8 9 10; do
    "$lab" exec --name pplog rcv "$BIN/pprec" -p "$port" -o "$scratch/kill" --json \
        >"$scratch/shown" 2>"$scratch/err" &
    receiver=$!
    wait_udp pplog-rcv "$port"
    sleep "0.$((round * 37 % 90 + 10))"
    kill -9 $receiver
    wait $receiver 2>"$scratch/null"
    torn=$((torn + $(awk "$columns" "$scratch/kill")))
    last=$(grep -o '"train":[0-9]*' "$scratch/shown" | tail -n 1 | tr -dc 0-9)
    [ -z "$last" ] || grep -q " $last [0-9]* 2 2 0 " "$scratch/kill" || missing=$((missing + 1))
done
check_equal "lines torn by kill -9" "$torn" 0
check_equal "trains shown but not in the log" "$missing" 0

wait_for() { # COMMAND...: up to 3 s
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
        "$@" && return
        sleep 0.2
    done
}
has_trains() { [ "$(grep -vc '^#' "$1" 2>/dev/null)" -gt 5 ] 2>/dev/null; }

receive "$scratch/log"
wait_for has_trains "$scratch/log"
mv "$scratch/log" "$scratch/log.1"
kill -HUP "$receiver"
wait_for has_trains "$scratch/log"
check_equal "header of the log after SIGHUP" "$(head -n 1 "$scratch/log" | cut -d ' ' -f 1-2)" "# pprec"
check_equal "first train after SIGHUP follows the last before" \
    "$(awk '!/^#/ { print $4; exit }' "$scratch/log")" \
    "$(($(awk '!/^#/ { last = $4 } END { print last }' "$scratch/log.1") + 1))"
stop_receiving

mkdir "$scratch/small"
if mount -t tmpfs -o size=64k tmpfs "$scratch/small"; then
    receive "$scratch/small/log"
    head -c 61440 /dev/zero >"$scratch/small/filler"
    wait_for grep -q "lines are lost" "$receive_out.err"
    sleep 0.3 # time to say it again, wrongly
    check_equal "times the full disk is said" "$(grep -c 'lines are lost' "$receive_out.err")" 1
    check_equal "torn lines on a full disk" "$(awk "$columns" "$scratch/small/log")" 0
    rm "$scratch/small/filler"
    wait_for grep -q "written again" "$receive_out.err"
    check_equal "recovery said" "$(grep -c 'written again' "$receive_out.err")" 1
    stop_receiving
    check_equal "the measurement went on: status" "$status" 0
    check_equal "torn lines after recovery" "$(awk "$columns" "$scratch/small/log")" 0
    umount "$scratch/small"
else
    echo "SKIP test_log: no tmpfs may be mounted here, so no full disk"
fi
scratch_clean
test_end

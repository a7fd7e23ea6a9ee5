#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A reader of standard output, and of standard error with it, that does not read: log, metrics and
# signals go on, records are left out there as a whole and counted, and when he reads again he gets
# what waited for him.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
need curl
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"

at=127.0.0.1:9740
lab_up --name ppstall --rate 10mbit
mkfifo "$scratch/pipe"
exec 7<>"$scratch/pipe" # a reader that does not read

stalled() { # PPREC-OPTIONS...: standard output, and error if it is told so, to whom nobody reads
    rm -f "$scratch/log"
    "$lab" exec --name ppstall rcv "$BIN/pprec" -p "$port" -o "$scratch/log" --log-rate 0 --json "$@" &
    receiver=$!
    lab_jobs="$lab_jobs $receiver"
    wait_udp ppstall-rcv "$port"
}
rows() { grep -vc '^#' "$scratch/log"; }
trains() { sed -n 's/^# {"type":"summary".*"trains":\([0-9]*\),.*/\1/p' "$scratch/log"; }
value() { awk -v name="$1" '$1 == name { print $2 }' "$scratch/page"; }
end_it() { # sets status and seconds
    begun=$(date +%s%N)
    kill "$receiver"
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        kill -0 "$receiver" 2>/dev/null || break
        sleep 0.5
    done
    kill -9 "$receiver" 2>/dev/null && fail "SIGTERM is not heeded"
    received
    seconds=$((($(date +%s%N) - begun) / 1000000000))
}

# --- More than its queue holds, and then he reads ---

stalled --metrics "$at" 7<&- >"$scratch/pipe" 2>"$scratch/err"
send "$RECEIVER4" -s 100 -d 0.2 -c 15000
sleep 0.3
"$lab" exec --name ppstall rcv curl -sS -m 5 "http://$at/metrics" >"$scratch/page"
check_equal "trains in the log while nobody reads, as on the page" "$(rows)" \
    "$(awk '/^pprec_trains_total/ { n += $2 } END { print n + 0 }' "$scratch/page")"
left_out=$(value pprec_output_records_left_out_total)
check_equal "records left out meanwhile, some, by the page" "$((left_out > 0))" 1
check_equal "times that is said" "$(grep -c 'standard output is not read' "$scratch/err")" 1
cat <&7 >"$scratch/shown" &
reader=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
    grep -q 'is read again' "$scratch/err" && break
    sleep 0.3
done
check_equal "he reads again: said, and how many he missed" \
    "$(sed -n 's/.*is read again; \([0-9]*\) records were left out/\1/p' "$scratch/err")" "$left_out"
end_it
sleep 0.3
kill "$reader"
check_equal "status, as not all was shown" "$status" 1
check_equal "lines that are not whole, of $(wc -l <"$scratch/shown")" \
    "$(grep -vc '^{"type":.*}$' "$scratch/shown")" 0
check_equal "trains shown, and left out" \
    "$(($(grep -c '^{"type":"train"' "$scratch/shown") + left_out)) of $(trains)" "$(trains) of $(trains)"
check_equal "left out, by the summary" \
    "$(grep '"type":"summary"' "$scratch/shown" | json_field unshown)" "$left_out"
check_equal "trains in the log" "$(rows)" "$(trains)"

# --- Both outputs stall, and so they do at the end ---

stalled 7<&- >"$scratch/pipe" 2>&1
send "$RECEIVER4" -s 100 -d 2 -c 500
sleep 0.3
check_equal "trains in the log, of 500" "$(rows)" 500
end_it
check_equal "status, summaries in the log" "$status $(trains | wc -l)" "1 1"
timed check_below "seconds to obey SIGTERM" "$seconds" 4
scratch_clean
test_end

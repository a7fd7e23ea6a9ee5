#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Junk at the port while a measurement runs, some of it well-formed probes of made-up
# streams: the measurement keeps its trains and its estimate.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"

seed=${PP_SEED:-$(date +%s)}
echo "# PP_SEED=$seed"
lab_up --name ppjunk --relay "--rate 10m --overhead 0" 2>/dev/null
receive "$scratch/log" --layer 42
"$lab" exec --name ppjunk rcv "$BIN/flood" 127.0.0.1 "$port" 20000 4 "$seed" >"$scratch/flood" &
flood=$!
send "$RECEIVER4" -s 1500 -d 25 -c 160
wait $flood
read -r junk seconds <"$scratch/flood"
stop_receiving

# the measurement is the one stream from the sender's address
grep '"type":"summary"' "$receive_out.json" | grep "\"source\":\"$SENDER4:" >"$scratch/ours"
ours() { json_field "$1" <"$scratch/ours"; }
check_equal "status" "$status" 0
check_equal "trains" "$(ours trains)" 160
check_equal "lost" "$(ours lost)" 0
check_near "capacity_bps beside $junk datagrams of junk in $seconds s" "$(ours capacity_bps)" 10000000 2
awk -v n="$(ours foreign)" -v sent="$junk" 'BEGIN { exit !(n > sent / 2) }' &&
    ok "foreign counted: $(ours foreign)" || fail "foreign counted: $(ours foreign)"
check_equal "dropped here" "$(ours dropped_here)" 0
scratch_clean
test_end

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Junk at the port while a measurement runs, some of it well-formed probes of made-up
# streams: the measurement keeps its trains and its estimate. So does a slow one beside pairs
# of made-up streams that can all be measured, each once; it stays on the metrics page.
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

# --- Streams that are measured, once each ---

at=127.0.0.1:9741
receive "$scratch/log" --layer 42 --metrics "$at"
"$lab" exec --name ppjunk rcv "$BIN/flood" 127.0.0.1 "$port" 9000 10 "$seed" streams >"$scratch/flood" &
flood=$!
"$lab" exec --name ppjunk snd "$BIN/pptrans" -h "$RECEIVER4" -p "$port" -q -n 2 -s 1500 -d 300 -c 30 \
    --spacing uniform >"$scratch/sent"
command -v curl >"$scratch/null" && "$lab" exec --name ppjunk rcv curl -sS "http://$at/metrics" >"$scratch/page"
wait $flood
read -r junk seconds <"$scratch/flood"
stop_receiving
grep '"type":"summary"' "$receive_out.json" | grep "\"source\":\"$SENDER4:" >"$scratch/ours"
check_equal "trains beside $junk made-up packets in $seconds s" "$(ours trains | tr '\n' ' ')" "30 "
check_near "capacity_bps" "$(ours capacity_bps | tail -n 1)" 10000000 5
awk -v n="$(ours refused_crowd)" -v sent="$junk" 'BEGIN { exit !(n > sent / 2) }' &&
    ok "refused: $(ours refused_crowd)" || fail "refused: $(ours refused_crowd)"
if [ -s "$scratch/page" ]; then
    check_equal "on the metrics page" "$(grep -c "^pprec_capacity_bps{source=\"$SENDER4:" "$scratch/page")" 1
    check_equal "refused on the page" "$(grep -c '^pprec_datagrams_refused_total{reason="crowd"} [1-9]' "$scratch/page")" 1
fi
scratch_clean
test_end

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# test_auth.sh [SECONDS [PACKETS_PER_S]]: keys and sources. What is measured with a key at
# both ends, and without one; what is refused, and how it is counted; and a measurement
# with a key under floods of junk, of well-formed probes of a million streams, and of
# tagged ones (default 3 s of each, 500000 a second; PP_SEED).
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"

seconds=${1:-3} rate=${2:-500000}
seed=${PP_SEED:-$(date +%s)}
echo "# PP_SEED=$seed"

make_key() { # NAME: with the commands of the manual
    commands=$(sed -n '/^\.Sh AUTHENTICATION/,/^\.Sh/s/^\.Dl \$ //p' \
        "$lab_dir/../../pptrans/pptrans.1" | sed 's/\\e/\\/g')
    (cd "$scratch" && eval "$commands" && mv probe.key "$1")
    check_equal "key made by the manual's commands: digits, mode" \
        "$(wc -c <"$scratch/$1") $(stat -c %a "$scratch/$1")" "64 600"
}
make_key key
make_key other_key
"$BIN/pptrans" --key-file "$scratch/key" -h 127.0.0.1 -p 9 -c 1 -q 2>&1 | grep -q 'no authentication' &&
    skip "this build has no authentication: libsodium was missing"

# A shaper of the kernel: a relay would want a processor for itself.
lab_up --name ppauth --rate 1mbit --burst 1514 # a frame, as tc counts

# --- Who is believed ---

probe() { # PPTRANS-OPTIONS...: ten pairs, to a receiver that is up
    send "$RECEIVER4" -s 1518 -d 30 -c 10 "$@"
    stop_receiving
}

measures() { # WHAT
    check_equal "$1: status, trains, lost" "$status $(summary trains) $(summary lost)" "0 10 0"
    check_near "$1: capacity_bps" "$(summary capacity_bps)" 1000000 2
}

refuses() { # WHAT REASON
    check_equal "$1: status, summaries" "$status $(grep -c summary "$receive_out.json")" "1 0"
    check_equal "$1: said at once" "$(grep -c "nothing measured yet, but refused .* $2" "$receive_out.err")" 1
    check_equal "$1: said" "$(grep -c "no probes came (0 foreign datagrams; refused 20 $2)" \
        "$receive_out.err")" 1
}

receive "$scratch/log" --layer 42 --key-file "$scratch/key"
probe --key-file "$scratch/key"
measures "a key at both ends"
for reason in untagged bad_tag replayed stale source; do
    check_equal "refused $reason" "$(summary refused_$reason)" 0
done
receive "$scratch/log" --layer 42
probe --key-file "$scratch/key"
measures "a key at the sender alone"
receive "$scratch/log" --key-file "$scratch/key"
probe
refuses "a key at the receiver alone" untagged
receive "$scratch/log" --key-file "$scratch/key"
probe --key-file "$scratch/other_key"
refuses "another key" bad_tag
receive "$scratch/log" --layer 42 --from 2001:db8::/32 --from "$SENDER4"
probe
measures "--from the sender"
receive "$scratch/log" --from 2001:db8::/32 --from 192.0.2.0/24 --from ::/0
probe
refuses "--from others" source

# --- Floods ---

peak_kib() { awk '/^VmHWM:/ { print $2 }' "/proc/$receiver/status" 2>/dev/null; }

flood_with() { # KIND
    receive "$scratch/log" --layer 42 --key-file "$scratch/key"
    "$lab" exec --name ppauth rcv "$BIN/flood" 127.0.0.1 "$port" "$rate" "$seconds" "$seed" "$1" \
        >"$scratch/flood" &
    flood=$!
    send "$RECEIVER4" -s 1518 -d 30 -t "$seconds" --key-file "$scratch/key"
    wait $flood
    memory=$(peak_kib)
    stop_receiving
    read -r sent took <"$scratch/flood"
    with="$1, $(awk -v n="$sent" -v s="$took" 'BEGIN { printf "%.0f", n / s }') a second for $took s"
    check_equal "$with: status, streams" "$status $(grep -c summary "$receive_out.json")" "0 1"
    check_near "$with: capacity_bps" "$(summary capacity_bps)" 1000000 2
    check_below "$with: memory at most (KiB)" "$memory" 65536
    counted=0
    for count in packets foreign dropped_here refused_untagged refused_bad_tag; do
        counted=$((counted + $(summary $count)))
    done
    check_near "$with: counted" "$counted" "$((sent + $(summary packets)))" 1
    echo "# $(summary trains) trains; dropped here $(summary dropped_here), lost $(summary lost), foreign" \
        "$(summary foreign), untagged $(summary refused_untagged), bad_tag $(summary refused_bad_tag)"
}

flood_with junk
flood_with streams
flood_with tagged
scratch_clean
test_end

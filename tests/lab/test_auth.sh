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
    check_equal "$1: said" "$(grep -c "no probes were taken (0 foreign datagrams; refused 20 $2)" \
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

# --- To whom ---

start_at() { # PORT PPREC-OPTIONS...: with the key, in the background
    start_port=$1
    shift
    "$lab" exec --name ppauth rcv "$BIN/pprec" -p "$start_port" -q --json --key-file "$scratch/key" "$@" \
        >"$scratch/at.$start_port" 2>"$scratch/err.$start_port" &
    eval "at_$start_port=$!"
    lab_jobs="$lab_jobs $!"
    wait_udp "$RECEIVER_NS" "$start_port"
}
stop_at() { # PORT
    sleep 0.2
    eval "kill -TERM \$at_$1; wait \$at_$1"
}
trains_at() { # PORT
    grep '"type":"summary"' "$scratch/at.$1" | json_field trains
}
refused_at() { # PORT: how many, and why
    sed -n 's/.*no probes were taken (0 foreign datagrams; refused \(.*\))$/\1/p' "$scratch/err.$1"
}

# What is sent to port 9000 is copied to two receivers with the same key. Of the one it is as if a NAT
# had done that, and it is told so; what it takes passes once, over a restart, too.
in_background "$lab" exec --name ppauth rcv "$BIN/copy" "$port" 9001 9002 2>"$scratch/copy"
copier=$job
wait_udp "$RECEIVER_NS" "$port"
start_at 9001
start_at 9002 --sent-to "$RECEIVER4:$port" --state "$scratch/state"
send "$RECEIVER4" -s 1518 -d 30 -c 10 --key-file "$scratch/key"
stop_at 9001
stop_at 9002
check_equal "copied to another receiver with the key: refused" "$(refused_at 9001)" "20 bad_tag"
check_equal "copied to where a NAT would: trains" "$(trains_at 9002)" 10
send_again() { # WHAT PPREC-OPTIONS...
    start_at 9002 --sent-to "$RECEIVER4:$port" "$@"
    kill -USR1 "$copier"
    stop_at 9002
}
send_again --state "$scratch/state"
check_equal "all sent again after a restart: refused" "$(refused_at 9002)" "20 replayed"
send_again
check_equal "without a state file: trains" "$(trains_at 9002)" 10
printf x >>"$scratch/state"
"$BIN/pprec" -p 9003 --key-file "$scratch/key" --state "$scratch/state" -t 1 2>"$scratch/err"
check_equal "a damaged state file: status, lines, words" \
    "$? $(wc -l <"$scratch/err") $(grep -c 'state.: damaged, or of another key' "$scratch/err")" "2 1 1"
kill "$copier"
wait "$copier" 2>/dev/null
for family in 4 6; do
    eval "address=\$RECEIVER$family"
    receive "$scratch/log" --key-file "$scratch/key"
    send "$address" -s 1518 -d 30 -c 10 --key-file "$scratch/key"
    stop_receiving
    check_equal "IPv$family to a socket for both: trains" "$(summary trains)" 10
done

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

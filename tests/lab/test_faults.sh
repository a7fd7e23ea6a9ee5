#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Faults of months: addresses, links and interfaces that go and come back, a smaller MTU, no
# buffers, either side stopped for a while, few descriptors, little memory, made-up streams. What
# is not measured is counted, with its reason, and what follows is measured again.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"

lab_up --name ppfault --rate 10mbit --limit 200000
snd() { ip -n ppfault-snd "$@"; }

pid_of() { # NODE PROGRAM: in this lab
    for it in $(ip netns pids "ppfault-$1"); do
        [ "$(cat "/proc/$it/comm" 2>/dev/null)" != "$2" ] || echo "$it"
    done
}
send_json() { # ADDRESS PPTRANS-OPTIONS...: in the background, its totals in $scratch/sent
    send_to=$1
    shift
    "$lab" exec --name ppfault snd "$BIN/pptrans" -h "$send_to" -p "$port" --json -q -n 2 "$@" >"$scratch/sent" &
    sender=$!
    lab_jobs="$lab_jobs $sender"
}
sent() { # KEY: of the totals of a sender that has ended
    grep '"type":"totals"' "$scratch/sent" | sed 's/"reasons":[^]]*\],//' | json_field "$1"
}
reasons() { grep -o '"reasons":\[[^]]*\]' "$scratch/sent"; }
both_end() {
    wait "$sender"
    stop_receiving
}
check_more() { # WHAT ACTUAL LEAST
    if [ "${2:-0}" -ge "$3" ]; then ok "$1 $2 ($3 or more)"; else fail "$1 ${2:-nothing}, not $3 or more"; fi
}
now_ms() { date +%s%3N; }
least() { if [ "$1" -lt "$2" ]; then echo "$1"; else echo "$2"; fi; }
# Ends both. Every packet that the sender's kernel took is received, lost or dropped here, and none
# besides is missed.
check_sums() { # WHAT
    both_end
    check_equal "$1: packets received, lost, dropped here, beside those that the sender's kernel took" \
        "$(($(summary packets) + $(summary lost) + $(summary dropped_here)))" "$(sent packets)"
    check_equal "$1: packets taken and refused by the sender's kernel" \
        "$(($(sent packets) + $(sent refused)))" "$((2 * $(sent trains)))"
}

# --- The sender's address, MTU and link ---

receive "$scratch/log"
send_json "$RECEIVER4" -s 1500 -d 10 -t 3.5
sleep 0.4
snd address del "$SENDER4/24" dev out
sleep 0.4
snd address add "$SENDER4/24" dev out
snd route replace default via 10.77.0.2 dev out
sleep 0.4
snd link set out mtu 800
sleep 0.4
snd link set out mtu 1500
sleep 0.4
snd link set out down
sleep 0.4
snd link set out up
snd route replace default via 10.77.0.2 dev out
snd neigh replace 10.77.0.2 lladdr 02:70:70:00:00:02 dev out
check_sums "address gone, MTU, link down"
for reason in "Network is unreachable" "Message too long"; do
    check_equal "refused, and why: $reason" "$(reasons | grep -c "$reason")" 1
done
check_equal "the last train comes again" \
    "$(awk '!/^#/ { last = $4 } END { print last }' "$scratch/log")" "$(($(sent trains) - 1))"
check_near "capacity after all that" "$(summary capacity_bps)" 10000000 4

# --- What the sender's kernel refuses was not sent, and is not lost ---

receive "$scratch/log"
send_json "$RECEIVER4" -s 1500 -d 10 -t 1.2
sleep 0.4
snd link set out mtu 800
sleep 0.4
snd link set out mtu 1500
check_sums "a smaller MTU for a while"
check_more "a smaller MTU for a while: refused" "$(sent refused)" 20
check_equal "a smaller MTU for a while: lost" "$(summary lost)" 0

# --- An interface that both are bound to, and a capture ---

plug() {
    snd link add plug type veth peer name gulp
    snd address add 10.99.0.1/24 dev plug
    snd link set plug up
    snd link set gulp up
    snd neigh replace 10.99.0.2 lladdr 02:00:00:00:00:09 dev plug
}
plug
"$lab" exec --name ppfault snd "$BIN/pprec" -C plug -q -o "$scratch/captured" >"$scratch/out" 2>"$scratch/err" &
captor=$!
lab_jobs="$lab_jobs $captor"
send_json 10.99.0.2 -I plug -d 10 -t 2.6
sleep 0.6
down_at=$(grep -vc '^#' "$scratch/captured")
snd link set plug down
sleep 0.3
snd link set plug up
snd neigh replace 10.99.0.2 lladdr 02:00:00:00:00:09 dev plug
sleep 0.5
trains=$(grep -vc '^#' "$scratch/captured")
check_more "captured after the link was down: trains" "$((trains - down_at))" 5
snd link delete plug
wait $captor
check_equal "captured interface gone: status, words" "$? $(tail -n 1 "$scratch/err")" \
    "1 pprec: capture on plug: The interface disappeared"
plug
snd neigh replace 10.99.0.2 lladdr 02:00:00:00:00:09 dev plug
before=$(snd -s link show plug | awk '/TX:/ { getline; print $2 }')
wait "$sender"
check_more "sent through the interface that came back: packets" \
    "$(($(snd -s link show plug | awk '/TX:/ { getline; print $2 }') - before))" 10
check_equal "refused, and why: No such device" "$(reasons | grep -c 'No such device')" 1

# --- No buffers ---

if strace -o "$scratch/try" true 2>/dev/null; then
    receive "$scratch/log"
    "$lab" exec --name ppfault snd strace -o "$scratch/trace" -e trace=sendmmsg \
        -e inject=sendmmsg:error=ENOBUFS:when=5..14 "$BIN/pptrans" -h "$RECEIVER4" -p "$port" --json -q \
        -n 2 -d 10 -c 50 >"$scratch/sent" &
    sender=$!
    check_sums "no buffers"
    check_equal "refused, and why: No buffer space available" \
        "$(reasons)" '"reasons":[{"errno":105,"text":"No buffer space available","packets":20}]'
    check_equal "no buffers: lost" "$(summary lost)" 0

    # no filter: what strace makes of the call is none that there is
    "$lab" exec --name ppfault rcv strace -o "$scratch/trace" -e trace=recvmmsg \
        -e inject=recvmmsg:error=ENOMEM:when=3..9 "$BIN/pprec" -p "$port" -q --json -c 45 --confine off \
        >"$receive_out.json" 2>"$scratch/err" &
    receiver=$!
    lab_jobs="$lab_jobs $receiver"
    wait_udp "$RECEIVER_NS" "$port"
    send "$RECEIVER4" -d 10 -c 50
    received
    check_equal "no memory to receive into for a while: times, status, trains" \
        "$(grep -c INJECTED "$scratch/trace") $status $(($(summary trains) >= 45))" "7 0 1"
else
    echo "SKIP test_faults: strace is missing, or may not trace: no ENOBUFS"
fi

# --- Stopped and continued; what this host drops is not the network's loss ---

receive "$scratch/log"
began_ms=$(now_ms)
# 12800 packets/s; Poisson times make 265 +- 16 trains of what is left, uniform ones +- 1
send_json "$RECEIVER4" -s 64 -n 256 -d 20 -t 6 --spacing uniform
sleep 0.5
it=$(pid_of rcv pprec)
kill -STOP "$it"
sleep 1.5
kill -CONT "$it"
sleep 0.5
it=$(pid_of snd pptrans)
kill -STOP "$it"
stopped_ms=$(now_ms)
sleep 0.7
still_ms=$(($(least "$(now_ms)" $((began_ms + 6000))) - stopped_ms))
kill -CONT "$it"
both_end
trains=$(sent trains)
check_equal "both stopped: packets received and dropped here" \
    "$(($(summary packets) + $(summary dropped_here)))" "$((256 * trains))"
check_equal "both stopped: lost by the network" "$(summary lost)" 0
check_more "both stopped: dropped here" "$(summary dropped_here)" 1
timed check_more "stopped within its 6 s, for ms" "$still_ms" 400
check_below "a sender that was stopped does not catch up: trains" "$trains" $((300 - still_ms / 20 + 5))

# --- Descriptors and memory ---

for limit in 4 5 6 7 8; do
    prlimit --nofile=$limit "$BIN/pprec" -p "$port" -q -t 0.1 -o "$scratch/few" 2>"$scratch/few.err"
    status=$?
    grep -v 'run by root' "$scratch/few.err" >"$scratch/err"
    check_equal "$limit descriptors: status, lines, words" \
        "$status $(wc -l <"$scratch/err") $(grep -c 'pprec: .*: Too many open files' "$scratch/err")" "2 1 1"
done
receive "$scratch/log"
it=$(pid_of rcv pprec)
send_json "$RECEIVER4" -d 10 -t 2
sleep 0.3
prlimit --pid "$it" --nofile=3
kill -HUP "$it"
prlimit --pid "$it" --as="$(awk '/VmSize/ { print $2 * 1024 }' "/proc/$it/status")"
"$lab" exec --name ppfault rcv "$BIN/flood" 127.0.0.1 "$port" 20000 1 1 ids >"$scratch/made-up"
check_equal "no descriptor to reopen the log with: said" \
    "$(grep -c 'Too many open files; the old file stays open' "$receive_out.err")" 1
both_end
check_equal "no memory for more streams: trains" \
    "$(grep "\"source\":\"$SENDER4:" "$receive_out.json" | json_field trains)" "$(sent trains)"
check_equal "no memory for more streams: remembered, foreign and refused" \
    "$(($(grep -c '"source":"127' "$receive_out.json") + $(summary foreign) + $(summary refused_crowd)))" \
    "$(cut -d ' ' -f 1 "$scratch/made-up")"
check_below "no memory for more streams: of 20000 remembered" "$(wc -l <"$receive_out.json")" 1024

# --- 100 000 made-up streams a second ---

receive "$scratch/log"
it=$(pid_of rcv pprec)
send_json "$RECEIVER4" -s 1500 -d 20 -t 3
sleep 0.3
"$lab" exec --name ppfault rcv "$BIN/flood" 127.0.0.1 "$port" 100000 2 1 ids >"$scratch/made-up"
check_more "made-up streams in 2 s, 100 000 a second if this host can," "$(cut -d ' ' -f 1 "$scratch/made-up")" 40000
check_below "resident memory with them (KiB)" "$(awk '/VmHWM/ { print $2 }' "/proc/$it/status")" 16384
both_end
trains=$(sent trains)
grep "\"source\":\"$SENDER4:" "$receive_out.json" >"$scratch/ours"
missed=$((2 * trains - $(json_field packets <"$scratch/ours") - $(json_field lost <"$scratch/ours")))
dropped=$(json_field dropped_here <"$scratch/ours")
check_equal "packets of the measurement missed beside them ($missed), beyond the $dropped dropped here" \
    "$((missed > dropped ? missed - dropped : 0))" 0
check_near "capacity beside them" "$(json_field capacity_bps <"$scratch/ours")" 10000000 4
check_equal "streams remembered: ours, and 256 of that address" "$(wc -l <"$receive_out.json")" 257
scratch_clean
test_end

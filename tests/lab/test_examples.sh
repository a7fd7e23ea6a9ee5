#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The small examples print the capacity of a 10 Mbit/s link: of an RTP stream, read in two ways, once from
# a port that it shares with audio, RTCP and STUN, and of pptrans' trains in a poll() loop; inside
# srt-live-transmit the preloaded one that of 10 and 50 Mbit/s; and a sender that obeys its receiver
# fills 10 Mbit/s, leaves others what they send, and takes it again.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"

lab_up --name ppexample --rate 10mbit

example() { # NAME PORT; sets example_job
    ip netns exec "$RECEIVER_NS" stdbuf -oL "$BIN/$1" >"$scratch/$1" &
    example_job=$!
    lab_jobs="$lab_jobs $example_job"
    wait_udp "$RECEIVER_NS" "$2"
}

# The bucket's 26 bytes beyond a frame make the second frame of a pair 1.7 % early.
check_last() { # NAME LEAST
    kill "$example_job"
    check_near "$1: last of $(wc -l <"$scratch/$1") estimates, Mbit/s" \
        "$(tail -n 1 "$scratch/$1" | cut -d ' ' -f 1)" 10 4
    check_below "$1: $2 less its estimates" $(($2 - $(wc -l <"$scratch/$1"))) 0
}

# 50 packets a second of G.711 (RFC 3551), and beside them a report and a binding request
audio() {
    ip netns exec "$SENDER_NS" perl -MIO::Socket::INET -e '
        $to = IO::Socket::INET->new(Proto => "udp", PeerAddr => "$ARGV[0]:5004") or die $@;
        for ($i = 0; $i < 250; $i++) {
            $to->send(pack("CCnNN", 0x80, 0, $i, $i * 160, 0xa0d10) . "\0" x 160);
            $to->send(pack("CCnN", 0x81, 201, 7, 1) . "\0" x 24);
            $to->send(pack("nnN", 1, 0, 0x2112a442) . "\0" x 12);
            select undef, undef, undef, 0.02 }' "$RECEIVER4" &
    lab_jobs="$lab_jobs $!"
}

example rtp 5004
audio
ip netns exec "$SENDER_NS" "$BIN/layered_send" "$SENDER4" 5 "$RECEIVER4"
check_last rtp 40
if [ -x "$BIN/libuv" ]; then
    example libuv 5004
    ip netns exec "$SENDER_NS" "$BIN/layered_send" "$SENDER4" 5 "$RECEIVER4"
    check_last libuv 20 # an interval of 100 ms ends with a later packet
else
    echo "SKIP test_examples: libuv: it is not built without libuv's headers (libuv1-dev)"
fi
example poll 9000
send "$RECEIVER4" -s 1518 -d 50 -c 60
check_last poll 40
lab_down ppexample

# --- Inside a program that knows nothing of it ---

bursts() { # MBIT SECONDS: ten SRT payloads at a time, to standard output
    perl -e '$| = 1; $all = $ARGV[0] * 1e6 / 8 * $ARGV[1]; $pause = 13160 * 8 / $ARGV[0] / 1e6;
        for ($sent = 0; $sent < $all; $sent += 13160) {
            syswrite STDOUT, "\0" x 13160; select undef, undef, undef, $pause }' "$1" "$2"
}

srt() { # MEDIA_MBIT LINK_MBIT
    lab_up --name ppexample --relay "--rate ${2}m --overhead 0 --all --queue 100p" 2>"$scratch/null"
    in_background "$lab" exec --name ppexample rcv env LD_PRELOAD="$BIN/srt_preload.so" \
        PPREC_OUT="$scratch/srt-$2" PPREC_LAYER=42 srt-live-transmit 'srt://:5000?mode=listener' \
        file://con >"$scratch/null" 2>"$scratch/srt.err"
    wait_udp ppexample-rcv 5000
    # at the end of its input it stays: hence the timeout
    bursts "$1" 5 | timeout 5 "$lab" exec --name ppexample snd srt-live-transmit -chunk:1316 file://con \
        "srt://$RECEIVER4:5000" >"$scratch/null" 2>"$scratch/srt.snd.err"
    sleep 0.2
    kill "$job"
    lab_down ppexample
    check_near "srt_preload, $1 Mbit/s of SRT over $2: Mbit/s" \
        "$(tail -n 1 "$scratch/srt-$2" | cut -d ' ' -f 1)" "$2" 1
}

if command -v srt-live-transmit >"$scratch/null"; then
    srt 3 10
    srt 5 50
else
    echo "SKIP test_examples: srt_preload: no srt-live-transmit (srt-tools)"
fi

# --- Capacity as the cap, queueing delay as the brake ---

# Lines of rate_receive: seconds target_kbps received_kbps capacity_kbps state queueing_ms lost
over() { # FROM TO COLUMN: its mean between these seconds
    awk -v from="$1" -v to="$2" -v column="$3" '$1 > from && $1 <= to { sum += $column; count++ }
        END { if (count) printf "%.1f\n", sum / count }' "$scratch/rate"
}

share() { # PART WHOLE: in percent
    awk -v part="$1" -v whole="$2" 'BEGIN { if (part != "" && whole + 0 > 0) printf "%.1f\n", part * 100 / whole }'
}

at_least() { # WHAT ACTUAL LEAST
    if awk -v is="$2" -v least="$3" 'BEGIN { exit !(is ~ /^[0-9]/ && is + 0 >= least + 0) }'
    then ok "$1 $2 (at least $3)"; else fail "$1 ${2:-nothing}, not at least $3"; fi
}

# 12 s alone, 12 s beside 4 Mbit/s of UDP that yields to nobody, and alone again. Rates are of UDP
# payload: 1200 of 1246 bytes for us, and of what iperf3 sends 1448 of 1494.
fill_and_yield() {
    lab_up --name ppexample --relay "--rate 10m --all --queue 150p" 2>"$scratch/null"
    in_background "$lab" exec --name ppexample rcv "$BIN/rate_receive" 37 >"$scratch/rate"
    receiving=$job
    wait_udp ppexample-rcv 5006
    in_background "$lab" exec --name ppexample rcv iperf3 -s >"$scratch/null" 2>&1
    in_background "$lab" exec --name ppexample snd "$BIN/rate_send" "$RECEIVER4" 36
    sleep 12
    "$lab" exec --name ppexample snd iperf3 -c "$RECEIVER4" -u -b 4M -l 1448 -t 12 >"$scratch/iperf"
    wait "$receiving"
    lab_down ppexample
    room=$(awk 'BEGIN { print 10000 * 1200 / 1246 }') left=$(awk 'BEGIN { print (10000 - 4000 * 1494 / 1448) * 1200 / 1246 }')
    check_near "rate: capacity, kbit/s" "$(over 8 12 4)" "$room" 2
    timed at_least "rate: alone it fills % of that" "$(share "$(over 8 12 3)" "$room")" 85
    # half of the 32 ms that a frame takes, which the last of its packets wait for the first
    timed check_below "rate: alone, ms of queue" "$(over 8 12 6)" 25
    timed at_least "rate: beside 4 Mbit/s it fills % of what is left" "$(share "$(over 16 24 3)" "$left")" 75
    timed check_below "rate: beside 4 Mbit/s, % of what is left" "$(share "$(over 16 24 3)" "$left")" 100
    timed check_below "rate: beside 4 Mbit/s, ms of queue" "$(over 16 24 6)" 40
    timed at_least "rate: alone again it fills % of the link" "$(share "$(over 31 36 3)" "$room")" 85
    timed check_below "rate: packets lost of $(awk '{ n += $3 } END { printf "%.0f", n / 2 / 9.6 }' "$scratch/rate")" \
        "$(awk '{ lost += $7 } END { print lost }' "$scratch/rate")" 20
}

if command -v iperf3 >"$scratch/null"; then
    fill_and_yield
else
    echo "SKIP test_examples: rate: no iperf3 for the traffic of others"
fi
scratch_clean
test_end

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The small examples print the capacity of a 10 Mbit/s link: of an RTP stream that shares its port
# with audio, RTCP and STUN, and of pptrans' trains in a poll() loop.
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
check_last() { # NAME
    kill "$example_job"
    check_near "$1: last of $(wc -l <"$scratch/$1") estimates, Mbit/s" \
        "$(tail -n 1 "$scratch/$1" | cut -d ' ' -f 1)" 10 4
    check_below "$1: 40 less its estimates" $((40 - $(wc -l <"$scratch/$1"))) 0
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
check_last rtp
example poll 9000
send "$RECEIVER4" -s 1518 -d 50 -c 60
check_last poll
scratch_clean
test_end

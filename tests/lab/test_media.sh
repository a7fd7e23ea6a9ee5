#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Traffic of others, from a capture alone: SRT (srt-live-transmit), RTP (GStreamer), TCP (iperf3).
# RTP also from the port that it is sent to.
# PP_KEEP=DIR keeps the captures there.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"
need_tcpdump

path() { # MBIT
    mbit=$1
    lab_up --name ppmedia --relay "--rate ${mbit}m --overhead 0 --all --queue 100p" 2>/dev/null
}

capture_of() { # NAME: of what comes in; a header is enough
    name=$1
    capture "$RECEIVER_NS" "$RECEIVER_IF" "$scratch/$name.pcap" -s 96
}

analyse() { # KIND
    capture_end
    "$BIN/pprec" -r "$scratch/$name.pcap" --expect "$1" --layer 42 --top 1 -q --json \
        >"$scratch/summary.json" 2>"$scratch/pprec.err"
    check_equal "$name: kind" "$(json_field kind <"$scratch/summary.json")" "$1"
    [ "$1" = srt ] || # its pairs are known to leave back to back; of the others nothing is
        check_equal "$name: state" "$(json_field state <"$scratch/summary.json")" tentative
    check_near "$name: capacity_bps" "$(json_field capacity_bps <"$scratch/summary.json")" "${mbit}000000" 5
    [ -z "${PP_KEEP-}" ] || cp "$scratch/$name.pcap" "$PP_KEEP"
    lab_down ppmedia
}

figures() { # FILE: of a summary
    for key in capacity_bps low_bps high_bps state why trains usable packets lost; do json_field "$key" <"$1"; done | tr "\n" " "
}

bursts() { # MBIT SECONDS: ten SRT payloads at a time, to standard output
    perl -e '$| = 1; $all = $ARGV[0] * 1e6 / 8 * $ARGV[1]; $pause = 13160 * 8 / $ARGV[0] / 1e6;
        for ($sent = 0; $sent < $all; $sent += 13160) {
            syswrite STDOUT, "\0" x 13160; select undef, undef, undef, $pause }' "$1" "$2"
}

srt() { # MEDIA_MBIT LINK_MBIT
    command -v srt-live-transmit >/dev/null || { echo "SKIP test_media: no srt-live-transmit"; return; }
    path "$2"
    capture_of "srt-$1-over-$2"
    in_background "$lab" exec --name ppmedia rcv srt-live-transmit -s 100 -pf csv \
        -statsout "$scratch/srt.csv" 'srt://:5000?mode=listener' file://con \
        >"$scratch/null" 2>"$scratch/srt.err"
    wait_udp ppmedia-rcv 5000
    # at the end of its input it stays: hence the timeout
    bursts "$1" 4 | timeout 4 "$lab" exec --name ppmedia snd srt-live-transmit -chunk:1316 file://con \
        "srt://$RECEIVER4:5000" >"$scratch/null" 2>"$scratch/srt.snd.err"
    sleep 0.2
    kill "$job"
    analyse srt
    awk -F, 'NR > 1 && $9 > 0 { print $9 }' "$scratch/srt.csv" | sort -n | awk -v name="$name" '
        { all[NR] = $1 } END { if (NR) printf "# %s: SRT itself says %s to %s, median %s Mbit/s\n",
            name, all[1], all[NR], all[int((NR + 1) / 2)] }'
}

rtp() { # LINK_MBIT
    command -v gst-launch-1.0 >/dev/null || { echo "SKIP test_media: no gst-launch-1.0"; return; }
    path "$1"
    capture_of "rtp-over-$1"
    in_background "$lab" exec --name ppmedia rcv "$BIN/pprec" -p 5004 --expect rtp --layer 42 -q --json \
        >"$scratch/live.json" 2>"$scratch/live.err"
    wait_udp ppmedia-rcv 5004
    timeout 10 "$lab" exec --name ppmedia snd gst-launch-1.0 -q videotestsrc is-live=true pattern=snow \
        num-buffers=45 ! video/x-raw,format=I420,width=320,height=240,framerate=15/1 ! \
        jpegenc quality=20 ! rtpjpegpay mtu=1400 ! udpsink host="$RECEIVER4" port=5004 \
        >"$scratch/null" 2>"$scratch/gst.err"
    sleep 0.2
    kill -TERM "$job"
    wait "$job"
    check_equal "$name, on the port: kind" "$(json_field kind <"$scratch/live.json")" rtp
    check_near "$name, on the port: capacity_bps" "$(json_field capacity_bps <"$scratch/live.json")" "${mbit}000000" 5
    analyse rtp
    check_equal "$name: on the port as from the capture, to the digit" \
        "$(figures "$scratch/live.json")" "$(figures "$scratch/summary.json")"
}

tcp() { # LINK_MBIT
    command -v iperf3 >/dev/null || { echo "SKIP test_media: no iperf3"; return; }
    path "$1"
    capture_of "tcp-over-$1"
    in_background "$lab" exec --name ppmedia rcv iperf3 -s -1 >"$scratch/null" 2>&1
    for _ in 1 2 3 4 5; do
        sleep 0.2 # until it listens
        timeout 10 "$lab" exec --name ppmedia snd iperf3 -c "$RECEIVER4" -t 3 >"$scratch/iperf" && break
    done
    analyse flow
}

srt 3 10
srt 5 50
srt 10 100
rtp 10
rtp 50
tcp 10
tcp 100
scratch_clean
test_end

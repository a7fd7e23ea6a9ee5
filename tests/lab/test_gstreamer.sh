#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The GStreamer element: in a harness, by gst-inspect-1.0, and behind udpsrc with H.264 that comes over
# links of known rates; without the kernel's stamps it says so.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"

need gst-launch-1.0 gst-inspect-1.0
[ -x "$BIN/gstreamer" ] || skip "the element is not built: make deps-gstreamer lab-programs"
GST_PLUGIN_PATH=${GST_PLUGIN_PATH:-$BIN/../gstreamer}
GST_REGISTRY=$scratch/registry
export GST_PLUGIN_PATH GST_REGISTRY
gst-inspect-1.0 x264enc >"$scratch/null" 2>&1 ||
    skip "no x264enc (gstreamer1.0-plugins-ugly): make deps-gstreamer"

harness() {
    "$BIN/gstreamer" >"$scratch/harness" 2>&1
    check_equal "harness: exit status" $? 0
    grep -v '^ok' "$scratch/harness" # failures, and whatever GStreamer warns of
    check_equal "harness: lines that are not ok" "$(grep -vc '^ok' "$scratch/harness")" 0
}

inspect() {
    gst-inspect-1.0 pprec >"$scratch/inspect" 2>"$scratch/inspect.err"
    check_equal "gst-inspect-1.0: exit status" $? 0
    check_equal "gst-inspect-1.0: lines of complaint" "$(wc -l <"$scratch/inspect.err")" 0
}

start_receiving() { # NAME UDPSRC-OPTION
    name=$1
    in_background "$lab" exec --name ppgst rcv gst-launch-1.0 -m udpsrc port=5004 buffer-size=1000000 \
        "$2" caps=application/x-rtp,media=video,encoding-name=H264,clock-rate=90000,payload=96 ! \
        pprec layer=42 ! rtph264depay ! fakesink sync=false >"$scratch/$name" 2>&1
    receiving=$job
    wait_udp ppgst-rcv 5004
}

send_video() { # FRAMES
    timeout 20 "$lab" exec --name ppgst snd gst-launch-1.0 -q videotestsrc is-live=true pattern=snow \
        num-buffers="$1" ! video/x-raw,format=I420,width=320,height=240,framerate=30/1 ! \
        x264enc tune=zerolatency speed-preset=ultrafast bitrate=3000 key-int-max=60 ! \
        rtph264pay mtu=1400 ! udpsink host="$RECEIVER4" port=5004 >"$scratch/null" 2>"$scratch/send.err"
}

stop_receiving() {
    sleep 0.3
    kill "$receiving"
    wait "$receiving" 2>/dev/null
}

told() { # FIELD: of the last message
    grep -o ' pprec, .*' "$scratch/$name" | tail -n 1 | sed -n "s/.*[ ,]$1=([a-z0-9]*)\([^,;]*\).*/\1/p"
}

video() { # MBIT
    lab_up --name ppgst --relay "--rate ${1}m --overhead 0 --all --queue 200p" 2>"$scratch/null"
    start_receiving "video-$1" socket-timestamp=realtime
    send_video 150
    stop_receiving
    lab_down ppgst
    check_near "$1 Mbit/s: capacity of $(grep -c ' pprec, ' "$scratch/$name") messages" \
        "$(told capacity)" "${1}000000" 3
    # Of H.264 no send times are known. On a busy host frames may look paced: the rate is a bound then.
    check_equal "$1 Mbit/s: sure ($(told state), $(told why))" "$(told sure)" false
    check_equal "$1 Mbit/s: lost" "$(told lost)" 0
    check_equal "$1 Mbit/s: buffers without a stamp" "$(told unstamped)" 0
    check_equal "$1 Mbit/s: warnings" "$(grep -c '^WARNING' "$scratch/$name")" 0
}

# 5 s at ten a second.
messages_are_bounded() {
    check_below "messages in 5 s" "$(grep -c ' pprec, ' "$scratch/$name")" 54
}

complains_of_late_stamps() {
    lab_up --name ppgst --relay "--rate 10m --overhead 0 --all --queue 200p" 2>"$scratch/null"
    start_receiving late socket-timestamp=disabled
    send_video 15
    stop_receiving
    lab_down ppgst
    check_equal "without the kernel's stamps: warnings" "$(grep -c 'set socket-timestamp=realtime' "$scratch/$name")" 1
}

harness
inspect
video 5
video 10
video 50
messages_are_bounded
complains_of_late_stamps
scratch_clean
test_end

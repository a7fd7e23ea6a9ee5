#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Traffic of others' measuring programs that tells when it was made: UDP of iperf3 and iperf, from a capture
# and from the port, beside the true rate of the relay.
# PP_KEEP=DIR keeps the captures there.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"
need_tcpdump

path() { # NAME MBIT
    name=$1 mbit=$2
    lab_up --name ppmeters --relay "--rate ${mbit}m --overhead 0 --all --queue 200p" 2>/dev/null
    capture "$RECEIVER_NS" "$RECEIVER_IF" "$scratch/$name.pcap" -s 96
}

# paced below the link: a bound; but a host that holds packets up lets some go together, which show the link
paced="sender_limited insufficient tentative converged shaped"

# One of those states; a bound is below the rate.
analyse() { # STATES
    sleep 0.2
    capture_end
    "$BIN/pprec" "$scratch/$name.pcap" --expect iperf --layer 42 --top 1 -q --json \
        >"$scratch/summary.json" 2>"$scratch/pprec.err"
    [ -z "${PP_KEEP-}" ] || cp "$scratch/$name.pcap" "$PP_KEEP"
    lab_down ppmeters
    state=$(json_field state <"$scratch/summary.json")
    capacity=$(json_field capacity_bps <"$scratch/summary.json")
    echo "# $name: $(json_field trains <"$scratch/summary.json") trains, $state $capacity of ${mbit}000000," \
        "$(json_field low_bps <"$scratch/summary.json") to $(json_field high_bps <"$scratch/summary.json")"
    check_equal "$name: kind" "$(json_field kind <"$scratch/summary.json")" iperf
    case " $1 " in
    *" $state "*) ok "$name: state $state" ;;
    *) timed fail "$name: state $state, want one of $1" ;;
    esac
    if [ "$1" = "$paced" ] && [ "$state" != sender_limited ] && ! is_sure "$state"; then
        return
    elif [ "$state" = sender_limited ]; then
        check_below "$name: a bound" "$capacity" "$(awk -v m="$mbit" 'BEGIN { print m * 1.05e6 }')"
    else
        check_near "$name: capacity_bps" "$capacity" "${mbit}000000" 5
    fi
}

iperf3_udp() { # NAME MBIT STATES OPTIONS...
    command -v iperf3 >/dev/null || { echo "SKIP test_meters: no iperf3"; return; }
    path "$1" "$2"
    states=$3
    shift 3
    in_background "$lab" exec --name ppmeters rcv iperf3 -s -1 >"$scratch/null" 2>&1
    for _ in 1 2 3 4 5; do
        sleep 0.2 # until it listens
        timeout 15 "$lab" exec --name ppmeters snd iperf3 -u -c "$RECEIVER4" -l 1400 "$@" >"$scratch/iperf" 2>&1 && break
    done
    analyse "$states"
}

iperf2_udp() { # NAME MBIT STATES OPTIONS...
    command -v iperf >/dev/null || { echo "SKIP test_meters: no iperf"; return; }
    path "$1" "$2"
    states=$3
    shift 3
    in_background "$lab" exec --name ppmeters rcv iperf -s -u >"$scratch/null" 2>&1
    wait_udp ppmeters-rcv 5001
    timeout 15 "$lab" exec --name ppmeters snd iperf -u -c "$RECEIVER4" -l 1400 "$@" >"$scratch/iperf" 2>&1
    kill "$job"
    analyse "$states"
}

# Its client sends whether anybody answers or not.
iperf2_to_us() { # MBIT OPTIONS...
    command -v iperf >/dev/null || return
    path iperf2-on-the-port "$1"
    shift
    in_background "$lab" exec --name ppmeters rcv "$BIN/pprec" -p 5001 --expect iperf --layer 42 -q --json \
        >"$scratch/live.json" 2>"$scratch/live.err"
    wait_udp ppmeters-rcv 5001
    timeout 15 "$lab" exec --name ppmeters snd iperf -u -c "$RECEIVER4" -l 1400 "$@" >"$scratch/iperf" 2>&1
    kill -TERM "$job"
    wait "$job"
    check_equal "$name: kind" "$(json_field kind <"$scratch/live.json")" iperf
    check_near "$name: capacity_bps, $(json_field state <"$scratch/live.json")" \
        "$(json_field capacity_bps <"$scratch/live.json")" "${mbit}000000" 5
    analyse "$sure"
}

sure="converged shaped tentative"
# in bursts of 20 ms: 14 packets, and 71
iperf3_udp iperf3-bursts-10 10 "$sure" -b 5M -t 4 --pacing-timer 20000
iperf3_udp iperf3-bursts-100 100 "$sure" -b 30M -t 4 --pacing-timer 10000
iperf3_udp iperf3-64bit-10 10 "$sure" -b 5M -t 4 --pacing-timer 20000 --udp-counters-64bit
iperf3_udp iperf3-paced-50 50 "$paced" -b 10M -t 3
# more than the link carries: its queue never empties
iperf3_udp iperf3-over-10 10 "$sure sender_limited ambiguous policed" -b 15M -t 3
iperf2_udp iperf2-frames-10 10 "$sure" --isochronous=20:4m -t 4
iperf2_udp iperf2-paced-50 50 "$paced" -b 10m -t 3
iperf2_to_us 10 -t 4 --isochronous=20:4m
scratch_clean
test_end

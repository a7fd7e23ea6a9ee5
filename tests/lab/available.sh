# shellcheck shell=sh
# SPDX-License-Identifier: BSD-3-Clause
# What is free of a link beside other traffic, as pprec tells it and as the relay counts it. After
# lib.sh and probe.sh:
#     free_up 20                        # Mbit/s; the way to it is a link of 40
#     free_measure poisson 0.5 480      # KIND of cross traffic, its LOAD, TRAINS
#     free_down
#     free_truth                        # bit/s
# KIND is one of cross, or none, or tcp (one flow of iperf3 that sends LOAD of the link, no more), or
# window (one flow, held back by its window: LOAD is not asked for, but what a round trip makes of it).
# The relay counts IP + 18, as layer l2 does. Cross traffic enters behind the first link, so that it
# gets in between the packets of a train.

# Whoever sends does so in real time, if it may, as the relay does: what a busy host holds up looks like a queue.
# pptrans spins while it paces a train. Others go before it, or they would come after its trains and not between
# their packets: at half of 100 Mbit/s these met 7 to 16 where 50 came on average. iperf3 spins, too: beside it
# nobody sends in real time.
free_real_time=
! chrt -f 6 true 2>/dev/null || free_real_time=yes

free_at() { # PRIORITY: the words before a command
    [ -z "$free_real_time" ] || [ -n "$free_spins" ] || echo "chrt -f $1"
}

free_up() { # MBIT [RELAY-OPTIONS]
    free_mbit=$1
    lab_up --name ppfree --routers 2 --rates "-,$((2 * free_mbit))mbit,-" \
        --relay "--rate ${free_mbit}m --all --queue 400000 --port $port --load $scratch/load ${2-}"
    in_background "$lab" exec --name ppfree rcv "$BIN/cross" hole 9999
    wait_udp "$RECEIVER_NS" 9999
}

free_iperf() { # SECONDS OPTIONS...
    free_seconds=$1
    shift
    in_background "$lab" exec --name ppfree rcv iperf3 -s -1 -p 5201 >/dev/null 2>&1
    sleep 0.5 # it has no other sign that it listens
    in_background "$lab" exec --name ppfree r2 iperf3 -c "$RECEIVER4" -p 5201 -t "$free_seconds" "$@" \
        >"$scratch/iperf" 2>&1
}

# It begins before our trains and lasts longer.
free_load() { # KIND LOAD SECONDS
    free_bps=$(awk -v share="$2" -v mbit="$free_mbit" 'BEGIN { printf "%.0f", share * mbit * 1e6 }')
    job='' free_spins=''
    case $1 in
    tcp | window) free_spins=yes ;;
    esac
    case $1 in
    none) return ;;
    tcp) free_iperf $(($3 + 6)) -b "$((free_bps * 1448 / 1518))" ;; # which counts what TCP carries
    window) free_iperf $(($3 + 6)) -w 6K ;;
    *)
        # shellcheck disable=SC2046 # words
        in_background "$lab" exec --name ppfree r2 $(free_at 6) "$BIN/cross" "$RECEIVER4" 9999 "$free_bps" \
            $(($3 + 6)) "${SEED:-1}" "$1"
        ;;
    esac
    sleep 1
}

# pptrans' further options are $free_send. Leaves $receive_out.json, $scratch/log and $scratch/pcap, where one is wanted.
free_measure() { # KIND LOAD TRAINS
    free_load "$1" "$2" 600 # until it is ended
    free_job=$job
    receive "$scratch/log" -i 5
    # shellcheck disable=SC2086 # words
    send_free -c "$3" ${free_send-}
    stop_receiving
    [ -z "$free_job" ] || kill "$free_job" 2>/dev/null
}

# A ladder of which the link is the middle, so that the load is 5 % of it, unless $free_range says another.
send_free() {
    # shellcheck disable=SC2046 # words
    "$lab" exec --name ppfree snd $(free_at 5) "$BIN/pptrans" -h "$RECEIVER4" -p "$port" -q \
        --available "${free_range:-${free_mbit}00k-${free_mbit}0m}" "$@" >"$scratch/sent" 2>&1 ||
        fail "pptrans: $(tail -n 1 "$scratch/sent")"
}

free_down() {
    "$lab" stop --name ppfree >"$scratch/relay"
    lab_down ppfree
}

# What others left of the link while our trains came, in bit/s. After free_down.
free_truth() {
    awk -v mbit="$free_mbit" '
        # Nanoseconds since 1970 are more than a number holds: they are counted from a day.
        function since(ns) { return substr(ns, 5) + 0 }
        FNR == NR {
            if (/^#/) next
            at = $1; sub(/\./, "", at)
            if (!first) first = since(at)
            last = since(at)
            next
        }
        since($1) - 1e8 >= first && since($1) <= last { steps++; cross += $3 }
        END { if (steps) printf "%.0f\n", mbit * 1e6 - cross * 8 / (steps / 10) }' "$scratch/log" "$scratch/load"
}

# An answer beside the truth: `right`, `near`, `wide`, `wrong`. Of the link: converged within 5, within 10, off by
# less than 15 percent and by more; a bound is wrong if it is more than 10 above the truth; a guess is no answer.
free_judge() { # STATE BPS TRUTH
    awk -v state="$1" -v bps="$2" -v truth="$3" -v mbit="$free_mbit" 'BEGIN {
        off = (bps - truth) / (mbit * 1e6) * 100
        far = off < 0 ? -off : off
        if (state == "at_least") print (off > 10 ? "wrong" : "bound")
        else if (state != "converged") print "open"
        else print (far > 15 ? "wrong" : far > 10 ? "wide" : far > 5 ? "near" : "right") }'
}

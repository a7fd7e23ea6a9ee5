# shellcheck shell=bash
# The contestants: how each is started, loaded, measured and stopped. All of them are
# measured by the same clock from outside, the processor time of their process.

contestants=(pprec pprec-log recvmmsg lazy recvmsg)

port=9000
backlog_packets=8000 # of 64 bytes they fill three quarters of an 8 MiB buffer
iperf3_port=5201
metrics_port=9740

# The sender on the first processor we may use, the receiver on the last.
choose_processors() {
    local allowed first
    allowed=$(awk '/^Cpus_allowed_list/ { print $2 }' /proc/self/status)
    first=${allowed%%[,-]*}
    receiver_cpu=${allowed##*[,-]}
    sender_cpu=$first
}

on_sender() {
    ip netns exec "$SENDER_NS" "${priority[@]}" taskset -c "$sender_cpu" "$@"
}

receiver_command() { # CONTESTANT
    case $1 in
    pprec) command=("$BIN/pprec" -p "$port" -q --json) ;;
    pprec-json) command=("$BIN/pprec" -p "$port" --json) ;;
    pprec-metrics) command=("$BIN/pprec" -p "$port" -q --json --metrics "127.0.0.1:$metrics_port") ;;
    pprec-watched) command=("$BIN/pprec" -p "$port" --json --metrics "127.0.0.1:$metrics_port") ;;
    pprec-log) command=("$BIN/pprec" -p "$port" -q --json -o "$work/log" --log-rate 0) ;;
    iperf3) command=(iperf3 -s -p "$iperf3_port") ;;
    arrive) command=("$BIN/bench" arrive -p "$port") ;;
    *) command=("$BIN/bench" receive -p "$port" -l "$1") ;;
    esac
}

start() { # CONTESTANT
    receiver_command "$1"
    rm -f "$work/log"
    ip netns exec "$RECEIVER_NS" "${priority[@]}" taskset -c "$receiver_cpu" "${command[@]}" \
        >"$work/out" 2>"$work/err" &
    receiver=$!
    lab_jobs=$receiver
    [ "$1" = iperf3 ] || wait_udp "$RECEIVER_NS" "$port" || exit 1
    sleep 0.1
}

stop() { # CONTESTANT: sets received, unless iperf3's sender has told it
    kill -TERM "$receiver"
    wait "$receiver"
    lab_jobs=''
    case $1 in
    iperf3 | arrive) ;;
    pprec*) received=$(tail -n 1 "$work/out" | json_field packets) ;;
    *) received=$(json_field received <"$work/out") ;;
    esac
    received=${received:-0}
}

cpu_ns() { "$BIN/bench" cpu -p "$receiver" | json_field cpu_ns; }

# Sets sent and pps, what was really offered.
load() { # BLAST_OPTIONS...
    on_sender "$BIN/bench" blast -h "$RECEIVER4" -p "$port" -n "$length_log2" -s "$payload" \
        "$@" >"$work/load" || exit 1
    sent=$(json_field sent <"$work/load")
    pps=$(json_field pps <"$work/load")
}

# The last figure of that name in a part of iperf3's report.
iperf3_figure() { # PART NAME
    awk -v part="\"$1\"" -v name="\"$2\":" '
        index($0, part) { inside = 1 }
        inside && $1 == name { print $2 + 0; exit }' "$work/load"
}

# iperf3 counts what it misses between packets that came; 0: as fast as it can.
load_iperf3() { # PPS
    on_sender iperf3 -u -c "$RECEIVER4" -p "$iperf3_port" -b $(($1 * payload * 8)) \
        -l "$payload" -t 1 --json >"$work/load" 2>&1
    sent=$(iperf3_figure sum_sent packets)
    received=$(iperf3_figure sum_received packets)
    received=$((${received:-0} - $(iperf3_figure sum_received lost_packets)))
    pps=${sent:-0}
}

# One measurement; sets sent, received and pps, and notes them with the time spent.
measure() { # PHASE ROUND CONTESTANT PPS [BLAST_OPTIONS...]
    local phase=$1 round=$2 who=$3 rate=$4 before_ns spent_ns
    shift 4
    start "$who"
    [[ $phase != backlog* ]] || kill -STOP "$receiver"
    before_ns=$(cpu_ns)
    if [ "$who" = iperf3 ]; then load_iperf3 "$rate"
    elif ((rate > 0)); then load -r "$rate" "$@"
    else load "$@"; fi
    [[ $phase != backlog* ]] || kill -CONT "$receiver"
    sleep 0.05 # the laziest has read everything by then
    spent_ns=$(($(cpu_ns) - before_ns))
    stop "$who"
    echo "$phase $round $who $sent $received $spent_ns $pps" >>"$work/results"
}

# The highest rate at which nothing is lost: bisected below what loses. The sender may
# be the limit.
search() { # ROUND CONTESTANT
    local low=0 high step rate limit=sender
    measure step "$1" "$2" 0 -t "$seconds"
    if ((received == sent)); then
        low=$pps
    else
        limit=receiver high=$pps
        for ((step = 0; step < 5; step++)); do
            rate=$(((low + high) / 2))
            measure step "$1" "$2" "$rate" -t "$seconds"
            if ((received == sent)); then low=$((pps < rate ? pps : rate)); else high=$rate; fi
        done
    fi
    echo "search $1 $2 $low $limit" >>"$work/results"
}

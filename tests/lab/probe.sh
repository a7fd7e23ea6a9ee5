# shellcheck shell=sh
# SPDX-License-Identifier: BSD-3-Clause
# One measurement in a lab that is up, for the tests and tables. After lib.sh:
#     receive "$scratch/log" --layer 42 -c 60 # pprec in the background; $receive_out.json
#     send "$RECEIVER4" -s 1500 -d 20 -c 60   # pptrans, waits for its end: pairs, but for -n or --mix
#     received                                # waits for pprec; sets status

BIN=${BIN:-$lab_dir/../../build/bin}
export PP_RELAY="$BIN/relay"
port=9000

receive() { # LOG PPREC-OPTIONS...
    receive_log=$1
    receive_out=$scratch/receive
    shift
    rm -f "$receive_log"
    "$lab" exec --name "$LAB" rcv "$BIN/pprec" -p "$port" -o "$receive_log" -q --json "$@" \
        >"$receive_out.json" 2>"$receive_out.err" &
    receiver=$!
    lab_jobs="$lab_jobs $receiver"
    wait_udp "$RECEIVER_NS" "$port"
}

send() { # ADDRESS PPTRANS-OPTIONS...
    send_to=$1
    shift
    case " $* " in *' -n '* | *' --mix '*) ;; *) set -- -n 2 "$@" ;; esac
    send_default "$send_to" "$@"
}

send_default() { # the same, with pptrans' own pattern
    send_to=$1
    shift
    "$lab" exec --name "$LAB" snd "$BIN/pptrans" -h "$send_to" -p "$port" -q "$@" >/dev/null
}

received() {
    wait "$receiver"
    status=$?
}

# Ends pprec when there is nothing to count on.
stop_receiving() {
    sleep 0.2 # for what is still on its way
    kill -TERM "$receiver" 2>/dev/null
    received
}

summary() { # KEY: of the (first) summary of the last measurement
    grep '"type":"summary"' "$receive_out.json" | json_field "$1"
}

percent_off() { # VALUE TRUTH
    awk -v is="$1" -v want="$2" 'BEGIN {
        if (is + 0 > 0) printf "%+.2f", (is / want - 1) * 100; else print "-" }'
}

within_percent() { # PERCENT-OFF MOST
    awk -v off="$1" -v most="$2" 'BEGIN { exit !(off ~ /[0-9]/ && off <= most && -off <= most) }'
}

scratch=$(mktemp -d)
scratch_clean() { rm -rf "$scratch"; }

# shellcheck shell=sh
# SPDX-License-Identifier: BSD-3-Clause
# Which link is narrow, for the test and the table. After lib.sh and probe.sh.
# shellcheck disable=SC2034,SC2154 # theirs, and for them

# Linux answers one packet that died a second, a target; with 0 every one, within the forwarding path.
answer() { # ALL|FEW
    limit=1000000
    [ "$1" = ALL ] && limit=0
    for node in 1 2 3 4 5; do
        "$lab" exec --name "$LAB" "r$node" sh -c "echo $limit >/proc/sys/net/ipv4/icmp_ratelimit
            echo 100000 >/proc/sys/net/ipv4/icmp_msgs_per_sec" 2>/dev/null
    done
}

narrow() { # JSON: what its summary says of the path; hops have states of their own
    grep '"type":"summary"' "$1" | sed 's/"hops":\[[^]]*\]//' >"$scratch/summary"
    first=$(json_field narrow_hop <"$scratch/summary") last=$(json_field narrow_hop_last <"$scratch/summary")
    links=$(json_field hops_count <"$scratch/summary") mbit=$(json_field narrow_link_bps <"$scratch/summary")
    why=$(json_field hops_why <"$scratch/summary") state=$(json_field state <"$scratch/summary")
    case $first in [1-9]*) ;; *) first=0 last=0 ;; esac
    mbit=$(awk -v bps="$mbit" 'BEGIN { printf "%.2f", bps / 1e6 }')
}

locate() { # ADDRESS PPTRANS-OPTIONS...: sets first, last, links, mbit, why, state
    locate_to=$1
    shift
    receive "$scratch/log"
    send_default "$locate_to" --locate "$@"
    stop_receiving
    narrow "$receive_out.json"
}

verdict() { # HOP
    if [ "$first" = 0 ]; then echo silent
    elif [ "$first" -gt "$1" ] || [ "$last" -lt "$1" ]; then echo WRONG
    elif [ "$first" = "$last" ]; then echo right
    else echo range; fi
}

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Which link is tight, of five by tbf: the narrow one (3) while nothing else is sent, then a faster one before it that
# others load (2), then one behind it (4). Never a wrong hop.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"
# shellcheck source=tests/lab/locate.sh
. "$(dirname "$0")/locate.sh"

# From one end of a link to the other; that of r1 is the second.
load() { # LINK BPS
    "$lab" exec --name "$LAB" "r$1" "$BIN/cross" hole 9 2>/dev/null &
    lab_jobs="$lab_jobs $!"
    "$lab" exec --name "$LAB" "r$(($1 - 1))" "$BIN/cross" "10.77.$(($1 - 1)).2" 9 "$2" 30 7 poisson 2>/dev/null &
    lab_jobs="$lab_jobs $!"
}

tight() { # NAME LINK FREE-MBIT [LOADED-LINK BPS]
    lab_up --routers 4 --rates 80mbit,40mbit,20mbit,50mbit,80mbit --burst 1600
    [ $# -lt 4 ] || load "$4" "$5"
    locate "$RECEIVER4" -d 40 -t 17 --locate 1-5 --available 5m-50m
    narrow="$first to $last, $why"
    first=$(json_field tight_hop <"$scratch/summary") last=$(json_field tight_hop_last <"$scratch/summary")
    case $first in [1-9]*) ;; *) first=0 last=0 ;; esac
    echo "# $1: tight link $first to $last, free $(summary tight_link_bps) of $3, $(summary tight_why); capacity" \
        "$state $(summary capacity_bps); narrow $narrow"
    timed check_equal "$1: told" "$(verdict "$2" | sed 's/range/right/; s/silent/right/')" right
    lab_down
}

tight narrow 3 20
tight before 2 12 2 28000000
tight behind 4 12 4 38000000
scratch_clean
test_end

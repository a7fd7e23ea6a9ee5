#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The layered example: one sender, four receivers behind different links at once. Each
# must receive its own right number of layers within 15 s, and again within 10 s of a
# change of its link's rate, with under 2 % loss from then on.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"
# shellcheck source=tests/lab/star.sh
. "$(dirname "$0")/star.sh"

start_s=20 change_s=16 # how long each rate lasts

layers_of() { # RATE: sums with headers are 264, 528, 1056, 2112, 4224 kbit/s
    case $1 in
    600kbit) echo 2 ;;
    1200kbit) echo 3 ;;
    2500kbit) echo 4 ;;
    5mbit) echo 5 ;;
    esac
}

# From FROM to TO seconds: the layers, packets and lost, and since when it had been so.
settled() { # RECEIVER RATE BEGIN FROM TO
    settled_got=$(awk -v begin="$3" -v from="$4" -v to="$5" -v right="$(layers_of "$2")" '
        $1 >= begin && $1 < to && $2 != right { last = $1 }
        $1 >= from && $1 < to { lines++; wrong += $2 != right; packets += $4; lost += $5 }
        END { printf "%d %d %.2f %.1f", (lines > 8), wrong, (packets + lost ? lost * 100 / (packets + lost) : 100),
            (last > begin ? last : begin) - begin }' "$scratch/$1")
    # shellcheck disable=SC2086
    set -- "$1" "$2" $settled_got
    timed check_equal "$1 at $2: enough lines, lines without $(layers_of "$2") layers" "$3 $4" "1 0"
    timed check_below "$1 at $2: % lost after settling" "$5" 2
    ok "$1 at $2: settled after $6 s"
}

receiver() { # NTH
    ip netns exec "$star_name-rcv$1" "$BIN/layered_receive" in $((start_s + change_s)) \
        >"$scratch/rcv$1" &
    lab_jobs="$lab_jobs $!"
}

before='600kbit 1200kbit 2500kbit 5mbit'
after='2500kbit 600kbit 5mbit 1200kbit'
# shellcheck disable=SC2086
star_up pplayers $before
ip netns exec pplayers-snd "$BIN/layered_send" 10.78.0.100 $((start_s + change_s + 2)) &
lab_jobs="$lab_jobs $!"
for i in 1 2 3 4; do
    receiver $i
    last=$!
done
sleep $start_s
i=0
for rate in $after; do
    i=$((i + 1))
    star_shape rcv$i "$rate"
done
wait "$last"
sleep 0.3

i=0
for rate in $before; do
    i=$((i + 1))
    settled rcv$i "$rate" 0 15 $start_s
done
i=0
for rate in $after; do
    i=$((i + 1))
    settled rcv$i "$rate" $start_s $((start_s + 10)) $((start_s + change_s))
done
[ -z "${LAYERED_KEEP-}" ] || cp "$scratch"/rcv? "$LAYERED_KEEP"
scratch_clean
test_end

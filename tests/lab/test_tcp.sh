#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Four TCP flows across the narrow link, access twice as fast: within 3 % in 120 trains, or in doubt,
# with an interval that holds the truth.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"
need iperf3

lab_up --name pptcp --rates 20mbit,10mbit --limit 60000
in_background "$lab" exec --name pptcp rcv iperf3 -s -1 -p 5201 >/dev/null
sleep 0.3 # iperf3 has no other sign that it listens
in_background "$lab" exec --name pptcp snd iperf3 -c "$RECEIVER4" -p 5201 -P 4 -t 20 >/dev/null
receive "$scratch/log" --layer 42 --filter adaptive
send "$RECEIVER4" -s 1500 --mix -d 150 -c 120
stop_receiving
state=$(summary state) found=$(summary capacity_bps)
echo "# $state, $found bit/s, lost $(summary lost), received $(summary packets), adr $(summary adr_bps)"
if is_sure "$state"; then check_near "decided ($state): capacity_bps" "$found" 10000000 3
else
    low=$(summary low_bps) high=$(summary high_bps)
    timed check_equal "in doubt ($state, $low to $high): holds 10000000:" \
        "$(echo "$low $high" | awk '{ print ($1 > 0 && $1 <= 10e6 && ($2 == "null" || $2 >= 10e6)) ? "yes" : "no" }')" yes
fi
scratch_clean
test_end

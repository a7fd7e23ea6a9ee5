# SPDX-License-Identifier: BSD-3-Clause
# sweep.awk: what size_sweep wrote, as data of sweep.gp:
#   LENGTH.LINK.off   size, error of the estimate (%), at least 0.01
#   LENGTH.reach      size, reach (Mbit/s)
#   LENGTH.cost       size, sender, receiver (us of processor time a train)
# Reach: the fastest link up to which, itself included, every estimate was within 2 % of the truth.

function abs(x) { return x < 0 ? -x : x }

$1 == "rate" {
    off = $5 == "-" ? 1000 : abs($5 / $4 - 1) * 100
    print $2, (off < 0.01 ? 0.01 : off) > ($3 "." $4 / 1e6 ".off")
    if (off <= 2 && !(($2, $3) in stopped))
        reach[$2, $3] = $4 / 1e6
    else
        stopped[$2, $3]
    shape[$2, $3]
}

$1 == "cpu" { print $2, $4 / 1000, $5 / 1000 > ($3 ".cost") }

END {
    for (key in shape) {
        split(key, part, SUBSEP)
        if (key in reach)
            print part[1], reach[key] | ("sort -n >" part[2] ".reach")
    }
}

# SPDX-License-Identifier: BSD-3-Clause
# compare.awk: every series, as common files for compare.gp and facts on stdout:
#   boxes           row p05 p25 p50 p75 p95 of its rates
#   STATE.estimate  row capacity low high, of its last estimate
# Input: all the files PANEL.rows pass=draw all the files PANEL.sorted.

function widen(bps) {
    if (bps == "-")
        return
    if (!low_bps || bps < low_bps)
        low_bps = bps
    if (bps + 0 > high_bps)
        high_bps = bps
}

BEGIN {
    printf "" > ".estimate"
    quantiles = split("0.05 0.25 0.5 0.75 0.95", share, " ")
}

FNR == 1 {
    panel = FILENAME + 0
    rank = 0
}

pass == "" {
    n[panel] += $5 != "-"
    capacity[panel] = $7
    low[panel] = $8
    high[panel] = $9
    state[panel] = $10
    next
}

{
    rank++
    for (q = 1; q <= quantiles; q++)
        if (rank == int(share[q] * (n[panel] - 1) + 1.5)) {
            quantile[panel, q] = $5
            widen($5)
        }
}

END {
    for (i = 1; i <= panel; i++) {
        widen(capacity[i])
        widen(low[i])
        widen(high[i])
    }
    set_scale(low_bps, high_bps)
    for (i = 1; i <= panel; i++) {
        line = i
        for (q = 1; q <= quantiles; q++)
            line = line sprintf(" %.9g", quantile[i, q] / unit_bps)
        print line > "boxes"
        word = known(state[i], STATES)
        if (capacity[i] != "-") {
            counts[word]++
            printf "%d %.9g %.9g %.9g\n", i, capacity[i] / unit_bps,
                (low[i] == "-" ? capacity[i] : low[i]) / unit_bps,
                (high[i] == "-" ? capacity[i] : high[i]) / unit_bps > (word ".estimate")
        }
    }
    print_scale()
    print_counts("state", STATES, counts)
    printf "array answer[%d]\n", panel
    for (i = 1; i <= panel; i++)
        printf "answer[%d] = '%s'\n", i, answer(capacity[i], low[i], high[i], known(state[i], STATES))
}

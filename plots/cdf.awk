# SPDX-License-Identifier: BSD-3-Clause
# cdf.awk: every series, slowest train first, as PANEL.steps (rate, share) and common facts on stdout.
# The axis leaves out TAIL of each series at both ends, for a few trains far out would leave it empty; the curve then begins
# above 0, or ends below 100 %. Steps closer than the picture shows are left out.
# Input: all the files PANEL.sorted pass=count, again pass=scale and pass=draw.

function widen(bps) {
    if (!low_bps || bps < low_bps)
        low_bps = bps + 0
    if (bps > high_bps)
        high_bps = bps + 0
}

function put(x, y) {
    printf "%.9g %.9g\n", x, y > (panel ".steps")
}

BEGIN { TAIL = 0.02 }

FNR == 1 {
    panel = FILENAME + 0
    rank = held_y = drawn_y = 0
    drawn_x = -1
}

{ rank++ }

pass == "count" { n[panel]++ }

pass == "scale" && rank > int(TAIL * n[panel]) && rank <= n[panel] - int(TAIL * n[panel]) { widen($5) }

pass == "draw" {
    if (!unit)
        set_scale(low_bps, high_bps)
    x = $5 / unit_bps
    y = 100 * rank / n[panel]
    inside = x >= axis_low && x <= axis_high
    if (inside && drawn_x < 0)
        put(axis_low, held_y)
    if (inside && (drawn_x < 0 || rank == n[panel] || place(x) - drawn_x > 1 / 800 || y - drawn_y > 0.2)) {
        put(x, y)
        drawn_x = place(x)
        drawn_y = y
    }
    if (inside)
        last_y[panel] = y
    else
        beyond[panel]++
    held_y = y
}

END {
    print_scale()
    printf "array trains[%d]; array beyond[%d]\n", panel, panel
    for (panel = 1; panel in n; panel++) {
        put(axis_high, last_y[panel])
        printf "trains[%d] = %d; beyond[%d] = %d\n", panel, n[panel], panel, beyond[panel]
    }
}

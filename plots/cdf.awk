# SPDX-License-Identifier: BSD-3-Clause
# cdf.awk: every series, slowest train first, as PANEL.steps (rate, share) and common facts on stdout.
# Steps closer than the picture shows are left out.
# Input: all the files PANEL.sorted pass=draw and again.

FNR == 1 {
    panel = FILENAME + 0
    rank = drawn_y = 0
    drawn_x = -1
}

pass == "" {
    n[panel]++
    if (!low_bps || $5 < low_bps)
        low_bps = $5
    if ($5 > high_bps)
        high_bps = $5
    next
}

!unit { set_scale(low_bps, high_bps) }

{
    y = 100 * ++rank / n[panel]
    x = place($5 / unit_bps)
    if (rank == 1)
        printf "%.9g 0\n", axis_low > (panel ".steps")
    if (rank == 1 || rank == n[panel] || x - drawn_x > 1 / 800 || y - drawn_y > 0.2) {
        printf "%.9g %.9g\n", $5 / unit_bps, y > (panel ".steps")
        drawn_x = x
        drawn_y = y
    }
    if (rank == n[panel])
        printf "%.9g 100\n", axis_high > (panel ".steps")
}

END {
    print_scale()
    printf "array trains[%d]\n", panel
    for (i = 1; i <= panel; i++)
        printf "trains[%d] = %d\n", i, n[i]
}

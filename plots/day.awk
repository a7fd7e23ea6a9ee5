# SPDX-License-Identifier: BSD-3-Clause
# day.awk: the hours of the day of one series, as a file for day.gp and facts on stdout:
#   PANEL.boxes   hour p05 p25 p50 p75 p95 trains
# Input: PANEL.days pass=draw PANEL.days. Variable: panel.

pass == "" {
    if (!low_bps || $4 < low_bps)
        low_bps = $4 + 0
    if ($8 > high_bps)
        high_bps = $8 + 0
    next
}

FNR == 1 { set_scale(low_bps, high_bps) }

{
    trains += $3
    printf "%d %.5g %.5g %.5g %.5g %.5g %d\n", $2, $4 / unit_bps, $5 / unit_bps, $6 / unit_bps, $7 / unit_bps,
        $8 / unit_bps, $3 > (panel ".boxes")
}

END {
    print_scale()
    printf "trains = %d\n", trains
}

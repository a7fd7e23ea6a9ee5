# SPDX-License-Identifier: BSD-3-Clause
# hops.awk: the hops of one series, as files for hops.gp and facts on stdout:
#   PANEL.stairs           hop rate, both ends of each step
#   PANEL.narrow           the same, of the hops that may be narrow
#   PANEL.errors           hop rate low high
#   PANEL.guesses          the same, of what is tentative, which makes no step
#   PANEL.bounds           hop rate, of lower bounds
# Input: PANEL.rows pass=draw PANEL.rows. Variable: panel.

function widen(bps) {
    if (bps == "-")
        return
    if (least_bps == "" || bps + 0 < least_bps)
        least_bps = bps + 0
    if (bps + 0 > most_bps)
        most_bps = bps + 0
}

BEGIN {
    for (i = split("stairs narrow errors guesses bounds", name, " "); i > 0; i--)
        printf "" > (panel "." name[i])
}

pass == "" {
    widen($5)
    if ($6 == "converged") {
        widen($8)
        widen($9)
    }
}

pass == "draw" {
    if (FNR == 1)
        set_scale(least_bps, most_bps)
    hops = $2
    first = $4
    last = $10
    path_bps = $7
    if ($5 == "-") {
        print "" > (panel ".stairs")
        next
    }
    rate = $5 / unit_bps
    if ($6 == "tentative")
        print "" > (panel ".stairs")
    else
        printf "%.9g %.9g\n%.9g %.9g\n", $2 - 0.5, rate, $2 + 0.5, rate > (panel ".stairs")
    if ($4 != "-" && $2 >= $4 && $2 <= $10)
        printf "%.9g %.9g\n%.9g %.9g\n\n", $2 - 0.5, rate, $2 + 0.5, rate > (panel ".narrow")
    if ($6 == "at_least")
        printf "%d %.9g\n", $2, rate > (panel ".bounds")
    else if ($8 != "-" && $9 != "-")
        printf "%d %.9g %.9g %.9g\n", $2, rate, $8 / unit_bps, $9 / unit_bps > (panel ($6 == "tentative" ? ".guesses" : ".errors"))
}

END {
    print_scale()
    text = first == "-" || first == "" ? "narrow link not found" \
        : first == last ? "narrow link: " first : "narrow link: one of " first " to " last
    if (path_bps != "-")
        text = text sprintf(", %.4g %s", path_bps / unit_bps, unit)
    printf "hops = %d\nanswer = '%s'\n", hops, text
}

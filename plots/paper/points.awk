# SPDX-License-Identifier: BSD-3-Clause
# points.awk: a text log of pprec as data of a panel:
#   PANEL.points   time rate, of trains that arrived whole
#   PANEL.sure     time estimate, while its state is a sure one, else a gap
#   PANEL.unsure   the same of the other states
# and its axis and the truth on stdout. Input: the log, pass=draw, the log. Variables: panel, truth_bps.

function widen(bps) {
    if (bps < low_bps)
        low_bps = bps
    if (bps > high_bps)
        high_bps = bps
}

BEGIN {
    printf "" > (panel ".points")
    printf "" > (panel ".sure")
    printf "" > (panel ".unsure")
    low_bps = high_bps = truth_bps
    small = 1
}

/^#/ { next }

first == "" { first = $1 }

pass == "" {
    if ($6 == $7 && $10 != "-")
        widen($10 * 1000)
    if ($12 != "-")
        widen($12 * 1000)
    next
}

!unit { set_scale(low_bps, high_bps, truth_bps < 1e6 ? 0 : truth_bps) }

$6 == $7 && $10 != "-" {
    printf "%.4g %.4g\n", $1 - first, 1000 * $10 / unit_bps > (panel ".points")
}

# A line goes on only while nothing about it changes; what repeats itself is left out.
$12 != "-" {
    file = panel ($15 ~ /^(converged|shaped|fair|policed|varying)$/ ? ".sure" : ".unsure")
    text = sprintf("%.4g", 1000 * $12 / unit_bps)
    if (file != held_file && held_file != "")
        printf "%.4g %s\n\n", $1 - first, held_text > held_file
    if (file != held_file || text != held_text) {
        if (file == held_file)
            printf "%.4g %s\n", $1 - first, held_text > file
        printf "%.4g %s\n", $1 - first, text > file
    }
    held_file = file
    held_text = text
    last = $1 - first
}

END {
    if (held_file != "")
        printf "%.4g %s\n", last, held_text > held_file
    print_scale()
    printf "truth = %.9g\n", truth_bps / unit_bps
}

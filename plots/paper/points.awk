# SPDX-License-Identifier: BSD-3-Clause
# points.awk: a text log of pprec as data of a panel, in the unit `unit` (kbit/s):
#   PANEL.points   time rate, of trains that arrived whole
#   PANEL.sure     time estimate, while its state is a sure one, else a gap
#   PANEL.unsure   the same of the other states
# and the panel's least and highest rate on stdout. Variables: panel, unit, truth.

BEGIN {
    printf "" > (panel ".points")
    printf "" > (panel ".sure")
    printf "" > (panel ".unsure")
    least = most = truth / unit
}

/^#/ { next }

first == "" { first = $1 }

$6 == $7 && $10 != "-" {
    printf "%.4g %.4g\n", $1 - first, $10 / unit > (panel ".points")
    if ($10 / unit > most)
        most = $10 / unit
    if ($10 / unit < least)
        least = $10 / unit
}

# A line goes on only while nothing about it changes; what repeats itself is left out.
$12 != "-" {
    file = panel ($15 ~ /^(converged|shaped|fair|policed|varying)$/ ? ".sure" : ".unsure")
    text = sprintf("%.4g", $12 / unit)
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
    print least, most
}

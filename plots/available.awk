# SPDX-License-Identifier: BSD-3-Clause
# available.awk: one series of interval reports, as files for available.gp and facts on stdout:
#   PANEL.points.STATE   time available; what would be drawn over itself is left out
#   PANEL.line           the same of all states, broken where nothing is known
#   PANEL.interval       time low high, likewise
#   PANEL.capacity       time capacity
# Input: PANEL.rows pass=time, rows of all panels, pass=draw, PANEL.rows. Variable: panel.

function widen(bps) {
    if (bps != "-" && bps > most_bps)
        most_bps = bps + 0
}

# A point, or the gap before what comes next.
function put(file, t, low, high) {
    if (low == "-" || high == "-")
        print "" > (panel file)
    else
        printf "%.9g %.9g%s\n", t, low / unit_bps, high == "" ? "" : sprintf(" %.9g", high / unit_bps) > (panel file)
}

BEGIN {
    WORDS = "converged at_least tentative other"
    printf "" > (panel ".line")
    printf "" > (panel ".interval")
    printf "" > (panel ".capacity")
}

# All panels share the axis of rates, whatever logs they are of.
pass != "draw" {
    share_time()
    widen($5)
    widen($7)
    widen($9)
}

pass == "draw" {
    if (FNR == 1) {
        set_scale(most_bps, most_bps)
        set_time_unit(last_s - first_s)
    }
    t = ($2 - first_s) / time_unit_s
    if ($6 != held_word || t >= next_step) { # so that the picture of a month stays light
        next_step = t + (last_s - first_s) / time_unit_s / 800
        put(".line", t, $5, "")
        put(".interval", t, $6 == "at_least" ? "-" : $8, $9)
        put(".capacity", t, $7, "")
    }
    held_word = $6
    if ($5 != "-") {
        word = known($6, WORDS)
        counts[word]++
        cell = word " " int(250 * ($2 - first_s) / (last_s - first_s + 1e-9)) " " int(125 * $5 / most_bps)
        if (!(cell in seen))
            printf "%.9g %.9g\n", t, $5 / unit_bps > (panel ".points." word)
        seen[cell]
        last_bps = $5
        last_low = $8
        last_high = $9
        last_word = $6
    }
    capacity_bps = $7
}

END {
    print_time(first_s, last_s - first_s)
    print_counts("answer_word", WORDS, counts)
    text = sprintf("%s%.4g %s", last_word == "at_least" ? "at least " : "", last_bps / unit_bps, unit)
    if (last_word != "at_least" && last_high != "-")
        text = text sprintf(" (%.4g to %.4g)", last_low / unit_bps, last_high / unit_bps)
    if (capacity_bps != "-")
        text = text sprintf(" of %.4g", capacity_bps / unit_bps)
    printf "unit = '%s'\naxis_high = %.9g\nanswer = '%s, %s'\n", unit, 1.08 * most_bps / unit_bps, text, last_word
}

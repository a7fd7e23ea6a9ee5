# SPDX-License-Identifier: BSD-3-Clause
# delay.awk: one series, as files PANEL.points.VERDICT (time delay) and facts on stdout.
# Two clocks differ by an unknown constant, so a delay is told above the least one.
# Input: PANEL.rows pass=time, rows of all panels, pass=draw, PANEL.rows. Variable: panel.

pass == "" && $11 != "-" {
    if (least_ns == "" || $11 < least_ns)
        least_ns = $11
    if (most_ns == "" || $11 > most_ns)
        most_ns = $11
}

{ split($1, part, "|") }

pass == "" { log_number = part[1] }

# Panels of one log share the axis of time.
pass == "time" && part[1] == log_number {
    if (first_s == "" || $2 < first_s)
        first_s = $2
    if ($2 > last_s)
        last_s = $2
}

pass == "draw" && FNR == 1 {
    set_time_unit(last_s - first_s)
    span_ms = (most_ns - least_ns) / 1e6
    delay_unit = span_ms < 1 ? "us" : "ms"
    delay_ns = span_ms < 1 ? 1e3 : 1e6
}

pass == "draw" && $11 != "-" {
    t = ($2 - first_s) / time_unit_s
    y = ($11 - least_ns) / delay_ns
    verdict = known($6, VERDICTS)
    counts[verdict]++
    cell = verdict " " int(250 * ($2 - first_s) / (last_s - first_s + 1e-9)) " " \
        int(125 * ($11 - least_ns) / (most_ns - least_ns + 1))
    if (!(cell in seen))
        printf "%.9g %.9g\n", t, y > (panel ".points." verdict)
    seen[cell]
}

END {
    print_time(first_s, last_s - first_s)
    print_counts("verdict", VERDICTS, counts)
    printf "delay_unit = '%s'\n", delay_unit
}

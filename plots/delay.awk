# SPDX-License-Identifier: BSD-3-Clause
# delay.awk: one series, as files PANEL.points.VERDICT (time delay) and facts on stdout.
# Two clocks differ by an unknown constant, so a delay is told above the least one. Where one stands far out, over
# FAR_OUT times the mean, the axis is logarithmic, and what is below it stands on it.
# Input: PANEL.rows pass=time, rows of all panels, pass=draw, PANEL.rows. Variable: panel.

BEGIN {
    FAR_OUT = 10
    DECADES = 1000 # of the greatest delay, which the logarithmic axis shows
}

pass == "" && $11 != "-" {
    sum_ns += $11
    delays++
    if (least_ns == "" || $11 < least_ns)
        least_ns = $11
    if (most_ns == "" || $11 > most_ns)
        most_ns = $11
}

pass != "draw" { share_time() }

pass == "draw" && FNR == 1 {
    set_time_unit(last_s - first_s)
    span_ms = (most_ns - least_ns) / 1e6
    delay_unit = span_ms < 1 ? "us" : "ms"
    delay_ns = span_ms < 1 ? 1e3 : 1e6
    highest = (most_ns - least_ns) / delay_ns
    log_axis = highest > FAR_OUT * (sum_ns / delays - least_ns) / delay_ns
    axis_low = log_axis ? highest / DECADES : 0
    axis_high = highest * (log_axis ? 1.3 : 1.05)
    if (!highest)
        axis_high = 1
}

pass == "draw" && $11 != "-" {
    t = ($2 - first_s) / time_unit_s
    y = ($11 - least_ns) / delay_ns
    if (y < axis_low)
        y = axis_low
    verdict = known($6, VERDICTS)
    counts[verdict]++
    cell = verdict " " int(250 * ($2 - first_s) / (last_s - first_s + 1e-9)) " " \
        int(125 * place(y))
    if (!(cell in seen))
        printf "%.9g %.9g\n", t, y > (panel ".points." verdict)
    seen[cell]
}

END {
    print_time(first_s, last_s - first_s)
    print_counts("verdict", VERDICTS, counts)
    print_axis()
    printf "delay_unit = '%s'\n", delay_unit
}

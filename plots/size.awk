# SPDX-License-Identifier: BSD-3-Clause
# size.awk: one series, by size, length and rate, as files for size.gp and facts on stdout:
#   PANEL.points  column rate
#   PANEL.boxes   column p05 p25 p50 p75 p95
# A column is a size of packets and, when there are several, a length of trains: a long
# train of small packets is not the same measurement as a pair of them.
# Input: PANEL.sorted pass=draw PANEL.sorted. Variable: panel.

BEGIN {
    COLUMNS = 12
    quantiles = split("0.05 0.25 0.5 0.75 0.95", share, " ")
}

{ group = $3 " " $4 }

pass == "" {
    if (!total[group]++)
        order[++groups] = group
    if (!trains_of[$4]++)
        lengths++
    if (!low_bps || $5 < low_bps)
        low_bps = $5
    if ($5 > high_bps)
        high_bps = $5
    next
}

FNR == 1 {
    set_scale(low_bps, high_bps)
    for (left = groups; left > COLUMNS; left--) {
        least = ""
        for (g in total)
            if (!(g in dropped) && (least == "" || total[g] < total[least]))
                least = g
        dropped[least]
    }
    for (i = 1; i <= groups; i++)
        if (!(order[i] in dropped)) {
            column[order[i]] = ++columns
            split(order[i], part, " ")
            name = (lengths > 1 ? part[2] " x " : "") part[1] " B"
            ticks_x = ticks_x (columns > 1 ? ", " : "") "\"" name "\\n" total[order[i]] "\" " columns
        }
}

group in dropped { next }

{
    rank = ++seen[group]
    y = $5 / unit_bps
    for (q = 1; q <= quantiles; q++)
        if (rank == int(share[q] * (total[group] - 1) + 1.5))
            box[column[group]] = box[column[group]] sprintf(" %.9g", y)
    # Spread sideways by the golden ratio, evenly for any number of points.
    x = column[group] - 0.35 + 0.7 * (rank * 0.61803399 % 1)
    cell = int(x * 250 / (columns + 1)) " " int(125 * place(y))
    if (!(cell in drawn))
        printf "%.4f %.9g\n", x, y > (panel ".points")
    drawn[cell]
}

END {
    for (i = 1; i <= columns; i++)
        print i box[i] > (panel ".boxes")
    print_scale()
    printf "columns_x = %d\nticks_x = '%s'\nleft_out = '%s'\n", columns, ticks_x,
        (groups > columns ? sprintf(", the %d of %d columns with most trains", columns, groups) : "")
}

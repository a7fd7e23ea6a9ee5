# SPDX-License-Identifier: BSD-3-Clause
# response.awk: the rate that trains arrived at against the rate that they left at, as files for
# response.gp and facts on stdout:
#   PANEL.points.VERDICT  rate in, rate out
#   PANEL.fit             the curve that is nearest to them
# A train that leaves at R, above what is free (A), arrives spread by R/out = 1 + (R - A) / C
# (Melander, Björkman and Gunningberg 2000, TOPP), below it as it left. C is the capacity that the
# log told last, so A alone is sought: where the sum of what trains are off is least.
# Input: PANEL.rows pass=draw PANEL.rows; $12 of a row is the time from first to last departure in ns.

BEGIN { STEPS = 400 }

function left_at() { return ($4 - 1) * $3 * 8e9 / $12 }

{ usable = $5 != "-" && $12 != "-" && $12 > 0 && $4 > 2 }

pass == "" && $7 != "-" { capacity_bps = $7 }

pass == "" && usable {
    rates++
    sent_bps[rates] = left_at()
    came_bps[rates] = $5
}

# Back to back they leave at whatever their sender can: that is far to the right, and tells the capacity alone.
function shown(bps) { return !capacity_bps || bps < 10 * capacity_bps }

function widen_all(    i) {
    for (i = 1; i <= rates; i++)
        if (shown(sent_bps[i])) {
            widen(sent_bps[i])
            widen(came_bps[i])
        }
}

function widen(bps) {
    if (!low_bps || bps < low_bps)
        low_bps = bps
    if (bps > high_bps)
        high_bps = bps
}

function strain(rate, free) { return rate > free ? (rate - free) / capacity_bps : 0 }

# What is steeper than three times the capacity tells more of the capacity than of what is free.
function off(free,    i, sum, is) {
    for (i = 1; i <= trains; i++)
        if (into[i] < 3 * capacity_bps) {
            is = into[i] / out[i] - 1 - strain(into[i], free)
            sum += is < 0 ? -is : is
            fitted++
        }
    return sum
}

function fit(    step, is, least, best) {
    for (step = 0; step <= STEPS; step++) {
        fitted = 0
        is = off(capacity_bps * step / STEPS)
        if (step == 0 || is < least) {
            least = is
            best = step
        }
    }
    return capacity_bps * best / STEPS
}

function write_fit(free,    i, rate) {
    for (i = 0; i <= 200; i++) {
        rate = low_bps * (high_bps / low_bps) ^ (i / 200)
        printf "%.6g %.6g\n", rate / unit_bps, rate / (1 + strain(rate, free)) / unit_bps > (panel ".fit")
    }
}

pass == "draw" {
    if (FNR == 1) {
        widen_all()
        set_scale(low_bps, high_bps)
    }
    if (!usable || !shown(left_at()))
        next
    trains++
    into[trains] = left_at()
    out[trains] = $5 + 0
    verdict = known($6, VERDICTS)
    counts[verdict]++
    printf "%.6g %.6g\n", into[trains] / unit_bps, out[trains] / unit_bps > (panel ".points." verdict)
}

END {
    printf "" > (panel ".fit")
    print_scale()
    print_counts("verdict", VERDICTS, counts)
    free_bps = capacity_bps ? fit() : 0
    if (!fitted)
        knee_text = "no train slower than three times the capacity: nothing is fitted"
    else {
        write_fit(free_bps)
        knee_text = sprintf("knee at %.3g %s, capacity %.4g %s", free_bps / unit_bps, unit,
            capacity_bps / unit_bps, unit)
    }
    printf "has_fit = %d\nknee = %.6g\nfitted = '%s'\n", (fitted > 0), free_bps / unit_bps, knee_text
}

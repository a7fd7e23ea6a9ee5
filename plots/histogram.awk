# SPDX-License-Identifier: BSD-3-Clause
# histogram.awk: one series, slowest train first, as files for histogram.gp and facts on stdout:
#   PANEL.bars.VERDICT  from to bottom top, in rates and trains
#   PANEL.density       rate trains
#   PANEL.modes         rate label
# Bins and kernel are in log rate, where a packet more in between is the same step at any rate.
# Their widths follow the middle half of the rates (Freedman and Diaconis; Silverman), within
# what a picture shows and 2 %, beyond which neighbouring modes run together.
# Input: PANEL.sorted pass=draw PANEL.sorted. Variable: panel.

function between(x, least, most) {
    return x < least ? least : x > most ? most : x
}

# Density from fine bins, in trains a bin of the histogram.
function density(x,    i, sum, first, last) {
    first = int((x - 4 * kernel - low) / fine)
    last = int((x + 4 * kernel - low) / fine)
    for (i = first < 0 ? 0 : first; i <= last && i <= FINE; i++)
        if (i in fine_count)
            sum += fine_count[i] * exp(-((low + (i + 0.5) * fine - x) / kernel) ^ 2 / 2)
    return sum * bin / (kernel * SQRT_2PI)
}

# A mode apart from another has room for its label, and the density falls to half in between.
function apart(i, other,    from, to) {
    from = i < other ? i : other
    to = i < other ? other : i
    if (to - from < FINE / 12)
        return 0
    for (; from < to; from++)
        if (height[from] < height[i] / 2)
            return 1
    return 0
}

# The highest peaks that are at least three trains of like rate, and not the tail of another peak.
function find_modes(least,    i, j, n, best, mode, refused) {
    printf "" > (panel ".modes")
    while (n < MODES) {
        best = 0
        for (i = 1; i < FINE; i++)
            if (height[i] >= least && height[i] > height[i - 1] && height[i] >= height[i + 1] \
                && !(i in refused) && (!best || height[i] > height[best]))
                best = i
        if (!best)
            return
        refused[best]
        for (j = 1; j <= n && apart(best, mode[j]); j++)
            ;
        if (j <= n)
            continue
        mode[++n] = best
        printf "%.9g %.4g\n", at_bin(best), at_bin(best) > (panel ".modes")
    }
}

function at_bin(i) {
    return exp(low + i * fine) / unit_bps
}

BEGIN {
    FINE = 4000 # of which the picture shows every fourth
    BARS = 120
    MODES = 5
    SQRT_2PI = 2.50662827
}

pass == "" {
    rate[++n] = $5
    next
}

FNR == 1 {
    set_scale(rate[1], rate[n])
    low = log(axis_low * unit_bps)
    width = log(axis_high * unit_bps) - low
    fine = width / FINE
    middle_half = log(rate[int(n * 3 / 4) + 1 > n ? n : int(n * 3 / 4) + 1] / rate[int(n / 4) + 1])
    bin = between(2 * middle_half / n ^ (1 / 3), width / BARS, 0.02)
    if (bin < width / BARS)
        bin = width / BARS
    kernel = between(0.9 * middle_half / 1.34 / n ^ 0.2, width / BARS / 2, 0.02)
}

{
    at = log($5) - low
    fine_count[int(at / fine)]++
    verdict = known($6, VERDICTS)
    counts[verdict]++
    bar[int(at / bin), verdict]++
}

END {
    m = split(VERDICTS, word, " ")
    for (b = 0; b * bin <= width; b++) {
        top = 0
        for (i = 1; i <= m; i++)
            if ((b, word[i]) in bar) {
                printf "%.9g %.9g %d %d\n", exp(low + b * bin) / unit_bps, exp(low + (b + 1) * bin) / unit_bps,
                    top, top + bar[b, word[i]] > (panel ".bars." word[i])
                top += bar[b, word[i]]
            }
        if (top > highest)
            highest = top
    }
    for (i = 0; i <= FINE; i++) {
        height[i] = density(low + i * fine)
        if (height[i] > highest)
            highest = height[i]
        if (height[i] > peak)
            peak = height[i]
        if (i % 4 == 0)
            printf "%.9g %.9g\n", at_bin(i), height[i] > (panel ".density")
    }
    find_modes(3 * bin / (kernel * SQRT_2PI) > peak / 30 ? 3 * bin / (kernel * SQRT_2PI) : peak / 30)
    print_scale()
    print_counts("verdict", VERDICTS, counts)
    printf "highest = %.9g\nbin = '%.2g %%'\nkernel = '%.2g %%'\n", highest, bin * 100, kernel * 100
}

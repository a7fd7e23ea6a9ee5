# SPDX-License-Identifier: BSD-3-Clause
# stats.awk: a text log of pprec in a line, rates in kbit/s, "-" for what is unknown:
#   trains whole least p05 median p95 most mean sd mode near peaks above estimate state
# of the trains that arrived whole. `mode` is the half-sample mode, `near` the share (%) within 5 %
# of the truth, `peaks` that within 5 % of `peak`, `above` that
# more than 5 % above the truth. The estimate is the summary's: the lines may be a
# second behind. Variables: truth, peak (kbit/s).

# The half of the samples that lies closest together, again and again, on a logarithmic
# scale (Bickel and Fruehwirth 2006).
function half_sample_mode(low, high,    half, i, best) {
    while (high - low >= 2) {
        half = int((high - low + 2) / 2)
        best = low
        for (i = low; i + half - 1 <= high; i++)
            if (rate[i + half - 1] / rate[i] < rate[best + half - 1] / rate[best])
                best = i
        low = best
        high = best + half - 1
    }
    return sqrt(rate[low] * rate[high])
}

function within(is, want) {
    return is >= 0.95 * want && is <= 1.05 * want
}

function quantile(q) {
    return rate[int(q * (n - 1) + 1.5)]
}

function in_summary(key,    text) {
    if (!match($0, "\"" key "\":[^,}]*"))
        return "-"
    text = substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
    gsub(/"/, "", text)
    return text == "null" ? "-" : text
}

/^#.*"type":"summary"/ {
    estimate = in_summary("capacity_bps")
    state = in_summary("state")
}

/^#/ { next }

# Trains number from 0; some are lost whole.
$4 >= trains { trains = $4 + 1 }

$6 == $7 && $10 != "-" {
    for (i = ++n; i > 1 && rate[i - 1] > $10; i--)
        rate[i] = rate[i - 1]
    rate[i] = $10 + 0
    sum += $10
    near += within($10, truth)
    peaks += within($10, peak)
    above += $10 > 1.05 * truth
}

END {
    estimate = estimate == "" || estimate == "-" ? "-" : sprintf("%.1f", estimate / 1000)
    if (!n) {
        print trains + 0, 0, "- - - - - - - - - - -", estimate, state == "" ? "-" : state
        exit
    }
    for (i = 1; i <= n; i++)
        squares += (rate[i] - sum / n) ^ 2
    printf "%d %d %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.0f %.0f %.0f %s %s\n", trains, n, rate[1],
        quantile(0.05), (rate[int((n + 1) / 2)] + rate[int(n / 2) + 1]) / 2, quantile(0.95), rate[n],
        sum / n, sqrt(squares / n), half_sample_mode(1, n), 100 * near / n, 100 * peaks / n,
        100 * above / n, estimate, state
}

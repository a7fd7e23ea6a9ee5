# SPDX-License-Identifier: BSD-3-Clause
# scale.awk: the axis of rates: its unit, ends, and whether it is logarithmic. Linear axes span at
# least 10 %, so that the noise of a clean link does not look like trouble.

function log_ticks(low, high,    list, decade, digits, n, digit, i, tick) {
    # the fewer decades, the more ticks in each, but for small panels
    n = split(high < 20 * low && !small ? "1 1.5 2 3 4 5 6 8" : high < 2000 * low ? "1 2 5" : "1", digit, " ")
    for (decade = 1e-9; decade <= high; decade *= 10)
        for (i = 1; i <= n; i++) {
            tick = decade * digit[i]
            if (tick >= low * 0.999 && tick <= high * 1.001)
                list = list (list == "" ? "" : ",") sprintf("%.3g", tick)
        }
    return list
}

# The unit is one for the rate `like`, or for the middle of the axis.
function set_scale(low_bps, high_bps, like,    middle, half, margin) {
    middle = like ? like : sqrt(low_bps * high_bps)
    unit_bps = middle >= 0.999e9 ? 1e9 : middle >= 0.999e6 ? 1e6 : 1e3
    unit = (unit_bps == 1e9 ? "G" : unit_bps == 1e6 ? "M" : "k") "bit/s"
    log_axis = high_bps > 4 * low_bps
    if (log_axis) {
        margin = (high_bps / low_bps) ^ 0.07 # as much of the axis as of a linear one, in a terminal half a row
        axis_low = low_bps / unit_bps / margin
        axis_high = high_bps / unit_bps * margin
    } else {
        middle = (low_bps + high_bps) / 2 / unit_bps
        half = (high_bps - low_bps) / unit_bps * 0.55
        if (half < 0.05 * middle)
            half = 0.05 * middle
        axis_low = middle - half
        axis_high = middle + half
    }
}

# Where on the axis, from 0 to 1; x is in the unit.
function place(x) {
    return log_axis ? log(x / axis_low) / log(axis_high / axis_low) \
        : (x - axis_low) / (axis_high - axis_low)
}

function print_scale() {
    printf "unit = '%s'\n", unit
    print_axis()
}

function print_axis() {
    printf "log_axis = %d\naxis_low = %.9g\naxis_high = %.9g\nticks = '%s'\n",
        log_axis, axis_low, axis_high, log_axis ? log_ticks(axis_low, axis_high) : ""
}

# Panels of one log share the axis of time: this panel's rows come first, then, with pass=time, those of all.
function share_time(    part) {
    split($1, part, "|")
    if (pass == "")
        log_number = part[1]
    else if (part[1] == log_number) {
        if (first_s == "" || $2 < first_s)
            first_s = $2
        if ($2 > last_s)
            last_s = $2
    }
}

# Seconds for a run, days for a month.
function set_time_unit(span_s) {
    time_unit = span_s < 600 ? "s" : span_s < 3 * 3600 ? "min" : span_s < 4 * 86400 ? "h" : "days"
    time_unit_s = time_unit == "s" ? 1 : time_unit == "min" ? 60 : time_unit == "h" ? 3600 : 86400
}

function print_time(first_s, span_s) {
    printf "first_s = %.0f\nspan = %.9g\ntime_unit = '%s'\n", int(first_s), (span_s > 0 ? span_s : 1) / time_unit_s, time_unit
}

# The words of a log, in the order of legends; each has its own sign in style.gp. A word of a
# later version is `other`.
BEGIN {
    VERDICTS = "ok compressed expanded partial reordered sender_limited batched late foreign_size reach other"
    STATES = "converged shaped fair policed varying tentative ambiguous sender_limited insufficient other"
}

function known(word, words) {
    return index(" " words " ", " " word " ") ? word : "other"
}

# The words that were counted, and how often, as two of gnuplot's lists.
function print_counts(name, words, counts,    word, n, i, list, numbers) {
    n = split(words, word, " ")
    for (i = 1; i <= n; i++)
        if (word[i] in counts) {
            list = list (list == "" ? "" : " ") word[i]
            numbers = numbers " " counts[word[i]]
        }
    printf "%ss = '%s'\n%s_counts = '%s'\n", name, list, name, numbers
}

# A lower bound: the path may be faster.
function is_bound(high, state) { return state == "sender_limited" || (state == "policed" && high == "-") }

# An estimate in words.
function answer(capacity, low, high, state,    text) {
    if (capacity == "-")
        return "no estimate (" state ")"
    text = sprintf("%s%.5g %s", is_bound(high, state) ? "at least " : "", capacity / unit_bps, unit)
    if (low != "-" && high != "-")
        text = text sprintf(" (%.5g to %.5g)", low / unit_bps, high / unit_bps)
    return text ", " state
}

# SPDX-License-Identifier: BSD-3-Clause
# figures.awk: reads the files machine, table and sweep, and answers about runs by name, or by names
# in a list with spaces. Rates in kbit/s.

BEGIN {
    COLUMNS = split("name truth peak trains whole least p05 median p95 most mean sd mode near " \
        "peaks above estimate state", column, " ") # as `page` and stats.awk write them
    NEAR = 15 # what "near" and "about" allow a mean, %
}

FILENAME == "machine" { machine = $0 }

FILENAME == "table" {
    order[++runs] = $1
    for (i = 1; i <= COLUMNS; i++)
        run[$1, column[i]] = $i
}

FILENAME == "sweep" && $1 == "rate" {
    link_off[$2, $3, $4] = $5 == "-" ? "-" : 100 * ($5 / $4 - 1)
    link_state[$2, $3, $4] = $6
    shape[++shapes] = $2 SUBSEP $3 SUBSEP $4
}

FILENAME == "sweep" && $1 == "cpu" {
    sender_us[$2, $3] = $4 / 1000
    receiver_us[$2, $3] = $5 / 1000
}

function abs(x) { return x < 0 ? -x : x }

function get(name, key) {
    if (!((name, key) in run)) {
        print "claims.awk: no run '" name "', or no figure '" key "' of it" | "cat >&2"
        broken = 1
        exit 1
    }
    return run[name, key]
}

# How far from the truth, %.
function off(name, key) { return 100 * (get(name, key) / get(name, "truth") - 1) }

# The names of all runs that match, in the order of the table.
function matching(pattern,    i, list) {
    for (i = 1; i <= runs; i++)
        if (order[i] !~ /\.median$/ && order[i] ~ pattern)
            list = list (list == "" ? "" : " ") order[i]
    return list
}

function count_of(names,    name) { return split(names, name, " ") }

# "a, b, c"
function list_of(names, key, format,    name, n, i, text) {
    n = split(names, name, " ")
    for (i = 1; i <= n; i++)
        text = text (i > 1 ? ", " : "") sprintf(format, get(name[i], key))
    return text
}

function rate(kbps) {
    return kbps == "-" ? "none" : kbps >= 1e6 ? sprintf("%.4g Gbit/s", kbps / 1e6) \
        : kbps >= 1000 ? sprintf("%.4g Mbit/s", kbps / 1000) : sprintf("%.4g kbit/s", kbps)
}

function rates(name, from, to) { return rate(get(name, from)) " to " rate(get(name, to)) }

### Of all the names

function all_within(names, key, least, most,    name, n, i) { # as shares of the truth, %
    n = split(names, name, " ")
    for (i = 1; i <= n; i++)
        if (get(name[i], key) == "-" || 100 + off(name[i], key) < least \
            || 100 + off(name[i], key) > most)
            return 0
    return n > 0
}

function all_near(names) { return all_within(names, "mean", 100 - NEAR, 100 + NEAR) }

function all_exact(names) {
    return all_within(names, "least", 99.9, 100.1) && all_within(names, "most", 99.9, 100.1)
}

function all_between(names, key, least, most,    name, n, i) {
    n = split(names, name, " ")
    for (i = 1; i <= n; i++)
        if (get(name[i], key) < least || get(name[i], key) > most)
            return 0
    return n > 0
}

function all_falling(names, key,    name, n, i) {
    n = split(names, name, " ")
    for (i = 2; i <= n; i++)
        if (get(name[i], key) >= get(name[i - 1], key))
            return 0
    return n > 1
}

### What the filter said

function is_sure(state) { return state ~ /^(converged|shaped|fair|policed|varying)$/ }

function wrong(name) { return is_sure(get(name, "state")) && abs(off(name, "estimate")) > 5 }

# A lower bound that the truth is below.
function bound_wrong(name) {
    return get(name, "state") == "sender_limited" && off(name, "estimate") > 5
}

function one_said(name) {
    return (get(name, "state") == "sender_limited" ? "at least " : "") rate(get(name, "estimate")) \
        " " get(name, "state") (wrong(name) || bound_wrong(name) ? " (**wrong**)" : "")
}

# Up to three each, more counted by state.
function filter_said(names,    name, n, i, text, count, right, state, states, m) {
    n = split(names, name, " ")
    for (i = 1; i <= n; i++) {
        text = text (i > 1 ? "; " : "") one_said(name[i])
        if (!count[get(name[i], "state")]++)
            states = states " " get(name[i], "state")
        right[get(name[i], "state")] += abs(off(name[i], "estimate")) <= 2
    }
    if (n <= 3)
        return text
    text = ""
    m = split(states, state, " ")
    for (i = 1; i <= m; i++)
        text = text (i > 1 ? "; " : "") sprintf("%d %s, %d of them within 2 %%", count[state[i]],
            state[i], right[state[i]])
    return text
}

# SPDX-License-Identifier: BSD-3-Clause
# hours.awk: a log of pprec, text or JSON Lines, as a line for each hour of each series, in one pass and in memory that
# does not grow with the log:
#   LOG|ADDRESS|LAYER hour trains p05 p25 p50 p75 p95 capacity low high state most
# and at the end, from the file `days` on, a line for each hour of the day of each series:
#   LOG|ADDRESS|LAYER hour-of-day trains p05 p25 p50 p75 p95
# hour: since 1970, of UTC. Rates are in bit/s; quantiles are of bins of 0.5 %. The estimate with its state is the hour's
# last, `most` the state that most trains met. A series is an address that sends, for the streams of a year are as many as
# runs of senders.
# Rows come in the order of time, as they are written; one that is late by an hour is counted in the next.
# Variables: log_number; days: a file's name.

function say(text) {
    print text | "cat >&2"
}

# pprec writes flat objects, and no value that needs an escape.
function value(key,    at, text) {
    at = index($0, "\"" key "\":")
    if (!at)
        return "-"
    text = substr($0, at + length(key) + 3)
    match(text, /^ *("[^"]*"|[^,} ]*)/)
    text = substr(text, 1, RLENGTH)
    gsub(/[" ]/, "", text)
    return text == "" || text == "null" ? "-" : text
}

# The series of a source; no more is kept of it than its address.
function series(source,    address) {
    if (source in known_source)
        return known_source[source]
    address = source
    sub(/:[0-9]+$/, "", address)
    if (address !~ /^[]0-9A-Za-z_.:%[-]+$/)
        return ""
    if (!(address in known_address)) {
        known_address[address]
        name[++all] = address
    }
    # sources are as many as runs of senders: the table is begun anew
    if (++sources > 10000) {
        split("", known_source)
        sources = 0
    }
    return known_source[source] = address
}

# Of the bins from low to high of counts, that are n in all: the text of five quantiles. Empties them when asked.
function quantiles(counts, key, low, high, n, empty,    i, q, seen, text) {
    q = 1
    for (i = low; i <= high; i++) {
        if (!((key, i) in counts))
            continue
        seen += counts[key, i]
        if (empty)
            delete counts[key, i]
        while (q <= 5 && seen >= share[q] * n) {
            text = text sprintf(" %.6g", exp(i / BINS))
            q++
        }
    }
    return text
}

function end_hour(key,    word, most, often, i) {
    for (i = 1; i <= words; i++) {
        word = state_word[i]
        if (of_state[key, word] > often) {
            often = of_state[key, word]
            most = word
        }
        delete of_state[key, word]
    }
    print log_number "|" key "|" layer, hour[key], trains[key] \
        (rates[key] ? quantiles(in_hour, key, least[key], greatest[key], rates[key], 1) : " - - - - -"), last[key], most
    trains[key] = rates[key] = 0
    delete least[key]
}

# The word it is counted as.
function count_state(key, state) {
    if (!(state in state_number)) {
        if (words >= 40 || state !~ /^[a-z][a-z0-9_]*$/)
            state = "other"
        if (!(state in state_number)) {
            state_number[state] = ++words
            state_word[words] = state
        }
    }
    of_state[key, state]++
    return state
}

function count_rate(key, bps, h,    bin, place) {
    bin = int(BINS * log(bps) + 0.5)
    in_hour[key, bin]++
    rates[key]++
    if (!(key in least) || bin < least[key])
        least[key] = bin
    if (rates[key] == 1 || bin > greatest[key])
        greatest[key] = bin
    place = key " " h % 24
    in_day[place, bin]++
    if (!(place in of_day) || bin < day_least[place])
        day_least[place] = bin
    if (!(place in of_day) || bin > day_greatest[place])
        day_greatest[place] = bin
    of_day[place]++
}

function is_wrong(bps) {
    return bps != "-" && bps + 0 <= 0
}

function put(time, source, bps, capacity, low, high, state,    key, h) {
    key = series(source)
    if (key == "" || time + 0 <= 0 || is_wrong(bps) || is_wrong(capacity) || is_wrong(low) || is_wrong(high)) {
        bad++
        return
    }
    h = int(time / 3600)
    if (!(key in hour))
        hour[key] = h
    if (h > hour[key]) {
        if (trains[key])
            end_hour(key)
        hour[key] = h
    }
    trains[key]++
    good++
    if (bps != "-")
        count_rate(key, bps + 0, h)
    last[key] = capacity " " low " " high " " count_state(key, state)
}

function bps_of(kbps) {
    return kbps == "-" ? "-" : kbps * 1000
}

BEGIN {
    layer = "-"
    BINS = 200
    split("0.05 0.25 0.5 0.75 0.95", share, " ")
}

NF == 15 && !/^[#{]/ {
    put($1, $2, bps_of($10), bps_of($12), bps_of($13), bps_of($14), $15)
    next
}

/^\{/ {
    if (index($0, "\"type\":\"train\""))
        put(value("time"), value("source"), value("rate_bps"), value("capacity_bps"), value("low_bps"), value("high_bps"),
            value("state"))
    next
}

/^#/ {
    if ($2 == "pprec" && match($0, / layer=[a-z0-9]+/))
        layer = substr($0, RSTART + 7, RLENGTH - 7)
    next
}

NF { bad++ }

END {
    for (i = 1; i <= all; i++)
        if (trains[name[i]])
            end_hour(name[i])
    for (i = 1; i <= all; i++)
        for (h = 0; h < 24; h++) {
            place = name[i] " " h
            if (place in of_day)
                print log_number "|" name[i] "|" layer, h, of_day[place] \
                    quantiles(in_day, place, day_least[place], day_greatest[place], of_day[place], 0) > days
        }
    if (!good) {
        say("no train in it; wanted is what pprec -o, or pprec --json without -q, wrote")
        exit 1
    }
    if (bad)
        say("skipped what is no train: " bad (bad == 1 ? " line" : " lines"))
}

# SPDX-License-Identifier: BSD-3-Clause
# rows.awk: the trains of a log of pprec, text or JSON Lines, in one shape:
#   LOG|SOURCE|STREAM|LAYER time size sent rate verdict capacity low high state delay
# in s, bytes, bit/s and ns, "-" for what is unknown; for curves the train's number and its
# packets' positions and arrivals as lists follow. The log is read twice (pass=2), because
# JSON tells the layer in intervals and summaries, after the trains. What is wrong with the log
# is one line on stderr; exit 1 when there is nothing to draw.
# Variables: log_number; torn: the last line has no end; kind: of the picture.

function say(text) {
    print text | "cat >&2"
}

function refuse(text) {
    say(text)
    refused = 1
    exit 1
}

# pprec writes flat objects, and no value that needs an escape.
function value(key,    at, text) {
    at = index($0, "\"" key "\":")
    if (!at)
        return "-"
    text = substr($0, at + length(key) + 3)
    sub(/^ */, "", text)
    match(text, /^("[^"]*"|\[[^]]*\]|[^,} ]*)/)
    text = substr(text, 1, RLENGTH)
    gsub(/["[\]]/, "", text)
    return text == "" || text == "null" ? "-" : text
}

function is_number(text) {
    return text ~ /^[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?$/
}

function is_word(text) {
    return text ~ /^[a-z][a-z0-9_]*$/
}

function bps(text, unit_bps) {
    if (text == "-")
        return text
    numbers_wrong += !is_number(text)
    return text + 0 > 0 ? sprintf("%.1f", text * unit_bps) : "-"
}

function print_train(time, source, stream, layer, size, sent, rate, verdict, capacity, low, high, state, delay) {
    if (numbers_wrong || !is_number(time) || !is_number(size) || !is_number(sent) \
        || !is_word(verdict) || !is_word(state) || delay !~ /^(-|-?[0-9]+)$/ \
        || source stream layer !~ /^[]0-9A-Za-z_.:%[-]+$/)
        return 0
    trains++
    if (kind == "curve")
        return print_curve(log_number "|" source "|" stream "|" layer " " time " " size)
    drawable += (kind == "delay" ? delay : rate) != "-"
    print log_number "|" source "|" stream "|" layer, time, size, sent, rate, verdict, capacity, low, high, state, delay
    return 1
}

# Two lists of numbers, of equal length; what is shorter than a pair has no curve.
function print_curve(row,    positions, offsets, number, packets) {
    positions = value("positions")
    offsets = value("offsets_ns")
    if (positions == "-" && offsets == "-")
        return 1
    packets = split(positions, number, ",")
    if (packets != split(offsets, number, ",") || positions "," offsets !~ /^[0-9]+(,-?[0-9]+)*$/)
        return 0
    if (packets < 2)
        return 1
    drawable++
    print row, "- - - - - - - -", value("train"), positions, offsets
    return 1
}

function text_train() {
    return NF == 15 && print_train($1, $2, $3, layer, $5, $6, bps($10, 1000), $11, bps($12, 1000),
        bps($13, 1000), bps($14, 1000), $15, "-")
}

function json_train(    source, stream) {
    source = value("source")
    stream = value("stream")
    return print_train(value("time"), source, stream,
        (source, stream) in layer_of ? layer_of[source, stream] : "-", value("size"),
        value("sent"), bps(value("rate_bps"), 1), value("verdict"), bps(value("capacity_bps"), 1),
        bps(value("low_bps"), 1), bps(value("high_bps"), 1), value("state"), value("delay_ns"))
}

BEGIN { layer = "-" }

pass != 2 {
    lines = FNR
    if (/^\{.*"layer":/)
        layer_of[value("source"), value("stream")] = value("layer")
    next
}

torn && FNR == lines { next }

/^#/ {
    if ($2 == "pprec" && match($0, / layer=[^ ]+/))
        layer = substr($0, RSTART + 7, RLENGTH - 7)
    next
}

/^[ \t\r]*$/ { next }

{
    numbers_wrong = 0
    if (/^\{.*\}[ \t\r]*$/ ? value("type") != "train" || json_train() : text_train())
        good++
    else if (good)
        skipped = skipped (skipped == "" ? "" : ", ") FNR
    else if (/^type,time,/)
        refuse("is CSV; wanted is what pprec -o or pprec --json wrote")
    else
        refuse("line " FNR " is no train; wanted is what pprec -o or pprec --json wrote")
}

END {
    if (refused)
        exit 1
    if (!lines)
        refuse("is empty; wanted is what pprec -o or pprec --json wrote")
    if (!trains)
        refuse("no train in it; wanted is what pprec -o, or pprec --json without -q, wrote")
    if (!drawable && kind == "delay")
        refuse("no train tells its delay; wanted are JSON Lines with delay_ns (text logs have no send times)")
    if (!drawable && kind == "curve")
        refuse("no train tells its packets; wanted is what pprec --json --packets wrote")
    if (!drawable)
        refuse("none of its " trains " trains has a rate; wanted are trains that arrived whole")
    if (skipped != "")
        say("skipped what is no train: line " (length(skipped) > 50 ? substr(skipped, 1, 47) "..." : skipped))
}

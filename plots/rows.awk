# SPDX-License-Identifier: BSD-3-Clause
# rows.awk: the trains of a log of pprec, text or JSON Lines, in one shape:
#   LOG|SOURCE|STREAM|LAYER time size sent rate verdict capacity low high state delay
# in s, bytes, bit/s and ns, "-" for what is unknown; for rates that of the second half of the train follows; for curves the train's number and its
# packets' positions and arrivals as lists follow, for responses the time from its first departure to its
# last. Of what is available the rows are the interval reports, which a text log has as comments: what is
# free stands for the rate, its state for the verdict. The log is read twice (pass=2), because
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
    if (kind == "available")
        return 1
    if (kind == "response" && /^\{/) {
        trains--
        return print_response(source, stream, layer)
    }
    if (kind == "hops")
        return 1
    drawable += (kind == "delay" ? delay : rate) != "-"
    print log_number "|" source "|" stream "|" layer, time, size, sent, rate, verdict, capacity, low, high, state, delay,
        kind == "rate" && rate != "-" && value("received") == sent ? second_half(size, sent) : "-"
    return 1
}

# The rate of the second half of a train that arrived whole and tells when each packet did.
function second_half(size, sent,    positions, offsets, half) {
    half = int(sent / 2) + 1
    if (split(value("positions"), positions, ",") != sent || split(value("offsets_ns"), offsets, ",") != sent \
        || offsets[sent] - offsets[half] <= 0)
        return "-"
    return sprintf("%.1f", size * 8e9 * (sent - half) / (offsets[sent] - offsets[half]))
}

# As print_train(), of a train that left whole and tells how.
function print_response(source, stream, layer,    departure) {
    departure = value("departure_ns")
    if (departure !~ /^(-|[0-9]+)$/ || value("received") != value("sent"))
        departure = "-"
    trains++
    drawable += departure != "-" && departure + 0 > 0
    print log_number "|" source "|" stream "|" layer, value("time"), value("size"), value("sent"),
        bps(value("rate_bps"), 1), value("verdict"), bps(value("capacity_bps"), 1), "- -", value("state"), "-", departure
    return 1
}

# Nothing free is a figure, too.
function free(key,    text) {
    text = value(key)
    return is_number(text) ? sprintf("%.1f", text) : "-"
}

function print_available(    source, stream, word) {
    source = value("source")
    stream = value("stream")
    word = value("available_state")
    if (!is_number(value("time")) || !is_word(word) || source stream value("layer") !~ /^[]0-9A-Za-z_.:%[-]+$/)
        return
    reports++
    drawable += word != "unknown"
    print log_number "|" source "|" stream "|" value("layer"), value("time"), "0 0",
        word == "unknown" ? "-" : free("available_bps"), word, bps(value("capacity_bps"), 1),
        free("available_low_bps"), free("available_high_bps"), "-", "-"
}

# Each hop of the last report that has any: hop, 0, first and last that may be narrow, and the narrow link's rate, or
# the path's capacity.
function keep_hops(    key, list, n, i, rows, hop, capacity, path, narrow, last) {
    key = log_number "|" value("source") "|" value("stream") "|" value("layer")
    reports++
    i = index($0, "\"hops\":[{")
    if (!i || key !~ /^[]0-9A-Za-z_.:%[|-]+$/)
        return
    path = bps(value("narrow_link_bps"), 1)
    path = path == "-" ? bps(value("capacity_bps"), 1) : path
    narrow = value("narrow_hop")
    last = value("narrow_hop_last")
    n = split(substr($0, i + 8), list, "}")
    for (i = 1; i <= n && list[i] ~ /"hop":[0-9]+,/; i++) {
        $0 = list[i] "}"
        hop = value("hop")
        capacity = bps(value("capacity_bps"), 1)
        if (!is_number(hop) || !is_word(value("state")))
            return
        drawable += capacity != "-"
        rows = rows key " " hop " 0 " narrow " " capacity " " value("state") " " path " " \
            bps(value("low_bps"), 1) " " bps(value("high_bps"), 1) " " last " -\n"
    }
    if (!(key in hops_of))
        hops_order[++hops_series] = key
    hops_of[key] = rows
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

kind == "available" && /^(# )?\{"type":"interval",.*\}[ \t\r]*$/ { print_available() }

kind == "hops" && /^(# )?\{"type":"(interval|summary)",.*\}[ \t\r]*$/ { keep_hops(); next }

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
    for (i = 1; i <= hops_series; i++)
        printf "%s", hops_of[hops_order[i]]
    if (!drawable && kind == "hops")
        refuse(reports ? "no hops in it; wanted is a summary of what pptrans --locate sent" \
            : "no summary in it; wanted is what pprec -o or pprec --json wrote to its end")
    if (!trains && kind != "available" && kind != "hops")
        refuse("no train in it; wanted is what pprec -o, or pprec --json without -q, wrote")
    if (!drawable && kind == "delay")
        refuse("no train tells its delay; wanted are JSON Lines with delay_ns (text logs have no send times)")
    if (!drawable && kind == "response")
        refuse("no train tells how it left; wanted are JSON Lines with departure_ns (text logs have none)")
    if (!drawable && kind == "available")
        refuse(reports ? "none of its " reports " interval reports tells what is free" \
            : "no interval reports in it; wanted is what pprec -i SECONDS wrote")
    if (!drawable && kind == "curve")
        refuse("no train tells its packets; wanted is what pprec --json --packets wrote")
    if (!drawable)
        refuse("none of its " trains " trains has a rate; wanted are trains that arrived whole")
    if (skipped != "")
        say("skipped what is no train: line " (length(skipped) > 50 ? substr(skipped, 1, 47) "..." : skipped))
}

# SPDX-License-Identifier: BSD-3-Clause
# series.awk: which panel each series of the rows goes to, as lines SERIES PANEL STREAMS, in the
# order in which they began: all, or those of the stream `want`; the `most` longest. A panel
# shows one series, or, with merge=1, all of a log at one layer. STREAMS: how many there are.

function say(text) {
    print text | "cat >&2"
}

{ split($1, part, "|") }

!($1 in known) {
    known[$1]
    if (!((part[2], part[3]) in streams_known))
        streams = streams " " part[3]
    streams_known[part[2], part[3]]
    in_log[part[1]]++
    order[++all] = $1
}

want == "" || want == part[2] || want == part[3] {
    found = 1
    panel = merge ? part[1] "|" part[4] : $1
    trains[panel]++
    drawable[panel] += $column != "-"
    panel_of[$1] = panel
}

END {
    for (panel in trains)
        if (drawable[panel])
            panels++
        else
            delete trains[panel]
    if (!panels) {
        say(found ? "nothing to draw" : "not in the logs, which have" \
            (length(streams) > 60 ? substr(streams, 1, 57) "..." : streams))
        exit 1
    }
    if (panels > most)
        say("drawn are the " most " of " panels " panels with most trains; --stream chooses")
    for (; panels > most; panels--) {
        least = ""
        for (panel in trains)
            if (least == "" || trains[panel] < trains[least])
                least = panel
        delete trains[least]
    }
    for (i = 1; i <= all; i++) {
        panel = panel_of[order[i]]
        if (!(panel in trains))
            continue
        if (!(panel in number))
            number[panel] = ++n
        split(order[i], part, "|")
        print order[i], number[panel], in_log[part[1]]
    }
}

# SPDX-License-Identifier: BSD-3-Clause
# series.awk: which series of the rows to draw, in the order in which they began: all, those
# of the stream `want`, or the `most` longest. column: the value that will be drawn.

function say(text) {
    print text | "cat >&2"
}

{
    if (!($1 in trains)) {
        order[++all] = $1
        split($1, part, "|")
        if (!((part[2], part[3]) in known))
            streams = streams " " part[3]
        known[part[2], part[3]]
    }
    trains[$1]++
    drawable[$1] += $column != "-"
}

END {
    for (i = 1; i <= all; i++) {
        split(order[i], part, "|")
        if (want == "" || want == part[2] || want == part[3]) {
            found++
            if (drawable[order[i]])
                chosen[++n] = order[i]
        }
    }
    if (!n) {
        say(found ? "has nothing to draw" : "not in the log, which has" \
            (length(streams) > 60 ? substr(streams, 1, 57) "..." : streams))
        exit 1
    }
    for (left = n; left > most; left--) {
        least = 0
        for (i = 1; i <= n; i++)
            if (!(i in dropped) && (!least || trains[chosen[i]] < trains[chosen[least]]))
                least = i
        dropped[least]
    }
    if (n > most)
        say("drawn are the " most " of " n " streams with most trains; --stream chooses one")
    for (i = 1; i <= n; i++)
        if (!(i in dropped))
            print chosen[i], all
}

# SPDX-License-Identifier: BSD-3-Clause
# panels.awk: which panel each series of hours.awk goes to, as lines SERIES PANEL SERIES-IN-LOG, in the order in which they
# are there: the `most` of most trains, or those of the address `want`.

{
    split($1, part, "|")
    if (!($1 in trains)) {
        order[++all] = $1
        in_log[part[1]]++
    }
    trains[$1] += $3
    if (want != "" && want != part[2])
        delete trains[$1]
}

END {
    for (i = 1; i <= all; i++)
        left += order[i] in trains
    if (!left) {
        print "not in the logs" | "cat >&2"
        exit 1
    }
    if (left > most)
        print "drawn are the " most " of " left " with most trains; --stream chooses" | "cat >&2"
    for (; left > most; left--) {
        least = ""
        for (i = 1; i <= all; i++)
            if (order[i] in trains && (least == "" || trains[order[i]] < trains[least]))
                least = order[i]
        delete trains[least]
    }
    for (i = 1; i <= all; i++)
        if (order[i] in trains) {
            split(order[i], part, "|")
            print order[i], ++n, in_log[part[1]]
        }
}

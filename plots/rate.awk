# SPDX-License-Identifier: BSD-3-Clause
# rate.awk: one series, as files for rate.gp and facts on stdout:
#   PANEL.points.VERDICT   time rate
#   PANEL.norate           time, of trains without a rate
#   PANEL.long             time rate, of trains of LONG packets and more: of their second half, where their packets are known
#   PANEL.estimate.STATE   time capacity, as steps: an estimate holds until the next train
#   PANEL.interval         time low high, likewise
# What would be drawn over itself is left out, so that the picture of a month stays light.
# What there is none of is an empty file.
# Input: PANEL.rows pass=time, rows of all panels, pass=draw, PANEL.rows. Variable: panel.

function widen(bps) {
    if (bps == "-")
        return
    if (!low_bps || bps < low_bps)
        low_bps = bps
    if (bps > high_bps)
        high_bps = bps
}

function hidden(verdict, t, y,    cell) {
    cell = verdict " " int(cells * t / span) " " int(cells / 2 * y)
    if (cell in seen)
        return 1
    seen[cell]
    return 0
}

# What a bucket lets pass at once makes a train as a whole too fast; its second half has the rate that lasts.
function put_long(t,    bps) {
    bps = $12 == "-" ? $5 : $12
    if ($4 < LONG || bps == "-" || (halves_known && $12 == "-"))
        return
    long++
    if (!hidden("long", t, place(bps / unit_bps)))
        printf "%.9g %.9g\n", t, bps / unit_bps > (panel ".long")
}

# Draws the estimate that held until now, and begins the new one. Of changes of state so close to each other that they
# are drawn over one another CHANGES are drawn; the others are passed over, till the next place or what holds then.
function step(t, capacity, low, high, state,    steady, due) {
    if (low == "-" || high == "-")
        low = high = "-"
    else
        has_interval = 1
    steady = state == held_state && (low == "-") == (held_low == "-") \
        && (capacity == "-") == (held_capacity == "-")
    due = t >= next_step
    if (due) {
        changes = 0
        next_step = t + span / 800
    }
    if (capacity != "-")
        state_counts[state]++
    if (!steady && ++changes > CHANGES) {
        passed_over = 1
        return
    }
    if (!steady || due) {
        draw_step(panel ".estimate." held_state, t, held_capacity, "", steady && !passed_over)
        draw_step(panel ".interval", t, held_low, held_high, steady && !passed_over)
        draw_step(panel ".estimate." state, t, capacity, "", 1)
        draw_step(panel ".interval", t, low, high, 1)
        passed_over = 0
    }
    held_capacity = capacity
    held_low = low
    held_high = high
    held_state = state
}

function draw_step(file, t, low, high, goes_on) {
    if (low == "-")
        return
    printf "%.9g %.9g %s\n", t, low / unit_bps, (high == "" ? "" : sprintf("%.9g", high / unit_bps)) > file
    if (!goes_on)
        print "" > file
}

BEGIN {
    CHANGES = 2
    LONG = 16 # as many as the first long trains of the mix have, at most; of fewer, half is a few gaps
    MANY = 20000 # of which a picture shows where they are, and no longer each
    held_capacity = held_low = held_high = "-"
    printf "" > (panel ".interval")
    printf "" > (panel ".norate")
    printf "" > (panel ".long")
    printf "" > (panel ".estimate.")
}

# All panels share the axis of rates, whatever logs they are of.
pass != "draw" {
    share_time()
    if (pass == "") {
        rows++
        halves_known = halves_known || $12 != "-"
    }
    widen($5)
    widen($7)
    widen($12)
}

pass == "draw" {
    if (FNR == 1) {
        set_scale(low_bps, high_bps)
        set_time_unit(last_s - first_s)
        span = (last_s - first_s) / time_unit_s
        if (!span)
            span = 1
        cells = rows > MANY ? 125 : 250
    }
    t = ($2 - first_s) / time_unit_s
    verdict = known($6, VERDICTS)
    if ($5 == "-") {
        none++
        if (!hidden("norate", t, 0))
            printf "%.9g\n", t > (panel ".norate")
    } else {
        counts[verdict]++
        if (!hidden(verdict, t, place($5 / unit_bps)))
            printf "%.9g %.9g\n", t, $5 / unit_bps > (panel ".points." verdict)
    }
    put_long(t)
    step(t, $7, $8, $9, known($10, STATES))
}

END {
    next_step = 0
    step(t, held_capacity, held_low, held_high, held_state)
    print_scale()
    print_time(first_s, last_s - first_s)
    print_counts("verdict", VERDICTS, counts)
    print_counts("state", STATES, state_counts)
    printf "has_interval = %d\nno_rate = %d\nlong_trains = '%s'\nanswer = '%s'\n", has_interval, none,
        long ? sprintf("long trains%s (%d)", halves_known ? ": second half" : "", long) : "",
        answer(held_capacity, held_low, held_high, held_state)
}

# SPDX-License-Identifier: BSD-3-Clause
# bands.awk: the hours of one series, as files for bands.gp and fleet.gp, and facts on stdout:
#   PANEL.wide          time p05 p95 of the rates; broken where hours have none
#   PANEL.median        time p50
#   PANEL.estimate      time capacity, as steps
#   PANEL.interval      time low high, likewise
#   PANEL.strip.STATE   from to, of stretches of hours of one state
# A picture has room for PLACES in time, for all its panels: where there are more hours, several share one, and what is
# drawn is the mean of theirs by trains, and the state that most of them had.
# Input: PANEL.hours of all panels, pass=draw, PANEL.hours. Variables: panel, panels; shared: all panels have one axis of time.

function widen(bps) {
    if (bps == "-")
        return
    if (!low_bps || bps < low_bps)
        low_bps = bps + 0
    if (bps > high_bps)
        high_bps = bps + 0
}

function put(file, t, one, two) {
    printf "%.6g %.5g%s\n", t, one / unit_bps, (two == "" ? "" : sprintf(" %.5g", two / unit_bps)) > (panel file)
}

# As steps: what stays the same is drawn where it begins and where it ends, and no more often than can be seen.
function put_step(file, h, text) {
    if (text == drawn_text[file] || h < next_step[file]) {
        steady_h[file] = h
        return
    }
    end_steps(file)
    if (text != "")
        printf "%.6g %s\n", h * hour_long, text > (panel file)
    drawn_text[file] = text
    steady_h[file] = h
    next_step[file] = h + seldom
}

function end_steps(file) {
    if (drawn_text[file] != "")
        printf "%.6g %s\n\n", (steady_h[file] + together) * hour_long, drawn_text[file] > (panel file)
    drawn_text[file] = ""
    next_step[file] = 0
}

function put_estimate(h) {
    if (held_capacity == "" || held_capacity == "-")
        return
    put_step(".estimate", h, sprintf("%.4g", held_capacity / unit_bps))
    if (held_low != "-" && held_high != "-")
        put_step(".interval", h, sprintf("%.4g %.4g", held_low / unit_bps, held_high / unit_bps))
}

function gap(    file) {
    end_steps(".estimate")
    end_steps(".interval")
    for (file in drawn)
        print "" > (panel file)
}

# What the hours of a place had, drawn at its middle.
function end_place(    h) {
    if (!hours_here)
        return
    h = (first_here + last_here + 1) / 2 - first_h
    if (before != "" && first_here > before + together)
        gap()
    if (weight_here) {
        put(".wide", h * hour_long, low_here / weight_here, high_here / weight_here)
        put(".median", h * hour_long, median_here / weight_here)
    }
    put_estimate(first_here - first_h)
    before = last_here
    hours_here = weight_here = low_here = median_here = high_here = 0
}

# The strip has places of its own, for a rectangle takes more room than a point.
function end_cell(    word, most, state) {
    if (cell_first == "")
        return
    for (word in states_here)
        if (states_here[word] > most) {
            most = states_here[word]
            state = word
        }
    split("", states_here)
    if (state == stretch_state && cell_first <= stretch_to + seldom) {
        stretch_to = cell_last + 1
        return
    }
    end_stretch()
    stretch_state = state
    stretch_from = cell_first
    stretch_to = cell_last + 1
}

function end_stretch() {
    if (stretch_state != "")
        printf "%.6g %.6g\n", (stretch_from - first_h) * hour_long, (stretch_to - first_h) * hour_long > (panel ".strip." stretch_state)
}

BEGIN {
    PLACES = 8784 # the hours of a year
    SELDOM = 1600 # two for each point of a picture
    drawn[".wide"]; drawn[".median"]
    printf "" > (panel ".wide")
    printf "" > (panel ".median")
    printf "" > (panel ".estimate")
    printf "" > (panel ".interval")
}

pass == "" {
    if (shared || FILENAME == panel ".hours") {
        if (first_h == "" || $2 < first_h)
            first_h = $2
        if ($2 + 1 > last_h)
            last_h = $2 + 1
    }
    if (FILENAME == panel ".hours") {
        widen($4); widen($8); widen($9)
    }
    next
}

FNR == 1 {
    if (!low_bps)
        low_bps = high_bps = 1e6
    set_scale(low_bps, high_bps)
    span_s = (last_h - first_h) * 3600
    set_time_unit(span_s)
    hour_long = 3600 / time_unit_s
    together = int(((last_h - first_h) * panels + PLACES - 1) / PLACES)
    seldom = int(((last_h - first_h) * panels + SELDOM - 1) / SELDOM)
}

int($2 / together) != place_here {
    end_place()
    place_here = int($2 / together)
    first_here = $2
}

int($2 / seldom) != cell_here {
    end_cell()
    cell_here = int($2 / seldom)
    cell_first = $2
}

{
    trains += $3
    hours_here++
    last_here = cell_last = $2
    if ($4 != "-") {
        weight_here += $3
        low_here += $4 * $3
        median_here += $6 * $3
        high_here += $8 * $3
    }
    held_capacity = $9; held_low = $10; held_high = $11
    held_state = known($12, STATES)
    most_state = known($13, STATES)
    states_here[most_state]++
    hours_of[most_state]++
}

END {
    end_place()
    end_cell()
    end_stretch()
    end_steps(".estimate")
    end_steps(".interval")
    print_scale()
    print_time(first_h * 3600, span_s)
    print_counts("state", STATES, hours_of)
    if (held_capacity == "")
        held_capacity = held_low = held_high = "-"
    printf "trains = %d\nanswer = '%s'\n", trains, answer(held_capacity, held_low, held_high, held_state)
}

# SPDX-License-Identifier: BSD-3-Clause
# What all pictures share. facts.gp, which the driver makes, and colours.gp have been read before.
# A verdict has its own shape, besides its colour: compressed trains, which read too high, point
# up, expanded ones down.

if (terminal eq 'svg') set terminal svg size 800, height noenhanced background 'white' font 'sans,13' rounded
if (terminal eq 'png') set terminal pngcairo size 800, height noenhanced background 'white' font 'sans,10' rounded
if (terminal eq 'dumb') set terminal dumb size columns, rows noenhanced
if (terminal eq 'svg' || terminal eq 'png') set output 'picture'

verdict_words = 'ok compressed expanded partial reordered sender_limited batched late foreign_size reach other'
array verdict_colour[11] = [black, vermilion, blue, purple, orange, green, sky, grey, grey, sky, grey]
array verdict_point[11] = [7, 9, 11, 6, 2, 4, 12, 1, 3, 8, 14]
array verdict_size[11] = [0.4, 0.7, 0.7, 0.6, 0.6, 0.6, 0.7, 0.6, 0.6, 0.6, 0.6]

# Those that are sure have whole lines.
state_words = 'converged shaped fair policed varying tentative ambiguous sender_limited insufficient other'
array state_colour[10] = [green, purple, blue, vermilion, sky, orange, sky, blue, grey, grey]
array state_point[10] = [7, 5, 13, 11, 15, 6, 12, 9, 1, 3]
array state_dash[10] = [1, 1, 1, 1, 1, 2, 3, 4, 3, 3]

array line_colour[8] = [blue, vermilion, green, purple, orange, sky, black, grey]
array line_dash[8] = [1, 2, 4, 5, 1, 2, 4, 5]

number_of(item, list) = sum [i = 1:words(list)] (word(list, i) eq item ? i : 0)

# The signs of the words of this log, and what the legend says of them. A log without any
# estimate has no state: gnuplot runs through a loop once all the same, and finds an empty file.
v(i) = number_of(word(verdicts, i), verdict_words)
s(i) = states eq '' ? 1 : number_of(word(states, i), state_words)
verdict_title(i) = sprintf('%s (%s)', word(verdicts, i), word(verdict_counts, i))
state_title(i) = states eq '' ? '' : sprintf('estimate, %s', word(states, i))

rate_label(k) = sprintf('rate (%s, %s)', unit, layer[k])

# Series beside one another: who compares layers should know.
layers_differ = sum [i = 1:panels] (layer[i] ne layer[1])
common_rate_label(x) = layers_differ ? sprintf('rate (%s; the layers differ)', unit) : rate_label(1)
full_title(k) = title[k] . (layers_differ ? ' [' . layer[k] . ']' : '')

time_label(x) = sprintf('time since %s UTC (%s)', strftime('%Y-%m-%d %H:%M:%S', first_s), time_unit)

# Characters cannot stand on end: a terminal shows the label of the y axis above it.
headed(text, y_label) = terminal eq 'dumb' ? text . "\n" . y_label : text

set border 3 lc rgb grey
set tics nomirror out textcolor rgb black
set grid lc rgb pale lt 1
set xlabel offset 0, 0.3
# gnuplot takes letters for wider than they are: the legend would get too few columns.
set key below center horizontal Left reverse samplen 1.5 spacing 1.05 height 0.5 width -3
set style fill transparent solid 0.4 noborder

# Characters are coarser.
if (terminal eq 'dumb') {
    unset grid
    set xlabel offset 0, 0
    set key height 1 width 0
    set style fill empty border
}

# SPDX-License-Identifier: BSD-3-Clause
# One row a series: the last estimate and its interval, over the spread of the rates.
load 'facts'
do for [k = 1:panels] {
    set label k sprintf('%s: %s', full_title(k), answer[k]) at graph 0.005, first k - 0.33 left
}
set title 'Estimates, and the rates they come from'
set xlabel common_rate_label(0)
set xrange [axis_low : axis_high]
set yrange [panels + 0.6 : 0.4]
unset ytics
set border 1
if (log_axis) { set logscale x; eval sprintf('set xtics (%s)', ticks) }
plot 'boxes' using 4:1:2:6 with xerrorbars pt 0 ps 0 lw 1 lc rgb grey title 'rates, 5 to 95 %', \
    '' using 4:1:3:5:($1 - 0.1):($1 + 0.1) with boxxyerror lc rgb grey title '25 to 75 %', \
    for [i = 1:words(states)] word(states, i) . '.estimate' using 2:1:3:4 with xerrorbars \
        pt state_point[s(i)] ps 0.9 lw 1.5 lc rgb state_colour[s(i)] title state_title(i)

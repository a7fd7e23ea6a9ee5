# SPDX-License-Identifier: BSD-3-Clause
# Rates by packet size and train length: every train, and over them the quantiles.
if (panels > 1) set multiplot layout panels, 1
set boxwidth 0.5
set bmargin terminal eq 'dumb' ? 8 : 7
do for [k = 1:panels] {
    load sprintf('%d.facts', k)
    y_label = rate_label(k)
    set title headed(title[k] . left_out, y_label)
    set xlabel 'packet size (' . layer[k] . '), and number of trains' offset 0, terminal eq 'dumb' ? -1 : -0.6
    set ylabel y_label
    set xrange [0.4 : columns_x + 0.6]
    set yrange [axis_low : axis_high]
    unset logscale
    set ytics auto
    eval sprintf('set xtics (%s)', ticks_x)
    if (log_axis) { set logscale y; eval sprintf('set ytics (%s)', ticks) }
    plot sprintf('%d.points', k) with points pt 7 ps 0.3 lc rgb grey title 'train', \
        sprintf('%d.boxes', k) using 1:3:2:6:5 with candlesticks lc rgb blue \
            lw 1.5 title '25 to 75, 5 to 95 %' whiskerbars 0.5, \
        '' using 1:4:4:4:4 with candlesticks lw 3 lc rgb vermilion title 'median'
}

# SPDX-License-Identifier: BSD-3-Clause
# How rates are distributed in each hour of the day.
if (panels > 1) set multiplot layout panels, 1
do for [k = 1:panels] {
    load sprintf('%d.facts', k)
    y_label = rate_label(k)
    set title headed(title[k] . sprintf("\n%d trains", trains), y_label)
    set xlabel 'hour of the day (UTC)'
    set ylabel y_label
    set xrange [-0.7 : 23.7]
    set xtics 0, 3
    set yrange [axis_low : axis_high]
    set boxwidth 0.6
    unset logscale
    set ytics auto
    if (log_axis) { set logscale y; eval sprintf('set ytics (%s)', ticks) }
    plot sprintf('%d.boxes', k) using 1:3:2:6:5 with candlesticks fs solid 0.5 border rgb blue lc rgb sky \
            title 'rates, 5 to 95 %, and 25 to 75 %' whiskerbars 0.5, \
        '' using 1:4:4:4:4 with candlesticks lw 2 lc rgb black title 'median'
}

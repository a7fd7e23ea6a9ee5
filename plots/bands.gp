# SPDX-License-Identifier: BSD-3-Clause
# Rates hour by hour as bands, with the estimate, and a strip of its states.
if (panels > 1) set multiplot layout panels, 1
do for [k = 1:panels] {
    load sprintf('%d.facts', k)
    y_label = rate_label(k)
    set title headed(title[k] . sprintf("\n%d trains; at the end %s", trains, answer), y_label)
    set xlabel time_label(k)
    set ylabel y_label
    set xrange [0 : span]
    set yrange [axis_low : axis_high]
    set y2range [0 : 1]
    unset logscale
    set ytics auto
    if (log_axis) { set logscale y; eval sprintf('set ytics (%s)', ticks) }
    plot sprintf('%d.wide', k) using 1:2:3 with filledcurves fs solid 0.4 noborder lc rgb sky title 'rates, 5 to 95 %', \
        sprintf('%d.interval', k) using 1:2:3 with filledcurves fs solid 0.5 noborder lc rgb orange title 'interval', \
        sprintf('%d.median', k) using 1:2 with lines lw 1 lc rgb blue title 'median', \
        sprintf('%d.estimate', k) using 1:2 with lines lw 1.5 lc rgb black title 'estimate', \
        for [i = 1:words(states)] sprintf('%d.strip.%s', k, word(states, i)) \
            using (($1 + $2) / 2):(0.985):1:2:(0.97):(1) axes x1y2 with boxxyerror fs solid noborder \
            lc rgb state_colour[s(i)] notitle, \
        for [i = 1:words(states)] keyentry with boxes fs solid noborder lc rgb state_colour[s(i)] \
            title sprintf('%s (%s h)', word(states, i), word(state_counts, i))
}

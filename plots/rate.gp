# SPDX-License-Identifier: BSD-3-Clause
# Rate of each train over time, with the estimate, its interval and its state.
if (panels > 1) set multiplot layout panels, 1
do for [k = 1:panels] {
    load sprintf('%d.facts', k)
    y_label = rate_label(k)
    set title headed(title[k] . "\n" . answer, y_label)
    set xlabel time_label(k)
    set ylabel y_label
    set xrange [-0.01 * span : 1.01 * span]
    set yrange [axis_low : axis_high]
    unset logscale
    set ytics auto
    if (log_axis) { set logscale y; eval sprintf('set ytics (%s)', ticks) }
    plot sprintf('%d.interval', k) using 1:2:3 with filledcurves lc rgb sky \
            title has_interval ? 'interval' : '', \
        for [i = 1:words(verdicts)] sprintf('%d.points.%s', k, word(verdicts, i)) using 1:2 with points \
            pt verdict_point[v(i)] ps verdict_size[v(i)] lc rgb verdict_colour[v(i)] title verdict_title(i), \
        sprintf('%d.norate', k) using 1:(axis_low) with points pt 2 ps 0.5 lc rgb grey \
            title no_rate > 0 ? sprintf('no rate (%d)', no_rate) : '', \
        sprintf('%d.long', k) using 1:2 with points pt 6 ps 0.9 lc rgb black title long_trains, \
        for [i = 1:words(states)] sprintf('%d.estimate.%s', k, word(states, i)) using 1:2 with lines \
            lw 2.5 dt state_dash[s(i)] lc rgb state_colour[s(i)] title state_title(i)
}

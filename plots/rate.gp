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
    plot for [w in interval] sprintf('%d.%s', k, w) using 1:2:3 with filledcurves lc rgb sky title 'low to high', \
        for [w in verdicts] sprintf('%d.points.%s', k, w) using 1:2 with points \
            pt verdict_point[v(w)] ps verdict_size[v(w)] lc rgb verdict_colour[v(w)] \
            title sprintf('%s (%s)', w, word(verdict_counts, number_of(w, verdicts))), \
        for [w in no_rate > 0 ? 'norate' : ''] sprintf('%d.%s', k, w) using 1:(axis_low) with points \
            pt 2 ps 0.5 lc rgb grey title sprintf('no rate (%d)', no_rate), \
        for [w in states] sprintf('%d.estimate.%s', k, w) using 1:2 with lines \
            lw 2.5 dt state_dash[s(w)] lc rgb state_colour[s(w)] title sprintf('estimate, %s', w)
}

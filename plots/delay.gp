# SPDX-License-Identifier: BSD-3-Clause
# Delay of each train's first packet over time: queues as clouds, clock skew as a slope.
if (panels > 1) set multiplot layout panels, 1
do for [k = 1:panels] {
    load sprintf('%d.facts', k)
    y_label = sprintf('delay above the least (%s)', delay_unit)
    set title headed(title[k], y_label)
    set xlabel time_label(k)
    set ylabel y_label
    set xrange [-0.01 * span : 1.01 * span]
    set yrange [axis_low : axis_high]
    unset logscale
    set ytics auto
    if (log_axis) { set logscale y; eval sprintf('set ytics (%s, "at most %.2g" %.9g)', ticks, axis_low, axis_low) }
    plot for [i = 1:words(verdicts)] sprintf('%d.points.%s', k, word(verdicts, i)) using 1:2 with points \
        pt verdict_point[v(i)] ps verdict_size[v(i)] lc rgb verdict_colour[v(i)] title verdict_title(i)
}

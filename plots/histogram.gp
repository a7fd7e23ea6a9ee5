# SPDX-License-Identifier: BSD-3-Clause
# How often each rate was seen, by verdict; the density over it, and its modes.
if (panels > 1) set multiplot layout panels, 1
do for [k = 1:panels] {
    load sprintf('%d.facts', k)
    y_label = 'trains in a bin of ' . bin
    set title headed(title[k], y_label)
    set xlabel rate_label(k)
    set ylabel y_label
    set xrange [axis_low : axis_high]
    set yrange [0 : 1.2 * highest]
    unset logscale
    set xtics auto
    if (log_axis) { set logscale x; eval sprintf('set xtics (%s)', ticks) }
    plot for [i = 1:words(verdicts)] sprintf('%d.bars.%s', k, word(verdicts, i)) using 1:3:1:2:3:4 \
            with boxxyerror lc rgb verdict_colour[v(i)] title verdict_title(i), \
        sprintf('%d.density', k) with lines lw 1.5 lc rgb orange title 'density, kernel ' . kernel, \
        sprintf('%d.modes', k) using 1:(1.1 * highest) with impulses dt 3 lc rgb black title 'mode', \
        '' using 1:(1.1 * highest):2 with labels offset 0, 0.7 title ''
}

# SPDX-License-Identifier: BSD-3-Clause
# The least capacity of the first links, hop by hop, with intervals; a lower bound points up.
if (panels > 1) set multiplot layout panels, 1
do for [k = 1:panels] {
    load sprintf('%d.facts', k)
    y_label = rate_label(k)
    set title headed(title[k] . "\n" . answer, y_label)
    set xlabel 'hop (1: the link out of the sender)'
    set ylabel y_label
    set xrange [0.4 : hops + 0.6]
    set xtics 1
    set yrange [axis_low : axis_high]
    unset logscale
    set ytics autofreq
    if (log_axis) { set logscale y; eval sprintf('set ytics (%s)', ticks) }
    plot sprintf('%d.narrow', k) using 1:2 with lines lw 8 lc rgb orange title 'narrow', \
        sprintf('%d.stairs', k) using 1:2 with lines lw 2 lc rgb black title 'least capacity so far', \
        sprintf('%d.errors', k) using 1:2:3:4 with yerrorbars pt 7 ps 0.6 lc rgb blue title 'interval', \
        sprintf('%d.guesses', k) using 1:2:3:4 with yerrorbars pt 6 ps 0.6 lc rgb orange title 'tentative', \
        sprintf('%d.bounds', k) using 1:2 with points pt 9 ps 1 lc rgb blue title 'at least'
}

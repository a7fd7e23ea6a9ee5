# SPDX-License-Identifier: BSD-3-Clause
# A small picture for each series, side by side over one axis of time: band, estimate, strip of states.
set multiplot layout (panels + 2) / 3, 3 margins 0.06, 0.99, 50. / height, 1 - 45. / height spacing 0.06, 60. / height
unset key
if (terminal ne 'dumb') { set tics font ',9'; set title font ',9' }
do for [k = 1:panels] {
    load sprintf('%d.facts', k)
    set title sprintf("%s\n%s", title[k], answer) offset 0, -0.6
    unset xlabel
    if (k > panels - 3) { set xlabel time_unit offset 0, 0.6 }
    set xrange [0 : span]
    set yrange [axis_low : axis_high]
    set y2range [0 : 1]
    unset logscale
    set ytics auto
    if (log_axis) { set logscale y; eval sprintf('set ytics (%s)', ticks) }
    plot sprintf('%d.wide', k) using 1:2:3 with filledcurves fs solid 0.4 noborder lc rgb sky, \
        sprintf('%d.interval', k) using 1:2:3 with filledcurves fs solid 0.5 noborder lc rgb orange, \
        sprintf('%d.estimate', k) using 1:2 with lines lw 1 lc rgb black, \
        for [i = 1:words(states)] sprintf('%d.strip.%s', k, word(states, i)) \
            using (($1 + $2) / 2):(0.97):1:2:(0.94):(1) axes x1y2 with boxxyerror fs solid noborder \
            lc rgb state_colour[s(i)]
}

# SPDX-License-Identifier: BSD-3-Clause
# Panels of rates over time, as in the paper's figures: every whole train, the truth, and the
# adaptive filter's estimate. facts.gp, which `page` makes, and colours.gp have been loaded before.
set terminal svg size 800, 40 + 230 * rows noenhanced background 'white' font 'sans,12' rounded
set output 'picture'
set border 3 lc rgb grey
set tics nomirror out textcolor rgb black
set grid lc rgb pale lt 1
unset key
set multiplot
do for [k = 1:panels] {
    load sprintf('%d.facts', k)
    row = (k - 1) / columns
    column = (k - 1) % columns
    set size 1.0 / columns, 230.0 / (40 + 230 * rows)
    set origin column * 1.0 / columns, 1 - (row + 1) * 230.0 / (40 + 230 * rows)
    set tmargin 2.8
    set bmargin 3
    set lmargin 8.5
    set rmargin 1.5
    set title title . "\n" . answer offset 0, -0.6
    set xlabel 'time (s)' offset 0, 0.6
    set ylabel 'rate (' . unit . ')' offset 1, 0
    unset logscale
    set ytics auto
    set yrange [axis_low : axis_high]
    if (log_axis) { set logscale y; eval sprintf('set ytics (%s)', ticks) }
    set xrange [0 : *]
    plot truth with lines lw 1 dt 2 lc rgb green, \
        sprintf('%d.unsure', k) with lines lw 2.5 lc rgb orange, \
        sprintf('%d.sure', k) with lines lw 2.5 lc rgb blue, \
        sprintf('%d.points', k) with points pt 7 ps 0.25 lc rgb black
}
# The legend of all, below them.
set size 1, 40.0 / (40 + 230 * rows)
set origin 0, 0
set tmargin 0; set bmargin 0; set lmargin 0; set rmargin 0
unset logscale; unset title; unset xlabel; unset ylabel; unset tics; unset border; unset grid
set xrange [0 : 1]; set yrange [0 : 1]
set key center center horizontal Left reverse samplen 2.5 maxrows 1 width -9
plot NaN notitle, keyentry with points pt 7 ps 0.4 lc rgb black title 'a train that arrived whole', \
    keyentry with lines lw 1 dt 2 lc rgb green title 'truth', \
    for [i = 1:(any_sure > 0)] keyentry with lines lw 2.5 lc rgb blue title 'estimate, converged or shaped', \
    for [i = 1:(any_unsure > 0)] keyentry with lines lw 2.5 lc rgb orange title 'estimate, any other state'

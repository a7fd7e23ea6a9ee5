# SPDX-License-Identifier: BSD-3-Clause
# Panels of rates over time, as in the paper's figures: every whole train, the truth, and the
# adaptive filter's estimate. facts.gp, which `page` makes, and colours.gp have been loaded before.
set terminal svg size 800, 40 + 230 * rows noenhanced background 'white' font 'sans,12' rounded
set output 'picture'
set border 3 lc rgb grey
set tics nomirror out textcolor rgb black
set grid lc rgb pale lt 1
unset key
tics_125 = '0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500'
set multiplot
do for [k = 1:panels] {
    row = (k - 1) / columns
    column = (k - 1) % columns
    set size 1.0 / columns, 230.0 / (40 + 230 * rows)
    set origin column * 1.0 / columns, 1 - (row + 1) * 230.0 / (40 + 230 * rows)
    set tmargin 2.8
    set bmargin 3
    set lmargin 8
    set rmargin 1.5
    set title title[k] . "\n" . answer[k] offset 0, -0.6
    set xlabel 'time (s)' offset 0, 0.6
    set ylabel 'rate (' . unit[k] . ')' offset 1, 0
    unset logscale
    set ytics auto
    set yrange [0 : 1.08 * most[k]]
    # What is ten times the truth would hide all else.
    if (most[k] > 9 * truth[k]) {
        set logscale y
        set ytics (@tics_125)
        set yrange [0.8 * least[k] : 1.3 * most[k]]
    }
    set xrange [0 : *]
    plot truth[k] with lines lw 1 dt 2 lc rgb green, \
        sprintf('%d.unsure', k) with lines lw 2.5 lc rgb orange, \
        sprintf('%d.sure', k) with lines lw 2.5 lc rgb blue, \
        sprintf('%d.points', k) with points pt 7 ps 0.25 lc rgb black
}
# The legend of all, below them: gnuplot's own would be cut.
set size 1, 40.0 / (40 + 230 * rows)
set origin 0, 0
set tmargin 0; set bmargin 0; set lmargin 0; set rmargin 0
unset logscale; unset title; unset xlabel; unset ylabel; unset tics; unset border; unset grid
set xrange [0 : 800]; set yrange [0 : 40]
set label 1 '' at 30, 22 point pt 7 ps 0.4 lc rgb black
set label 5 'a train that arrived whole' at 42, 22
set arrow 2 from 220, 22 to 245, 22 nohead lw 1 dt 2 lc rgb green
set label 2 'truth' at 252, 22
set arrow 3 from 310, 22 to 335, 22 nohead lw 2.5 lc rgb blue
set label 3 'estimate, converged or shaped' at 342, 22
set arrow 4 from 565, 22 to 590, 22 nohead lw 2.5 lc rgb orange
set label 4 'estimate, any other state' at 597, 22
plot NaN title ''

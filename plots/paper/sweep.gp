# SPDX-License-Identifier: BSD-3-Clause
# Accuracy, reach and cost by packet size, a line a train length. sweep.awk made the data.
set terminal svg size 800, 620 noenhanced background 'white' font 'sans,12' rounded
set output 'picture'
set border 3 lc rgb grey
set tics nomirror out textcolor rgb black
lengths = '2 8 32 256'
array colour[4] = [black, orange, blue, vermilion]
set grid lc rgb pale lt 1
set multiplot layout 2, 2 margins 0.11, 0.98, 0.15, 0.95 spacing 0.13, 0.14
set logscale xy
set xrange [58 : 1700]
set xtics (64, 250, 500, 1000, 1500)
set xlabel 'frame (bytes)' offset 0, 0.5
unset key
do for [link in '100 1000'] {
    set title sprintf('error of the estimate at %s Mbit/s', link) offset 0, -0.5
    set ylabel 'off the truth (%)' offset 1.5, 0
    set yrange [0.008 : 120]
    set ytics ("at most\n0.01" 0.01, 0.1, 1, 2, 10, 100)
    plot 2 with lines lw 1 dt 2 lc rgb green, for [i = 1:4] word(lengths, i) . '.' . link . '.off' \
        with linespoints pt 2 + 2 * i ps 0.6 lw 1.5 lc rgb colour[i]
}
set title 'reach: the fastest link read to 2 %' offset 0, -0.5
set ylabel 'link (Mbit/s)' offset 0.5, 0
set yrange [8 : 1300]
set ytics (10, 100, 300, 1000)
plot for [i = 1:4] word(lengths, i) . '.reach' using 1:($2 * (1 - 0.04 * (i - 2.5))) \
    with linespoints pt 2 + 2 * i ps 0.6 lw 1.5 lc rgb colour[i]
# The legend of all, below them.
do for [i = 1:4] {
    set arrow i from screen 0.17 * i - 0.07, 0.03 to screen 0.17 * i - 0.03, 0.03 nohead lw 1.5 lc rgb colour[i]
    set label i '' at screen 0.17 * i - 0.05, 0.03 point pt 2 + 2 * i ps 0.6 lc rgb colour[i]
    set label i + 4 i == 1 ? 'pairs' : 'trains of ' . word(lengths, i) at screen 0.17 * i - 0.02, 0.03
}
set arrow 5 from screen 0.82, 0.03 to screen 0.86, 0.03 nohead lw 1 dt 2 lc rgb green
set label 9 '2 % off' at screen 0.87, 0.03
set title 'processor time per train' offset 0, -0.5
set ylabel 'us; filled: pprec, open: pptrans' offset 0.5, 0
set yrange [20 : 1000]
set ytics (20, 50, 100, 200, 500, 1000)
plot for [i = 1:4] word(lengths, i) . '.cost' using 1:3 with linespoints pt 3 + 2 * i ps 0.6 lw 1.5 \
        lc rgb colour[i], \
    for [i = 1:4] word(lengths, i) . '.cost' using 1:2 with linespoints pt 2 + 2 * i ps 0.6 \
        dt 2 lw 1 lc rgb colour[i]

# SPDX-License-Identifier: BSD-3-Clause
# Rate of each train over time with the estimate and its interval.
# Variables: log (text log of pprec -o), output, terminal_options, layer, start
set terminal svg size 800,450 background "white" font "sans,12"
set output output
set datafile commentschars "#"
set datafile missing "-"
set title "Rate of each train and the estimated capacity"
set xlabel "time since the first train (s)"
set ylabel sprintf("rate (Mbit/s, layer %s)", layer)
set yrange [0:*<1e6]
set key outside bottom center horizontal
set grid ytics lc rgb "#dddddd"
set style fill transparent solid 0.25 noborder
plot log using ($1-start):($13/1e3):($14/1e3) with filledcurves lc rgb "#56b4e9" title "interval", \
     log using ($1-start):(strcol(11) eq "ok" ? $10/1e3 : NaN) with points pt 7 ps 0.5 lc rgb "#000000" title "train, ok", \
     log using ($1-start):(strcol(11) ne "ok" ? $10/1e3 : NaN) with points pt 2 ps 0.7 lc rgb "#d55e00" title "train, other verdict", \
     log using ($1-start):($12/1e3) with lines lw 2 lc rgb "#0072b2" title "estimate"

# SPDX-License-Identifier: BSD-3-Clause
# Mean of the whole trains by their length, with the capacity and the asymptotic dispersion rate.
set terminal svg size 800, 400 noenhanced background 'white' font 'sans,13' rounded
set output 'picture'
set border 3 lc rgb grey
set tics nomirror out textcolor rgb black
set grid lc rgb pale lt 1
set key below horizontal Left reverse samplen 2
set bmargin 6.5
set title 'What trains read: 1 Mbit/s behind a sender of 10 Mbit/s, TCP from end to end'
set xlabel 'packets in a train'
set ylabel 'rate (kbit/s)'
set logscale x 2
set xtics (2, 4, 8, 16, 32)
set xrange [1.7 : 38]
set yrange [450 : 1050]
plot 1000 with lines lw 1.5 dt 2 lc rgb green title 'capacity', \
    10000.0 * 1000 / 11000 with lines lw 1.5 dt 4 lc rgb purple title 'asymptotic dispersion rate', \
    '5.trains' using ($1 / 1.03):2:3:4 with yerrorbars pt 7 ps 0.7 lw 1.5 lc rgb blue \
        title '5 FTP: mean, 5 to 95 %', \
    '20.trains' using ($1 * 1.03):2:3:4 with yerrorbars pt 5 ps 0.7 lw 1.5 lc rgb vermilion title '20 FTP'

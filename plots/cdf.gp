# SPDX-License-Identifier: BSD-3-Clause
# Share of the trains up to each rate: one curve a series.
load 'facts'
y_label = 'share of the trains (%)'
set title headed('Empirical distribution of the rates', y_label)
set xlabel common_rate_label(0)
set ylabel y_label
set xrange [axis_low : axis_high]
set yrange [0 : 100]
set ytics (0, 5, 25, 50, 75, 95, 100)
if (log_axis) { set logscale x; eval sprintf('set xtics (%s)', ticks) }
set key below vertical maxcols 1
plot for [k = 1:panels] sprintf('%d.steps', k) with steps lw 1.5 lc rgb line_colour[k] dt line_dash[k] \
    title sprintf('%s (%d trains%s)', full_title(k), trains[k], \
        beyond[k] > 0 ? sprintf(', %d of them beyond the axis', beyond[k]) : '')

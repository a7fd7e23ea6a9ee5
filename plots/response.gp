# SPDX-License-Identifier: BSD-3-Clause
# Rate out against rate in: on the diagonal trains arrive as they left; from the knee on, which is what
# is free, they are spread.
if (panels > 1) set multiplot layout panels, 1
do for [k = 1:panels] {
    load sprintf('%d.facts', k)
    y_label = sprintf('rate out (%s, %s)', unit, layer[k])
    set title headed(title[k] . "\n" . fitted, y_label)
    set xlabel sprintf('rate in (%s)', unit)
    set ylabel y_label
    set xrange [axis_low : axis_high]
    set yrange [axis_low : axis_high]
    unset logscale
    set xtics auto
    set ytics auto
    if (log_axis) { set logscale xy; eval sprintf('set ytics (%s)', ticks); eval sprintf('set xtics (%s)', ticks) }
    plot x with lines lw 0.5 lc rgb grey title 'as it left', \
        for [i = 1:words(verdicts)] sprintf('%d.points.%s', k, word(verdicts, i)) using 1:2 with points \
            pt verdict_point[v(i)] ps verdict_size[v(i)] lc rgb verdict_colour[v(i)] title verdict_title(i), \
        sprintf('%d.fit', k) using 1:2 with lines lw 2.5 lc rgb orange title has_fit ? 'fitted' : '', \
        sprintf('%d.fit', k) using (knee):(axis_high) every ::0::0 with impulses dt 3 lc rgb orange \
            title has_fit && knee > 0 ? 'knee: what is free' : ''
}

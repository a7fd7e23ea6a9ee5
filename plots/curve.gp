# SPDX-License-Identifier: BSD-3-Clause
# Arrival curves of the longest trains: a FIFO link is a line, a bucket a line with a knee.
if (panels > 1) set multiplot layout panels, 1
do for [k = 1:panels] {
    load sprintf('%d.facts', k)
    y_label = sprintf('bytes after the first packet (kB, %s)', layer[k])
    set title headed(title[k] . "\n" . fitted, y_label)
    set xlabel sprintf('time since the first arrival (%s)', time_unit)
    set ylabel y_label
    set xrange [0 : *]
    set yrange [0 : *]
    plot sprintf('%d.others', k) with lines lw 0.5 lc rgb sky \
            title sprintf('%d trains of this length', others), \
        sprintf('%d.fit', k) with lines lw 2.5 lc rgb orange title 'fitted', \
        sprintf('%d.train', k) with points pt 7 ps 0.4 lc rgb black title name
}

# SPDX-License-Identifier: BSD-3-Clause
# What is free of the narrow link over time, with its interval, below the capacity. A lower bound
# points up.
known_words = 'converged at_least tentative other'
array answer_colour[4] = [green, blue, orange, grey]
array answer_point[4] = [7, 9, 6, 3]
w(i) = number_of(word(answer_words, i), known_words)
word_title(i) = sprintf('%s (%s)', word(answer_words, i), word(answer_word_counts, i))
if (panels > 1) set multiplot layout panels, 1
do for [k = 1:panels] {
    load sprintf('%d.facts', k)
    y_label = rate_label(k)
    set title headed(title[k] . "\n" . answer, y_label)
    set xlabel time_label(k)
    set ylabel y_label
    set xrange [-0.01 * span : 1.01 * span]
    set yrange [0 : axis_high]
    plot sprintf('%d.interval', k) using 1:2:3 with filledcurves lc rgb sky title 'interval', \
        sprintf('%d.capacity', k) using 1:2 with lines lw 1.5 dt 2 lc rgb grey title 'capacity', \
        sprintf('%d.line', k) using 1:2 with lines lw 1.5 lc rgb black title 'available', \
        for [i = 1:words(answer_words)] sprintf('%d.points.%s', k, word(answer_words, i)) \
            using 1:2 with points pt answer_point[w(i)] ps 0.7 lc rgb answer_colour[w(i)] title word_title(i)
}

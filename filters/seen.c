/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/seen.h"

size_t seen_bytes(unsigned window)
{
    return 2 * readings_bytes(window) + window * (FLOOR_NUMBERS * sizeof(double) + sizeof(struct sort_key));
}

void seen_init(struct seen *seen, void *memory, unsigned window)
{
    char *numbers = (char *)memory + 2 * readings_bytes(window);

    *seen = (struct seen){
        .pairs = memory,
        .longs = (struct readings *)((char *)memory + readings_bytes(window)),
        .scratch = {.numbers = (double *)numbers,
                    .keys = (struct sort_key *)((double *)numbers + FLOOR_NUMBERS * window),
                    .room = window},
        .noise = noise_prior(),
    };
    stamps_init(&seen->stamps);
    readings_init(seen->pairs, window, false);
    readings_init(seen->longs, window, true);
}

void seen_copy(struct seen *to, const struct seen *from)
{
    readings_copy(to->pairs, from->pairs);
    readings_copy(to->longs, from->longs);
    to->shapes = from->shapes;
    to->noise = from->noise;
    to->stamps = from->stamps;
}

static unsigned count_since(const struct readings *readings, double at_s)
{
    unsigned count = 0;

    while (count < readings->count && readings_at(readings, readings->count - 1 - count)->at_s >= at_s)
        count++;
    return count;
}

void seen_keep_since(struct seen *seen, double at_s)
{
    unsigned shapes = 0;

    readings_keep(seen->pairs, count_since(seen->pairs, at_s));
    readings_keep(seen->longs, count_since(seen->longs, at_s));
    EACH_READING(reading, seen->longs)
        shapes += !reading->limited;
    shapes_keep(&seen->shapes, shapes);
}

struct step seen_follow(struct seen *seen, bool bucket)
{
    struct step step = shapes_step(&seen->shapes, bucket);
    unsigned i = seen->longs->count;

    if (!step.sure || i == 0)
        return step;
    for (unsigned shapes = 0; i > 0 && shapes < step.since;)
        shapes += !readings_at(seen->longs, --i)->limited; /* others have none */
    seen_keep_since(seen, readings_at(seen->longs, i)->at_s);
    return step;
}

/* The stamps, not the gaps, which a path may well deliver in multiples of something. */
void seen_stamps(struct seen *seen, const struct sample *sample)
{
    stamps_note(&seen->stamps, sample);
    seen->noise.tick_ns = (double)seen->stamps.divisor_ns;
    seen->noise.perhaps_ns = stamps_tick_ns(&seen->stamps);
}

unsigned seen_longest(const struct seen *seen)
{
    uint32_t short_bytes = readings_short_bytes(seen->longs, 0);
    unsigned count = 0;

    EACH_READING(reading, seen->longs)
        count += reading->bytes > short_bytes;
    return count;
}

static uint32_t whole_came_bytes(const struct reading *reading)
{
    uint32_t packets = reading->whole.behind_sent;

    return packets > 0 ? reading->bytes / packets * (1U + reading->whole.behind_came) : 0;
}

uint32_t seen_burst_bytes(const struct seen *seen)
{
    uint32_t most_bytes = 2 * readings_longest(seen->pairs, 0);

    EACH_READING(reading, seen->longs) {
        uint32_t bytes = whole_came_bytes(reading);

        most_bytes = bytes > most_bytes ? bytes : most_bytes;
    }
    return most_bytes;
}

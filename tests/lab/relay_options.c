/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "relay_options.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum kind {
    RATE, BYTES, SIGNED_BYTES, MICROSECONDS, PROBABILITY, QUEUE, PORT, SEED, ORDER, FLAG, TEXT,
};

struct row {
    const char *name;
    enum kind kind;
    size_t offset;
    const char *value, *help;
};

#define AT(member) offsetof(struct relay_options, member)

static const struct row rows[] = {
    { "--rate", RATE, AT(path.link.rate_bps), "BPS",
      "serialise frames at this rate (10m, 1.5g, 100000); default: no limit" },
    { "--overhead", SIGNED_BYTES, AT(path.link.overhead_bytes), "BYTES",
      "added to each Ethernet frame as captured, which is IP + 14:\n"
      "        4 counts IP + 18 (l2, the default), -14 IP, 24 wire, 0 what tc counts" },
    { "--queue", QUEUE, AT(path.link), "BYTES",
      "drop-tail limit, the frame in transmission included; 50p: in frames;\n"
      "        default: as far as memory goes" },
    { "--burst", BYTES, AT(path.link.burst_bytes), "BYTES",
      "token bucket of this depth, filled at --rate" },
    { "--peak", RATE, AT(path.link.peak_bps), "BPS",
      "rate of the link behind the bucket; default: no limit" },
    { "--tick", MICROSECONDS, AT(path.link.tick_ns), "US",
      "frames leave the link only at multiples of this time" },
    { "--delay", MICROSECONDS, AT(path.delay_ns), "US",
      "added to every frame; default 1000: hides the time it takes to notice one;\n"
      "        below twice --spin a processor is kept busy all the time" },
    { "--coalesce", MICROSECONDS, AT(path.coalesce_ns), "US",
      "like a NIC: the first frame waits so long for others, then all leave" },
    { "--loss", PROBABILITY, AT(path.loss), "P", "0..1 of the marked frames" },
    { "--duplicate", PROBABILITY, AT(path.duplicate), "P", "the same; a copy follows at once" },
    { "--reorder", PROBABILITY, AT(path.reorder), "P",
      "the same; held back until 1 to 3 later ones have passed" },
    { "--hold", MICROSECONDS, AT(path.hold_ns), "US", "but no longer than this; default 5000" },
    { "--impair", ORDER, AT(path.impair_after), "before|after",
      "loss, copies and reordering before (default) or after the link" },
    { "--port", PORT, AT(port), "PORT",
      "mark (impair and count) UDP to this port; default: all UDP" },
    { "--all", FLAG, AT(everything), NULL,
      "all IP frames cross the link; default: UDP alone, the rest passes at once" },
    { "--seed", SEED, AT(path.seed), "N",
      "of the random pattern; default: from the clock; printed" },
    { "--spin", MICROSECONDS, AT(spin_ns), "US",
      "be awake so long before a release; default 100" },
    { "--stats", TEXT, AT(stats), "FILE",
      "write the final JSON line there, not to standard output" },
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static _Noreturn void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("relay: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

static _Noreturn void help(void)
{
    puts("usage: relay IF_A IF_B [OPTIONS]\n"
         "Joins two interfaces. UDP from A to B crosses a link in user space and is impaired;\n"
         "everything else passes at once. SIGINT or SIGTERM ends it and prints the counts.\n");
    for (unsigned i = 0; i < ROWS; i++) {
        printf("  %s %s\n        %s\n", rows[i].name, rows[i].value ? rows[i].value : "",
               rows[i].help);
    }
    exit(0);
}

static const struct row *find_row(const char *name)
{
    for (unsigned i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    }
    die("unknown option %s (relay --help)", name);
}

/* A number within limits, followed by nothing but suffix. */
static double number(const struct row *row, const char *text, double low, double high,
                     const char **suffix)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || (!suffix && *end) || !(value >= low && value <= high))
        die("%s %s: not a number from %g to %g", row->name, text, low, high);
    if (suffix)
        *suffix = end;
    return value;
}

static uint64_t parse_rate(const struct row *row, const char *text)
{
    static const struct { const char *name; double factor; } units[] = {
        { "", 1 }, { "bit", 1 }, { "k", 1e3 }, { "kbit", 1e3 }, { "m", 1e6 },
        { "mbit", 1e6 }, { "g", 1e9 }, { "gbit", 1e9 },
    };
    const char *suffix;
    double value = number(row, text, 0, 1e12, &suffix);
    for (unsigned i = 0; i < sizeof units / sizeof units[0]; i++) {
        double bps = value * units[i].factor;
        if (strcmp(suffix, units[i].name) == 0 && bps >= 1e3 && bps <= 1e11)
            return (uint64_t)llround(bps);
    }
    die("%s %s: not a rate from 1k to 100g", row->name, text);
}

static void parse_queue(const struct row *row, const char *text, struct link_config *link)
{
    const char *suffix;
    uint64_t limit = (uint64_t)number(row, text, 1, 1e9, &suffix);
    link->queue_bytes = link->queue_frames = 0;
    if (strcmp(suffix, "p") == 0)
        link->queue_frames = limit;
    else if (*suffix == '\0')
        link->queue_bytes = limit;
    else
        die("%s %s: bytes, or frames as in 50p", row->name, text);
}

static uint64_t parse_seed(const struct row *row, const char *text)
{
    char *end;
    uint64_t seed = strtoull(text, &end, 0);
    if (end == text || *end)
        die("%s %s: not a number", row->name, text);
    return seed;
}

static bool parse_order(const struct row *row, const char *text)
{
    if (strcmp(text, "before") != 0 && strcmp(text, "after") != 0)
        die("%s %s: before or after", row->name, text);
    return strcmp(text, "after") == 0;
}

static void set(const struct row *row, const char *text, struct relay_options *options)
{
    void *at = (char *)options + row->offset;
    switch (row->kind) {
    case RATE: *(uint64_t *)at = parse_rate(row, text); break;
    case BYTES: *(uint64_t *)at = (uint64_t)number(row, text, 1, 1e9, NULL); break;
    case SIGNED_BYTES: *(int64_t *)at = (int64_t)number(row, text, -1000, 1000, NULL); break;
    case MICROSECONDS: *(int64_t *)at = llround(number(row, text, 0, 6e7, NULL) * 1e3); break;
    case PROBABILITY: *(double *)at = number(row, text, 0, 1, NULL); break;
    case QUEUE: parse_queue(row, text, at); break;
    case PORT: *(uint16_t *)at = (uint16_t)number(row, text, 1, 65535, NULL); break;
    case SEED: *(uint64_t *)at = parse_seed(row, text); break;
    case ORDER: *(bool *)at = parse_order(row, text); break;
    case FLAG: *(bool *)at = true; break;
    case TEXT: *(const char **)at = text; break;
    }
}

static void take_argument(struct relay_options *options, const char *text)
{
    if (!options->interface_a)
        options->interface_a = text;
    else if (!options->interface_b)
        options->interface_b = text;
    else
        die("%s: two interfaces are enough (relay --help)", text);
}

static void check(const struct relay_options *options)
{
    const struct link_config *link = &options->path.link;
    if (!options->interface_b)
        die("two interfaces wanted (relay --help)");
    if (link->burst_bytes && !link->rate_bps)
        die("--burst needs a --rate to fill it");
    if (link->peak_bps && !link->burst_bytes)
        die("--peak needs a --burst");
    if (link->peak_bps && link->peak_bps < link->rate_bps)
        die("--peak is below --rate");
}

static uint64_t seed_from_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) % 1000000007u;
}

void relay_options_parse(struct relay_options *options, int argc, char **argv)
{
    *options = (struct relay_options){
        .path = {
            .link.overhead_bytes = 4,
            .delay_ns = 1000 * 1000,
            .hold_ns = 5 * 1000 * 1000,
            .seed = seed_from_clock(),
        },
        .spin_ns = 100 * 1000,
    };
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0)
            help();
        if (argv[i][0] != '-') {
            take_argument(options, argv[i]);
            continue;
        }
        const struct row *row = find_row(argv[i]);
        if (row->value && ++i == argc)
            die("%s needs a value", row->name);
        set(row, argv[i], options);
    }
    check(options);
}

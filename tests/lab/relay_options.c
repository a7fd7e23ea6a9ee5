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
    RATE,
    BYTES,
    SIGNED_BYTES,
    MICROSECONDS,
    PROBABILITY,
    QUEUE,
    PORT,
    SEED,
    ORDER,
    FLAG,
    TEXT,
    POLICE,
    SLOTS,
    VARY,
};

struct row {
    const char *name;
    enum kind kind;
    size_t offset;
    const char *value, *help;
};

#define AT(member) offsetof(struct relay_options, member)

static const struct row rows[] = {
    {"--rate", RATE, AT(path.link.rate_bps), "BPS",
     "serialise frames at this rate (10m, 1.5g, 100000); default: no limit"},
    {"--overhead", SIGNED_BYTES, AT(path.link.overhead_bytes), "BYTES",
     "added to each Ethernet frame as captured, which is IP + 14:\n"
     "        4 counts IP + 18 (l2, the default), -14 IP, 24 wire, 0 what tc counts"},
    {"--queue", QUEUE, AT(path.link), "BYTES",
     "drop-tail limit, the frame in transmission included; 50p: in frames;\n"
     "        default: as far as memory goes"},
    {"--burst", BYTES, AT(path.link.burst_bytes), "BYTES", "token bucket of this depth, filled at --rate"},
    {"--peak", RATE, AT(path.link.peak_bps), "BPS", "rate of the link behind the bucket; default: no limit"},
    {"--tick", MICROSECONDS, AT(path.link.tick_ns), "US",
     "frames leave the link only at multiples of this time"},
    {"--fq", BYTES, AT(path.fair_quantum_bytes), "QUANTUM",
     "a queue for each flow (5-tuple, hashed into 1024), served in turn, QUANTUM bytes\n"
     "        of IP + 14 a turn; a flow that was idle goes first, as in Linux's fq_codel (1514).\n"
     "        Above --queue (of all, IP + 14, the frame in transmission not included) the\n"
     "        longest queue loses its oldest frame"},
    {"--police", POLICE, AT(path), "BPS/BYTES",
     "drop before the queue what finds no tokens in a bucket of BYTES, at least 1518,\n"
     "        filled at BPS: 10m/25000"},
    {"--slots", SLOTS, AT(path.link.access), "N[,DIFS,SLOT,PREAMBLE]",
     "contention: each frame waits DIFS and 0 to N slots of its own, then a preamble and\n"
     "        its bits at --rate; times in us, default 34, 9, 20 (802.11a and g, N 15); after an\n"
     "        idle time DIFS alone, the slots have run out; acks, if any: add them to PREAMBLE"},
    {"--vary", VARY, AT(path.link), "MS:SD%",
     "the rate is drawn anew so often: normal, mean --rate, deviation SD %, at most 25"},
    {"--delay", MICROSECONDS, AT(path.delay_ns), "US",
     "added to every frame; default 1000: hides the time it takes to notice one;\n"
     "        below twice --spin a processor is kept busy all the time"},
    {"--coalesce", MICROSECONDS, AT(path.coalesce_ns), "US",
     "like a NIC: the first frame waits so long for others, then all leave"},
    {"--loss", PROBABILITY, AT(path.loss), "P", "0..1 of the marked frames"},
    {"--duplicate", PROBABILITY, AT(path.duplicate), "P", "the same; a copy follows at once"},
    {"--reorder", PROBABILITY, AT(path.reorder), "P",
     "the same; held back until 1 to 3 later ones have passed"},
    {"--hold", MICROSECONDS, AT(path.hold_ns), "US", "but no longer than this; default 5000"},
    {"--impair", ORDER, AT(path.impair_after), "before|after",
     "loss, copies and reordering before (default) or after the link"},
    {"--port", PORT, AT(port), "PORT", "mark (impair and count) UDP to this port; default: all UDP"},
    {"--all", FLAG, AT(everything), NULL,
     "all IP frames cross the link; default: UDP alone, the rest passes at once"},
    {"--seed", SEED, AT(path.seed), "N", "of the random pattern; default: from the clock; printed"},
    {"--spin", MICROSECONDS, AT(spin_ns), "US", "be awake so long before a release; default 100"},
    {"--stats", TEXT, AT(stats), "FILE", "write the final JSON line there, not to standard output"},
    {"--account", TEXT, AT(account), "FILE",
     "write there, at the end, a line for each of the first 262144 marked frames: arrival,\n"
     "        when it was sent (- if never), both in ns of CLOCK_REALTIME, and its bytes"},
    {"--load", TEXT, AT(load), "FILE",
     "write there, at the end, a line for each 0.1 s of the first hour: its end, and the bytes that\n"
     "        left the link, of marked frames and of all others"},
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

static _Noreturn void relay_options_help(void)
{
    puts("usage: relay IF_A IF_B [OPTIONS]\n"
         "Joins two interfaces. UDP from A to B crosses a link in user space and is impaired;\n"
         "everything else passes at once. SIGINT or SIGTERM ends it and prints the counts.\n");
    for (unsigned i = 0; i < ROWS; i++) {
        printf("  %s %s\n        %s\n", rows[i].name, rows[i].value ? rows[i].value : "", rows[i].help);
    }
    exit(0);
}

static const struct row *relay_options_find_row(const char *name)
{
    for (unsigned i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    }
    die("unknown option %s (relay --help)", name);
}

/* A number within limits, followed by nothing but suffix. */
static double relay_options_number(const struct row *row, const char *text, double low, double high,
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
    static const struct {
        const char *name;
        double factor;
    } units[] = {
        {"", 1}, {"bit", 1}, {"k", 1e3}, {"kbit", 1e3}, {"m", 1e6}, {"mbit", 1e6}, {"g", 1e9}, {"gbit", 1e9},
    };
    const char *suffix;
    double value = relay_options_number(row, text, 0, 1e12, &suffix);
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
    uint64_t limit = (uint64_t)relay_options_number(row, text, 1, 1e9, &suffix);
    link->queue_bytes = link->queue_frames = 0;
    if (strcmp(suffix, "p") == 0)
        link->queue_frames = limit;
    else if (*suffix == '\0')
        link->queue_bytes = limit;
    else
        die("%s %s: bytes, or frames as in 50p", row->name, text);
}

static void parse_police(const struct row *row, const char *text, struct path_config *path)
{
    char rate[32];
    size_t length = strcspn(text, "/");
    if (text[length] == '\0' || length >= sizeof rate)
        die("%s %s: a rate and a bucket wanted, as in 10m/25000", row->name, text);
    memcpy(rate, text, length);
    rate[length] = '\0';
    path->police_bps = parse_rate(row, rate);
    path->police_bytes = (uint64_t)relay_options_number(row, text + length + 1, 1518, 1e9, NULL);
}

static void parse_slots(const struct row *row, const char *text, struct link_access *access)
{
    double values[] = {0, 34, 9, 20};
    size_t count = 0;
    const char *rest = text;
    do {
        values[count] = relay_options_number(row, count ? rest + 1 : rest, 0, count ? 1e4 : 1023, &rest);
        count++;
    } while (*rest == ',' && count < 4);
    if (*rest)
        die("%s %s: slots, or slots, DIFS, slot and preamble in us, as in 15,34,9,20", row->name, text);
    *access = (struct link_access){
        .contended = true,
        .most_slots = (uint32_t)values[0],
        .difs_ns = llround(values[1] * 1e3),
        .slot_ns = llround(values[2] * 1e3),
        .preamble_ns = llround(values[3] * 1e3),
    };
}

static void parse_vary(const struct row *row, const char *text, struct link_config *link)
{
    const char *rest;
    double period_ms = relay_options_number(row, text, 1, 60000, &rest);
    if (*rest != ':')
        die("%s %s: milliseconds and a deviation wanted, as in 20:10%%", row->name, text);
    double percent = relay_options_number(row, rest + 1, 0, 25, &rest);
    if (strcmp(rest, "%") != 0)
        die("%s %s: the deviation is in percent, as in 20:10%%", row->name, text);
    link->vary_ns = llround(period_ms * 1e6);
    link->vary_share = percent / 100;
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

static void relay_options_set(const struct row *row, const char *text, struct relay_options *options)
{
    void *at = (char *)options + row->offset;
    switch (row->kind) {
    case RATE: *(uint64_t *)at = parse_rate(row, text); break;
    case BYTES: *(uint64_t *)at = (uint64_t)relay_options_number(row, text, 1, 1e9, NULL); break;
    case SIGNED_BYTES: *(int64_t *)at = (int64_t)relay_options_number(row, text, -1000, 1000, NULL); break;
    case MICROSECONDS: *(int64_t *)at = llround(relay_options_number(row, text, 0, 6e7, NULL) * 1e3); break;
    case PROBABILITY: *(double *)at = relay_options_number(row, text, 0, 1, NULL); break;
    case QUEUE: parse_queue(row, text, at); break;
    case PORT: *(uint16_t *)at = (uint16_t)relay_options_number(row, text, 1, 65535, NULL); break;
    case SEED: *(uint64_t *)at = parse_seed(row, text); break;
    case ORDER: *(bool *)at = parse_order(row, text); break;
    case FLAG: *(bool *)at = true; break;
    case TEXT: *(const char **)at = text; break;
    case POLICE: parse_police(row, text, at); break;
    case SLOTS: parse_slots(row, text, at); break;
    case VARY: parse_vary(row, text, at); break;
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

static void check_kind(const struct path_config *path)
{
    const struct link_config *link = &path->link;
    uint64_t quantum_bytes = path->fair_quantum_bytes;
    if (quantum_bytes && quantum_bytes < FAIR_QUANTUM_LEAST)
        die("--fq needs a quantum of %d bytes at least; 1514 is Linux's", FAIR_QUANTUM_LEAST);
    if (quantum_bytes && !link->rate_bps)
        die("--fq needs a --rate: without one nothing waits");
    if (link->access.contended && !link->rate_bps)
        die("--slots needs a --rate: that of the bits on the air");
    if (link->vary_ns && !link->rate_bps)
        die("--vary needs a --rate: the mean");
    if (link->access.contended && (link->burst_bytes || link->tick_ns))
        die("--slots with --burst or --tick are two links: give each a relay");
    if (link->vary_ns && link->burst_bytes)
        die("--vary with --burst are two links: give each a relay");
}

static void relay_options_check(const struct relay_options *options)
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
    check_kind(&options->path);
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
        .path =
            {
                .link.overhead_bytes = 4,
                .delay_ns = 1000 * 1000,
                .hold_ns = 5 * 1000 * 1000,
                .seed = seed_from_clock(),
            },
        .spin_ns = 100 * 1000,
    };
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0)
            relay_options_help();
        if (argv[i][0] != '-') {
            take_argument(options, argv[i]);
            continue;
        }
        const struct row *row = relay_options_find_row(argv[i]);
        if (row->value && ++i == argc)
            die("%s needs a value", row->name);
        relay_options_set(row, argv[i], options);
    }
    relay_options_check(options);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include "common/wire.h"
#include "method.h"
#include "plan.h"
#include "schedule.h"

#include <stdlib.h>
#include <string.h>

#ifndef PP_VERSION
#define PP_VERSION "unknown"
#endif

/* In the order of enum sender_loop, enum schedule_spacing and enum method_wish. */
static const char *const loops[] = {"on", "off", NULL};
static const char *const spacings[] = {"uniform", "poisson", NULL};
static const char *const methods[] = {"auto", "mmsg", "gso", NULL};

/* For the help and for shells. */
static const char *const layers[] = {"udp", "ip", "l2", "wire", NULL};

/* --- kinds of our own --------------------------------------------------- */

static int read_layer(const struct option_row *row, void *options, const char *text, struct error *error)
{
    (void)row;
    if (layer_parse(&((struct sender_options *)options)->layer, text, NULL) == 0)
        return 0;
    return error_set(error, LAYER_WANTED);
}

static void show_layer(const struct option_row *row, const void *options, FILE *out)
{
    char room[12];

    (void)row;
    fputs(layer_name(&((const struct sender_options *)options)->layer, room), out);
}

static const struct option_kind kind_layer = {read_layer, show_layer};

/* Less is a rate whose unit was forgotten. */
#define RATE_LEAST_BPS 1e3

/* 0: none of them. */
static double unit_of(const char *text)
{
    static const char *const names[] = {"", "k", "m", "g", "K", "M", "G", NULL};
    static const double units[] = {1, 1e3, 1e6, 1e9, 1e3, 1e6, 1e9};
    int found = option_find(names, text);

    return found >= 0 ? units[found] : 0;
}

/* Digits, with a point among them or not, and a unit: strtod alone would also take blanks,
 * signs, hexadecimal, inf and nan. 0: this is no rate. */
static double options_rate_of(const char *text)
{
    size_t digits = strspn(text, "0123456789.");
    char *end;
    double bps = strtod(text, &end) * unit_of(text + digits);

    return end == text + digits ? bps : 0;
}

static int pptrans_options_read_rate(const struct option_row *row, void *options, const char *text,
                                     struct error *error)
{
    double bps = options_rate_of(text);

    if (!(bps >= row->min && bps <= row->max))
        return error_set(error, "want bits per second from 1k on, with their unit: 500k, 25m, 1g");
    *(double *)((char *)options + row->offset) = bps;
    return 0;
}

static void pptrans_options_show_rate(const struct option_row *row, const void *options, FILE *out)
{
    fprintf(out, "%.10gm", *(const double *)((const char *)options + row->offset) / 1e6);
}

static const struct option_kind kind_rate = {pptrans_options_read_rate, pptrans_options_show_rate};

static int read_host(const struct option_row *row, void *options, const char *text, struct error *error)
{
    char host[ADDRESS_HOST_BYTES];
    uint16_t port;

    if (address_split(text, host, &port) == 0)
        return error_set(error, "want the host alone: its port is given as -p %u", port);
    return option_text.read(row, options, text, error);
}

static const struct option_kind kind_host = {.read = read_host};

/* What stands before the first dash of a range, in room, and what behind it; NULL when there is
 * none, or it is too long to be a number. */
static const char *options_split(const char *text, char *room, size_t room_bytes)
{
    size_t bytes = strcspn(text, "-");

    if (text[bytes] == '\0' || bytes >= room_bytes)
        return NULL;
    memcpy(room, text, bytes);
    room[bytes] = '\0';
    return text + bytes + 1;
}

static int read_available(const struct option_row *row, void *options, const char *text, struct error *error)
{
    struct sender_options *sender = options;
    char low[32];
    const char *high = text != NULL ? options_split(text, low, sizeof low) : NULL;

    sender->available = true;
    sender->low_bps = sender->high_bps = 0;
    if (text == NULL)
        return 0;
    sender->low_bps = high != NULL ? options_rate_of(low) : 0;
    sender->high_bps = high != NULL ? options_rate_of(high) : 0;
    if (!(sender->low_bps >= row->min && sender->high_bps <= row->max && sender->low_bps < sender->high_bps))
        return error_set(error,
                         "want two rates from 1k bit/s on, each with its unit, the lower one first: 5m-60m");
    return 0;
}

static const struct option_kind kind_available = {.read = read_available};

static int read_locate(const struct option_row *row, void *options, const char *text, struct error *error)
{
    struct sender_options *sender = options;
    char from[32];
    const char *to = text != NULL ? options_split(text, from, sizeof from) : NULL;
    double first, last;

    sender->locate = true;
    sender->hop_from = sender->hop_to = 0;
    if (text == NULL)
        return 0;
    if (to == NULL || !option_whole(from, row->min, row->max, &first)
        || !option_whole(to, first, row->max, &last))
        return error_set(error, "want two numbers of hops, %g to %g, such as 1-16", row->min, row->max);
    sender->hop_from = (uint32_t)first;
    sender->hop_to = (uint32_t)last;
    return 0;
}

static const struct option_kind kind_locate = {.read = read_locate};

/* The classes by name: RFC 2474 (CS), 2597 (AF), 3246 (EF), 5865 (VA), 8622
 * (LE). -1: no such name. */
static int dscp_by_name(const char *text)
{
    static const char *const names[] = {"DF", "BE", "LE", "EF", "VA", NULL};
    static const int values[] = {0, 0, 1, 46, 44};
    int found = option_find(names, text);

    if (found >= 0)
        return values[found];
    if (strlen(text) == 3 && strncmp(text, "CS", 2) == 0 && text[2] >= '0' && text[2] <= '7')
        return 8 * (text[2] - '0');
    if (strlen(text) == 4 && strncmp(text, "AF", 2) == 0 && text[2] >= '1' && text[2] <= '4' && text[3] >= '1'
        && text[3] <= '3')
        return 8 * (text[2] - '0') + 2 * (text[3] - '0');
    return -1;
}

static int read_dscp(const struct option_row *row, void *options, const char *text, struct error *error)
{
    double number = dscp_by_name(text);

    if (number < 0 && !option_whole(text, row->min, row->max, &number))
        return error_set(error,
                         "want a number from 0 to 63, or CS0 to CS7, AF11 to AF43, EF, VA, "
                         "LE or DF");
    ((struct sender_options *)options)->dscp = (int)number;
    return 0;
}

static const struct option_kind kind_dscp = {.read = read_dscp};

/* --- the table ---------------------------------------------------------- */

#define AT(field) .offset = offsetof(struct sender_options, field)

static const struct option_row rows[] = {
    {.name = "host",
     .letter = 'h',
     .metavar = "HOST",
     .kind = &kind_host,
     AT(host),
     .help = "where to send: a name or an address",
     .required = true},
    {.name = "port",
     .letter = 'p',
     .metavar = "PORT",
     .kind = &option_unsigned,
     AT(port),
     .min = 1,
     .max = 65535,
     .help = "UDP port",
     .required = true},
    {.name = "size",
     .letter = 's',
     .metavar = "BYTES",
     .kind = &option_unsigned,
     AT(size_bytes),
     .min = 1,
     .max = 1000000,
     .help = "size of each packet, at the layer (default: full frames)"},
    {.name = "delay",
     .letter = 'd',
     .metavar = "MS",
     .kind = &option_real,
     AT(delay_ms),
     .min = 0.01,
     .max = 86400000,
     .help = "mean time from train to train, ms (default: for 250 kbit/s on average)"},
    {.name = "length",
     .letter = 'n',
     .metavar = "PACKETS",
     .kind = &option_power,
     AT(length),
     .min = 2,
     .max = WIRE_TRAIN_MAX,
     .help = "packets in a train, a power of two, 2 to 256 (default: the mix)"},
    {.name = "count",
     .letter = 'c',
     .metavar = "TRAINS",
     .kind = &option_unsigned,
     AT(trains),
     .min = 1,
     .max = UINT32_MAX,
     .help = "end after this many trains"},
    {.name = "time",
     .letter = 't',
     .metavar = "SECONDS",
     .kind = &option_real,
     AT(seconds),
     .min = 0.001,
     .max = 1e9,
     .help = "end after this many seconds"},
    {.name = "mix",
     .kind = &option_flag,
     AT(mix),
     .help = "the default pattern: pairs, and long trains of 64 or -n"},
    {.name = "available",
     .metavar = "LOW-HIGH",
     .optional = true,
     .kind = &kind_available,
     .min = RATE_LEAST_BPS,
     .max = 1e12,
     .help = "what is free: the mix, and trains paced from LOW to HIGH bit/s "
             "(default 1m-100m: 500 kbit/s)"},
    {.name = "locate",
     .metavar = "FROM-TO",
     .optional = true,
     .kind = &kind_locate,
     .min = 1,
     .max = 255,
     .help = "which link is narrow: the mix, and trains whose load dies at a hop (default 1-16); "
             "with --available: which one is tight, too"},
    {.name = "max-load",
     .metavar = "RATE",
     .kind = &kind_rate,
     AT(load_most_bps),
     .min = RATE_LEAST_BPS,
     .max = 1e12,
     .help = "refuse to send more than this on average, in bit/s"},
    {.name = "spacing",
     .metavar = "WORD",
     .kind = &option_word,
     AT(spacing),
     .words = spacings,
     .help = "intervals (default poisson, but for -n 2 and --classic)"},
    {.name = "send",
     .metavar = "WORD",
     .kind = &option_word,
     AT(send),
     .words = methods,
     .help = "how trains are sent"},
    {.name = "layer",
     .metavar = "LAYER",
     .kind = &kind_layer,
     AT(layer),
     .words = layers,
     .help = "what a packet counts, or bytes over payload"},
    {.name = "classic",
     .kind = &option_flag,
     AT(classic),
     .help = "the paper's format: a sequence number of one byte"},
    {.name = "key-file",
     .metavar = "FILE",
     .kind = &option_text,
     AT(key_file),
     .help = "tag packets with this key: 64 hexadecimal digits"},
    {.name = "ttl",
     .metavar = "HOPS",
     .kind = &option_unsigned,
     AT(ttl),
     .min = 1,
     .max = 255,
     .help = "time to live or hop limit, multicast too"},
    {.name = "loop",
     .metavar = "WORD",
     .kind = &option_word,
     AT(loop),
     .words = loops,
     .help = "whether packets to a group reach receivers on this host too"},
    {.name = "interface",
     .letter = 'I',
     .metavar = "IF",
     .kind = &option_text,
     AT(interface),
     .help = "send through this interface"},
    {.name = "dscp",
     .metavar = "CLASS",
     .kind = &kind_dscp,
     .min = 0,
     .max = 63,
     .help = "mark packets: 0 to 63, or a name such as EF, CS1, AF41"},
    {.name = "ipv4", .letter = '4', .kind = &option_flag, AT(ipv4), .help = "IPv4 only"},
    {.name = "ipv6", .letter = '6', .kind = &option_flag, AT(ipv6), .help = "IPv6 only"},
    {.name = "json", .kind = &option_flag, AT(json), .help = "print JSON, one object per line"},
    {.name = "quiet", .letter = 'q', .kind = &option_flag, AT(quiet), .help = "print only the totals"},
    {.name = "verbose",
     .letter = 'v',
     .kind = &option_flag,
     AT(verbose),
     .help = "print every train's departure"},
    {.kind = NULL},
};

const struct option_program sender_options_program = {
    .name = "pptrans",
    .version = PP_VERSION,
    .usage = "-h HOST -p PORT [-s SIZE] [-d DELAY_MS] [-n TRAINLEN] [options]",
    .about = "Sends UDP packet pairs and trains, from which pprec tells the path's capacity.\n"
             "To start, give HOST and PORT alone. -n 2 sends the paper's pairs; --available also\n"
             "tells what is free, --locate which link is narrow.\n",
    .rows = rows,
};

static int check_classic(const struct sender_options *options, struct error *error)
{
    if (options->key_file != NULL)
        return error_set(error,
                         "--classic and --key-file exclude each other: the classic format "
                         "has no room for a tag");
    if (options->mix)
        return error_set(error,
                         "--classic and --mix exclude each other: the classic format does "
                         "not tell a train's length");
    if (options->available || options->locate)
        return error_set(error,
                         "--classic and %s exclude each other: the classic format does not "
                         "tell how a train left",
                         options->available ? "--available" : "--locate");
    return 0;
}

/* Each of the two has the mix in it. */
static int check_pattern(const struct sender_options *options, struct error *error)
{
    if (options->available && options->locate && options->length != 0)
        return error_set(error,
                         "--available --locate -n %u: trains of both have lengths of their own: want no -n",
                         options->length);
    if (options->mix && (options->available || options->locate))
        return error_set(error, "--mix and %s exclude each other: the mix is a part of it",
                         options->available ? "--available" : "--locate");
    if (options->available && options->length == 2)
        return error_set(error, "--available -n 2: a pair cannot be paced: want trains of 4 to 256");
    if (options->locate && options->length != 0 && (options->length < 8 || options->length > 32))
        return error_set(error, "--locate -n %u: want 8, 16 or 32: the longer ones of its trains",
                         options->length);
    if (options->mix && options->length == 2)
        return error_set(error, "--mix -n 2: pairs alone are no mix: want long trains of 4 to 256");
    return 0;
}

static int options_check(const struct sender_options *options, struct error *error)
{
    if (options->ipv4 && options->ipv6)
        return error_set(error, "-4 and -6 exclude each other");
    if (options->quiet && options->verbose)
        return error_set(error, "-q and -v exclude each other");
    if (options->classic && check_classic(options, error) != 0)
        return -1;
    return check_pattern(options, error);
}

enum option_result sender_options_read(struct sender_options *options, int argc, char **argv,
                                       struct error *error)
{
    enum option_result result;

    *options = (struct sender_options){
        .dscp = -1, .spacing = -1, .load_most_bps = PLAN_LOAD_MOST_BPS, .layer = {.kind = LAYER_L2}};
    result = option_parse(&sender_options_program, argc, argv, options, error);
    if (result == OPTION_RUN && options_check(options, error) != 0)
        return OPTION_BAD;
    return result;
}

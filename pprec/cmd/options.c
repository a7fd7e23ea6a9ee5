/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include "pprec/pprec.h"

#include <stddef.h>
#include <string.h>

enum { FILTERS_MAX = 16, WINDOW_MAX = 65536 };

static const char *const timestamps_words[] = {"auto", "kernel", "hardware", "user", NULL};
static const char *const confine_words[] = {"auto", "kill", "off", NULL}; /* as in confine.h */

/* For the help and for shells; the library reads them. */
static const char *const layer_words[] = {"udp", "ip", "l2", "wire", NULL};
static const char *const kind_words[] = {"probe", "srt", "rtp", "flow", NULL};

/* Filled from the library's list; the option table needs the names in a row. */
static const char *filter_words[FILTERS_MAX + 1];

static int read_another(const struct option_row *row, void *options, const char *text,
                        struct error *error)
{
    const char **list = (const char **)((char *)options + row->offset);
    size_t count = 0;

    while (list[count] != NULL)
        count++;
    if (text[0] == '\0')
        return error_set(error, "want %s, not an empty text", row->metavar);
    if (count == OPTIONS_LIST_MAX)
        return error_set(error, "want at most %d of them", OPTIONS_LIST_MAX);
    list[count] = text;
    return 0;
}

/* const char *[OPTIONS_LIST_MAX + 1] */
static const struct option_kind option_list = {.read = read_another};

static int read_kind(const struct option_row *row, void *held, const char *text,
                     struct error *error)
{
    struct options *options = held;

    (void)row;
    for (unsigned i = 0; i < PPREC_KINDS; i++) {
        if (strcmp(text, pprec_kind_name((enum pprec_kind)i)) == 0) {
            options->expect |= 1U << i;
            return 0;
        }
    }
    return error_set(error, "want probe, srt, rtp or flow");
}

static const struct option_kind option_kinds = {.read = read_kind};

#define AT(field) offsetof(struct options, field)

static const struct option_row rows[] = {
    {.name = "port", .letter = 'p', .metavar = "PORT", .help = "UDP port to receive on",
     .kind = &option_unsigned, .offset = AT(port), .min = 1, .max = 65535},
    {.name = "group", .letter = 'g', .metavar = "GROUP[@SOURCE]",
     .help = "join this multicast group, of one source only if given; repeatable",
     .kind = &option_list, .offset = AT(groups), .repeatable = true},
    {.name = "read", .letter = 'r', .metavar = "FILE",
     .help = "read this capture, pcap or pcapng, - for standard input; repeatable",
     .kind = &option_list, .offset = AT(files), .repeatable = true},
    {.name = "capture", .letter = 'C', .metavar = "IF", .help = "capture live on this interface",
     .kind = &option_text, .offset = AT(capture)},
    {.name = "bpf", .letter = 'f', .metavar = "EXPR",
     .help = "of a capture, only the packets that this filter of tcpdump's passes",
     .kind = &option_text, .offset = AT(bpf)},
    {.name = "expect", .metavar = "KIND",
     .help = "kinds to look for, repeatable (default all; on a port probe)",
     .kind = &option_kinds, .words = kind_words, .repeatable = true},
    {.name = "top", .metavar = "N", .help = "at the end, the N summaries of most evidence only",
     .kind = &option_unsigned, .offset = AT(top), .min = 1, .max = 1 << 20},
    {.name = "length", .old = "trainlen", .letter = 'n', .metavar = "PACKETS",
     .help = "accept only trains of so many packets: a power of two, 2 to 256",
     .kind = &option_unsigned, .offset = AT(train_length), .min = 2, .max = 256},
    {.name = "classic", .help = "the paper's format: a byte of sequence number; needs -n",
     .kind = &option_flag, .offset = AT(classic)},
    {.letter = '4', .help = "IPv4 only", .kind = &option_flag, .offset = AT(ipv4)},
    {.letter = '6', .help = "IPv6 only", .kind = &option_flag, .offset = AT(ipv6)},
    {.name = "interface", .letter = 'I', .metavar = "IF", .help = "receive on this interface only",
     .kind = &option_text, .offset = AT(interface_name)},
    {.name = "from", .metavar = "PREFIX",
     .help = "take datagrams only from here: ADDRESS or ADDRESS/BITS; repeatable",
     .kind = &option_list, .offset = AT(sources)},
    {.name = "key-file", .metavar = "FILE",
     .help = "believe only probes with this key's tag: 64 hexadecimal digits",
     .kind = &option_text, .offset = AT(key_file)},
    {.name = "max-age", .metavar = "SECONDS",
     .help = "with a key, how far the sender's clock may be from ours",
     .kind = &option_unsigned, .offset = AT(max_age_s), .min = 1, .max = 3600},
    {.name = "timestamps", .metavar = "SOURCE",
     .help = "who takes the arrival times; auto: the adapter for -C if it can, else the kernel",
     .kind = &option_word, .offset = AT(timestamps), .words = timestamps_words},
    {.name = "layer", .metavar = "LAYER",
     .help = "what a packet counts, or bytes on top of the payload", .kind = &option_text,
     .offset = AT(layer), .words = layer_words},
    {.name = "filter", .metavar = "FILTER", .help = "how rates become an estimate",
     .kind = &option_word, .offset = AT(filter), .words = filter_words},
    {.name = "window", .metavar = "N", .help = "trains that the filter looks back on",
     .kind = &option_unsigned, .offset = AT(window), .min = 1, .max = WINDOW_MAX},
    {.name = "output", .letter = 'o', .metavar = "LOG",
     .help = "append a line a train to this file; SIGHUP reopens it",
     .kind = &option_text, .offset = AT(log)},
    {.name = "user", .metavar = "USER", .help = "become this user once the port or capture is open",
     .kind = &option_text, .offset = AT(user)},
    {.name = "confine", .metavar = "HOW",
     .help = "system calls beyond those it needs fail (auto, if it can) or end it (kill)",
     .kind = &option_word, .offset = AT(confine), .words = confine_words},
    {.name = "json", .help = "JSON Lines on standard output", .kind = &option_flag,
     .offset = AT(json)},
    {.name = "packets", .help = "with --json: a train's packets, their positions and arrival times",
     .kind = &option_flag, .offset = AT(packets)},
    {.name = "csv", .help = "CSV on standard output", .kind = &option_flag, .offset = AT(csv)},
    {.name = "live", .help = "on a terminal, a view of the measurement instead of lines",
     .kind = &option_flag, .offset = AT(live)},
    {.name = "quiet", .letter = 'q', .help = "summaries and interval reports alone",
     .kind = &option_flag, .offset = AT(quiet)},
    {.name = "interval", .letter = 'i', .metavar = "SECONDS",
     .help = "report each stream every so often, in a capture by its time", .kind = &option_real,
     .offset = AT(interval_s), .min = 0.1, .max = 1e6},
    {.name = "metrics", .metavar = "ADDRESS:PORT",
     .help = "serve figures for Prometheus; anyone who reaches this address reads them",
     .kind = &option_text, .offset = AT(metrics)},
    {.name = "trains", .letter = 'c', .metavar = "TRAINS", .help = "end after so many trains",
     .kind = &option_unsigned, .offset = AT(trains), .min = 1, .max = 4294967295.0},
    {.name = "time", .letter = 't', .metavar = "SECONDS",
     .help = "end after so long, in a capture by its time",
     .kind = &option_real, .offset = AT(duration_s), .min = 0.001, .max = 1e9},
    {.kind = NULL},
};

static const struct option_program program = {
    .name = "pprec",
    .version = PPREC_VERSION,
    .usage = "-p PORT [-g GROUP[@SOURCE]] | -r FILE | -C IF [-n PACKETS] [-o LOG]",
    .about = "Receives the packet trains of pptrans, or finds trains in captures, and tells the\n"
             "capacity of the path's narrow link from how far the path spread them.",
    .rows = rows,
};

static int name_filters(const char *preset)
{
    int found = 0;

    for (int i = 0; i < FILTERS_MAX && pprec_filter_name((size_t)i) != NULL; i++)
        filter_words[i] = pprec_filter_name((size_t)i);
    found = option_find(filter_words, preset);
    return found < 0 ? 0 : found;
}

const struct option_program *options_program(void)
{
    name_filters("");
    return &program;
}

static void set_defaults(struct options *options)
{
    struct pprec_config config;

    pprec_config_init(&config);
    *options = (struct options){
        .layer = config.layer,
        .filter = name_filters(config.filter),
        .window = config.window,
        .max_age_s = config.max_age_s,
    };
}

static void print_help(const struct options *options)
{
    option_help(&program, options, stdout);
    printf("\nFilters:\n");
    for (size_t i = 0; pprec_filter_name(i) != NULL; i++)
        printf("  %-10s %s\n", pprec_filter_name(i), pprec_filter_usage(i));
    printf("\nExit status: 0 with an estimate, 1 without one, 2 for bad usage or unusable input.\n");
}

static int check_inputs(const struct options *options, struct error *error)
{
    bool captures = options_stored(options) || options->capture != NULL;

    if (options->port == 0 && !captures)
        return error_set(error, "-p PORT is missing: or read a capture with -r FILE or -C IF");
    if (options_stored(options) && options->capture != NULL)
        return error_set(error, "-r and -C: want one of them");
    if (!captures && options->bpf != NULL)
        return error_set(error, "-f belongs to a capture, -r or -C");
    if (captures && options->groups[0] != NULL)
        return error_set(error, "-g belongs to a port; a capture takes what comes by");
    if (captures && (options->ipv4 || options->ipv6 || options->interface_name != NULL))
        return error_set(error, "-4, -6 and -I belong to a port; of a capture take packets with -f");
    if (captures && options->sources[0] != NULL)
        return error_set(error, "--from belongs to a port; of a capture take packets with "
                                "-f 'src net PREFIX'");
    if ((captures && options->timestamps == OPTIONS_TIMESTAMPS_USER)
        || (options_stored(options) && options->timestamps != OPTIONS_TIMESTAMPS_AUTO))
        return error_set(error, "--timestamps: a capture's packets are stamped already");
    if (options_stored(options) && options->metrics != NULL)
        return error_set(error, "--metrics is for -p and -C: a stored capture is read too soon");
    return 0;
}

static int check_families(const char *name, const char *const *addresses,
                          const struct options *options, struct error *error)
{
    for (; *addresses != NULL; addresses++) {
        bool ipv6 = strchr(*addresses, ':') != NULL;

        if (ipv6 ? options->ipv4 : options->ipv6)
            return error_set(error, "%s %s: nothing comes from there with %s alone", name,
                             *addresses, options->ipv4 ? "-4" : "-6");
    }
    return 0;
}

static int check_age(const struct options *options, struct error *error)
{
    struct pprec_config config;

    pprec_config_init(&config);
    if (options->max_age_s != config.max_age_s && options->key_file == NULL)
        return error_set(error, "--max-age: only tagged probes have an age; add --key-file");
    return 0;
}

static int check_together(const struct options *options, struct error *error)
{
    if (options->train_length & (options->train_length - 1))
        return error_set(error, "-n %u: want a power of two, 2 to 256", options->train_length);
    if (options->classic && options->train_length == 0)
        return error_set(error, "--classic: the format does not tell the train length; add -n");
    if (check_families("-g", options->groups, options, error) < 0
        || check_families("--from", options->sources, options, error) < 0
        || check_age(options, error) < 0)
        return -1;
    if (options->classic && options->key_file != NULL)
        return error_set(error, "--key-file: the classic format has no room for a tag");
    if (options->ipv4 && options->ipv6)
        return error_set(error, "-4 and -6: want one of them, or none for both");
    if (options->json && options->csv)
        return error_set(error, "--json and --csv: want one of them");
    if (options->packets && !options->json)
        return error_set(error, "--packets: only JSON tells packets; add --json");
    if (options->live && (options->json || options->csv))
        return error_set(error, "--live and --%s: both want standard output",
                         options->json ? "json" : "csv");
    if (check_inputs(options, error) < 0)
        return -1;
    if (options->timestamps == OPTIONS_TIMESTAMPS_HARDWARE && options->capture == NULL
        && options->interface_name == NULL)
        return error_set(error, "--timestamps hardware: add the interface that stamps, -I IF");
    return 0;
}

enum option_result options_from_arguments(struct options *options, int argc, char **argv,
                                          struct error *error)
{
    enum option_result result;

    set_defaults(options);
    result = option_parse(&program, argc, argv, options, error);
    if (result == OPTION_HELP)
        print_help(options);
    if (result == OPTION_VERSION)
        printf("%s %s\n", program.name, program.version);
    if (result == OPTION_RUN && check_together(options, error) < 0)
        return OPTION_BAD;
    return result;
}

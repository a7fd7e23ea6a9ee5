/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include "common/layer.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { FILTERS_MAX = 16, WINDOW_MAX = 65536, JOBS_MAX = 256 };

/* The streams of one address at a port: a quarter of all, so that no sender takes all places. In a capture
 * there is no such limit, because many flows have the address of one server. */
enum { ADDRESS_STREAMS_MAX = 256 };

static const char *const timestamps_words[] = {"auto", "kernel", "hardware", "user", NULL};
static const char *const confine_words[] = {"auto", "kill", "off", NULL}; /* as in confine.h */

/* For the help and for shells; the library reads them. */
static const char *const layer_words[] = {"udp", "ip", "l2", "wire", NULL};
static const char *const kind_words[] = {"probe", "srt", "rtp", "flow", "iperf", "udpst", "stamp", NULL};

/* Filled from the library's list, because the option table needs an array of names. */
static const char *filter_words[FILTERS_MAX + 1];

static int read_another(const struct option_row *row, void *options, const char *text, struct error *error)
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

static int read_kind(const struct option_row *row, void *held, const char *text, struct error *error)
{
    struct options *options = held;

    (void)row;
    for (unsigned i = 0; i < PPREC_KINDS; i++) {
        if (strcmp(text, pprec_kind_name((enum pprec_kind)i)) == 0) {
            options->expect |= 1U << i;
            return 0;
        }
    }
    return error_set(error, "want probe, srt, rtp, flow, iperf, udpst or stamp");
}

static const struct option_kind option_kinds = {.read = read_kind};

static int options_read_address(const struct option_row *row, void *options, const char *text,
                                struct error *error)
{
    return address_parse((struct address *)((char *)options + row->offset), text, error);
}

static const struct option_kind option_address = {.read = options_read_address};

/* The text as the library takes it: here is who knows the option's name. */
static int options_read_layer(const struct option_row *row, void *options, const char *text,
                              struct error *error)
{
    struct layer layer;

    if (layer_parse(&layer, text, NULL) < 0)
        return error_set(error, LAYER_WANTED);
    return option_text.read(row, options, text, error);
}

static void options_show_layer(const struct option_row *row, const void *options, FILE *out)
{
    option_text.show(row, options, out);
}

static const struct option_kind option_layer = {options_read_layer, options_show_layer};

/* uint64_t: whole bytes, or so many k, M or G of 1024 */
static int read_bytes(const struct option_row *row, void *options, const char *text, struct error *error)
{
    double value;

    if (!option_units(text, "kMG", 1024, &value) || value < row->min || value > row->max)
        return error_set(error, "want bytes, or so many k, M or G, from %.0f to %.0f", row->min, row->max);
    *(uint64_t *)((char *)options + row->offset) = (uint64_t)value;
    return 0;
}

static void show_bytes(const struct option_row *row, const void *options, FILE *out)
{
    uint64_t bytes = *(const uint64_t *)((const char *)options + row->offset);

    fprintf(out, bytes % (1 << 20) == 0 ? "%lluM" : "%llu",
            (unsigned long long)(bytes % (1 << 20) == 0 ? bytes >> 20 : bytes));
}

static const struct option_kind option_bytes = {read_bytes, show_bytes};

/* Below that a summary would wait for seconds. */
enum { LOG_RATE_LEAST = 1000, LOG_RATE_MOST = 1000000000, LOG_RATE_DEFAULT = 200000 };

/* "200000", "200k" or "1M" */
static int options_read_rate(const struct option_row *row, void *options, const char *text,
                             struct error *error)
{
    double value;

    if (!option_units(text, "kM", 1000, &value) || value > LOG_RATE_MOST
        || (value > 0 && value < LOG_RATE_LEAST))
        return error_set(error, "want bytes per second, 1k to 1000M, or 0 for no limit");
    *(uint32_t *)((char *)options + row->offset) = (uint32_t)value;
    return 0;
}

static void options_show_rate(const struct option_row *row, const void *options, FILE *out)
{
    uint32_t rate = *(const uint32_t *)((const char *)options + row->offset);

    fprintf(out, rate % 1000 == 0 && rate > 0 ? "%uk" : "%u", rate % 1000 == 0 ? rate / 1000 : rate);
}

static const struct option_kind option_rate = {options_read_rate, options_show_rate};

#define AT(field) offsetof(struct options, field)

static const struct option_row rows[] = {
    {.name = "port",
     .letter = 'p',
     .metavar = "PORT",
     .help = "UDP port to receive on",
     .kind = &option_unsigned,
     .offset = AT(port),
     .min = 1,
     .max = 65535},
    {.name = "group",
     .letter = 'g',
     .metavar = "GROUP[@SOURCE]",
     .help = "join this multicast group, of one source only if given; repeatable",
     .kind = &option_list,
     .offset = AT(groups),
     .repeatable = true},
    {.name = "read",
     .letter = 'r',
     .metavar = "FILE",
     .help = "read this capture, pcap or pcapng, - for standard input; as a name without -r",
     .kind = &option_list,
     .offset = AT(files),
     .repeatable = true},
    {.name = "jobs",
     .letter = 'j',
     .metavar = "N",
     .help = "read this many captures side by side, each by itself; output in their order",
     .kind = &option_unsigned,
     .offset = AT(jobs),
     .min = 1,
     .max = JOBS_MAX},
    {.name = "capture",
     .letter = 'C',
     .metavar = "IF",
     .help = "capture live on this interface",
     .kind = &option_text,
     .offset = AT(capture)},
    {.name = "bpf",
     .letter = 'f',
     .metavar = "EXPR",
     .help = "use only packets of a capture that this tcpdump filter passes",
     .kind = &option_text,
     .offset = AT(bpf)},
    {.name = "expect",
     .metavar = "KIND",
     .help = "kinds to look for, repeatable (default all; on a port probe)",
     .kind = &option_kinds,
     .words = kind_words,
     .repeatable = true},
    {.name = "top",
     .metavar = "N",
     .help = "at the end, print only the N summaries with most evidence",
     .kind = &option_unsigned,
     .offset = AT(top),
     .min = 1,
     .max = 1 << 20},
    {.name = "length",
     .old = "trainlen",
     .letter = 'n',
     .metavar = "PACKETS",
     .help = "accept only trains of this many packets: a power of two, 2 to 256",
     .kind = &option_power,
     .offset = AT(train_length),
     .min = 2,
     .max = 256},
    {.name = "classic",
     .help = "the paper's format: a byte of sequence number; needs -n",
     .kind = &option_flag,
     .offset = AT(classic)},
    {.name = "ipv4", .letter = '4', .help = "IPv4 only", .kind = &option_flag, .offset = AT(ipv4)},
    {.name = "ipv6", .letter = '6', .help = "IPv6 only", .kind = &option_flag, .offset = AT(ipv6)},
    {.name = "interface",
     .letter = 'I',
     .metavar = "IF",
     .help = "receive on this interface only",
     .kind = &option_text,
     .offset = AT(interface_name)},
    {.name = "from",
     .metavar = "PREFIX",
     .help = "take datagrams only from here: ADDRESS or ADDRESS/BITS; repeatable",
     .kind = &option_list,
     .offset = AT(sources)},
    {.name = "key-file",
     .metavar = "FILE",
     .help = "believe only probes with this key's tag: 64 hexadecimal digits",
     .kind = &option_text,
     .offset = AT(key_file)},
    {.name = "max-age",
     .metavar = "SECONDS",
     .help = "with a key, how far the sender's clock may be from ours",
     .kind = &option_unsigned,
     .offset = AT(max_age_s),
     .min = 1,
     .max = 3600},
    {.name = "state",
     .metavar = "FILE",
     .help = "with a key, keep in this file which probes were taken, over a restart too",
     .kind = &option_text,
     .offset = AT(state)},
    {.name = "sent-to",
     .metavar = "ADDRESS[:PORT]",
     .help = "with a key and behind a NAT, the address that senders send to",
     .kind = &option_address,
     .offset = AT(sent_to)},
    {.name = "timestamps",
     .metavar = "SOURCE",
     .help = "who takes the arrival times; auto: the adapter for -C if it can, else the kernel",
     .kind = &option_word,
     .offset = AT(timestamps),
     .words = timestamps_words},
    {.name = "layer",
     .metavar = "LAYER",
     .help = "what a packet counts, or bytes on top of the payload",
     .kind = &option_layer,
     .offset = AT(layer),
     .words = layer_words},
    {.name = "filter",
     .metavar = "FILTER",
     .help = "how rates become an estimate",
     .kind = &option_word,
     .offset = AT(filter),
     .words = filter_words},
    {.name = "window",
     .metavar = "N",
     .help = "trains that the filter looks back on",
     .kind = &option_unsigned,
     .offset = AT(window),
     .min = 1,
     .max = WINDOW_MAX},
    {.name = "memory",
     .metavar = "BYTES",
     .help = "take at most this much for streams and all else, in bytes or k, M, G of 1024",
     .kind = &option_bytes,
     .offset = AT(memory_bytes),
     .min = 1 << 20,
     .max = 1099511627776.0},
    {.name = "idle",
     .metavar = "SECONDS",
     .help = "end a stream that was silent for this long; 0: never; of a stored capture never",
     .kind = &option_unsigned,
     .offset = AT(idle_s),
     .min = 0,
     .max = 1 << 30},
    {.name = "output",
     .letter = 'o',
     .metavar = "LOG",
     .help = "append a line for each train to this file; SIGHUP reopens it",
     .kind = &option_text,
     .offset = AT(log)},
    {.name = "log-rate",
     .metavar = "BYTES",
     .help = "write at most this much log per second, streams that last first; 0: no limit",
     .kind = &option_rate,
     .offset = AT(log_rate)},
    {.name = "user",
     .metavar = "USER",
     .help = "become this user once the port or capture is open",
     .kind = &option_text,
     .offset = AT(user)},
    {.name = "confine",
     .metavar = "HOW",
     .help = "system calls beyond those it needs fail (auto, if it can) or end it (kill)",
     .kind = &option_word,
     .offset = AT(confine),
     .words = confine_words},
    {.name = "json", .help = "print JSON Lines on standard output", .kind = &option_flag, .offset = AT(json)},
    {.name = "packets",
     .help = "with --json: also the positions and arrival times of a train's packets",
     .kind = &option_flag,
     .offset = AT(packets)},
    {.name = "csv", .help = "print CSV on standard output", .kind = &option_flag, .offset = AT(csv)},
    {.name = "live",
     .help = "on a terminal, show a view of the measurement instead of lines",
     .kind = &option_flag,
     .offset = AT(live)},
    {.name = "quiet",
     .letter = 'q',
     .help = "print only summaries and interval reports",
     .kind = &option_flag,
     .offset = AT(quiet)},
    {.name = "interval",
     .letter = 'i',
     .metavar = "SECONDS",
     .help = "report each stream at this interval, in a capture by its time",
     .kind = &option_real,
     .offset = AT(interval_s),
     .min = 0.1,
     .max = 1e6},
    {.name = "metrics",
     .metavar = "ADDRESS:PORT",
     .help = "serve figures for Prometheus; anyone who reaches this address reads them",
     .kind = &option_text,
     .offset = AT(metrics)},
    {.name = "trains",
     .letter = 'c',
     .metavar = "TRAINS",
     .help = "end after this many trains",
     .kind = &option_unsigned,
     .offset = AT(trains),
     .min = 1,
     .max = 4294967295.0},
    {.name = "time",
     .letter = 't',
     .metavar = "SECONDS",
     .help = "end after this time, in a capture by its time",
     .kind = &option_real,
     .offset = AT(duration_s),
     .min = 0.001,
     .max = 1e9},
    {.kind = NULL},
};

static const struct option_program program = {
    .name = "pprec",
    .version = PPREC_VERSION,
    .usage = "-p PORT [-g GROUP[@SOURCE]] | -C IF | FILE|DIRECTORY ... [-n PACKETS] [-o LOG]",
    .about = "Receives the packet trains of pptrans, or finds trains in captures, and tells the\n"
             "capacity of the path's narrow link from how far the path spread them.",
    .rows = rows,
    .operands = "FILE|DIRECTORY",
    .other_h = ", and the sender, which has -h HOST, is pptrans",
    .operands_offset = AT(names),
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

static void options_set_defaults(struct options *options)
{
    struct pprec_config config;

    pprec_config_init(&config);
    *options = (struct options){
        .layer = config.layer,
        .filter = name_filters(config.filter),
        .window = config.window,
        .max_age_s = config.max_age_s,
        .memory_bytes = config.memory_bytes,
        .idle_s = config.idle_s,
        .log_rate = LOG_RATE_DEFAULT,
    };
}

static int check_inputs(const struct options *options, struct error *error)
{
    bool captures = options_stored(options) || options->capture != NULL;
    const char *name = options->names != NULL ? options->names[0] : NULL;
    double port;

    for (const char *const *each = options->names; each != NULL && *each != NULL; each++)
        if ((*each)[0] == '\0')
            return error_set(error, "'': want FILE or DIRECTORY, not an empty text");
    if (name != NULL && option_whole(name, 1, UINT16_MAX, &port) && access(name, F_OK) < 0)
        return error_set(error, "%s: no such file; to receive on a port: -p %s", name, name);
    if (options->port == 0 && !captures)
        return error_set(error,
                         "nothing to read: want a port to listen at (-p PORT), an interface (-C IF), or "
                         "names of captures");
    if (options_stored(options) && options->capture != NULL)
        return error_set(error, "-C and stored captures: want one of them");
    if (!captures && options->bpf != NULL)
        return error_set(error, "-f belongs to a capture, stored or -C");
    if (captures && options->groups[0] != NULL)
        return error_set(error, "-g belongs to a port; a capture takes what comes by");
    if (captures && (options->ipv4 || options->ipv6 || options->interface_name != NULL))
        return error_set(error, "-4, -6 and -I belong to a port; of a capture take packets with -f");
    if (captures && options->sources[0] != NULL)
        return error_set(error,
                         "--from belongs to a port; of a capture take packets with "
                         "-f 'src net PREFIX'");
    if ((captures && options->timestamps == OPTIONS_TIMESTAMPS_USER)
        || (options_stored(options) && options->timestamps != OPTIONS_TIMESTAMPS_AUTO))
        return error_set(error, "--timestamps: a capture's packets are stamped already");
    if (options_stored(options) && options->state != NULL)
        return error_set(error, "--state is for -p and -C: a stored capture may be read again");
    if (options->jobs != 0 && !options_stored(options))
        return error_set(error, "--jobs is for stored captures");
    if (options->jobs != 0 && options->live)
        return error_set(error, "--jobs and --live: the view is of one capture at a time");
    if (options_stored(options) && options->metrics != NULL)
        return error_set(error, "--metrics is for -p and -C: a stored capture is read too soon");
    return 0;
}

static int check_families(const char *name, const char *const *addresses, const struct options *options,
                          struct error *error)
{
    for (; *addresses != NULL; addresses++) {
        bool ipv6 = strchr(*addresses, ':') != NULL;

        if (ipv6 ? options->ipv4 : options->ipv6)
            return error_set(error, "%s %.80s: nothing comes from there with %s alone", name, *addresses,
                             options->ipv4 ? "-4" : "-6");
    }
    return 0;
}

static int check_key(const struct options *options, struct error *error)
{
    struct pprec_config config;

    pprec_config_init(&config);
    if (options->max_age_s != config.max_age_s && options->key_file == NULL)
        return error_set(error, "--max-age: only tagged probes have an age; add --key-file");
    if (options->state != NULL && options->key_file == NULL)
        return error_set(error, "--state: only tagged probes are known again; add --key-file");
    if (options->sent_to.bytes > 0 && options->key_file == NULL)
        return error_set(error,
                         "--sent-to: only tags tell where probes were sent to; add "
                         "--key-file");
    return 0;
}

static int options_check_log(const struct options *options, struct error *error)
{
    if (options->log_rate == LOG_RATE_DEFAULT)
        return 0;
    if (options->log == NULL)
        return error_set(error, "--log-rate: there is no log; add -o LOG");
    if (options_stored(options))
        return error_set(error, "--log-rate is for -p and -C: the log of a stored capture is whole");
    return 0;
}

static int check_together(const struct options *options, struct error *error)
{
    if (options->classic && options->train_length == 0)
        return error_set(error, "--classic: the format does not tell the train length; add -n");
    if (check_families("-g", options->groups, options, error) < 0
        || check_families("--from", options->sources, options, error) < 0 || check_key(options, error) < 0
        || options_check_log(options, error) < 0)
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
        return error_set(error, "--live and --%s: both want standard output", options->json ? "json" : "csv");
    if (check_inputs(options, error) < 0)
        return -1;
    if (options->timestamps == OPTIONS_TIMESTAMPS_HARDWARE && options->capture == NULL
        && options->interface_name == NULL)
        return error_set(error, "--timestamps hardware: add the interface that stamps, -I IF");
    return 0;
}

enum option_result options_from_arguments(struct options *options, int argc, char **argv, struct error *error)
{
    enum option_result result;

    options_set_defaults(options);
    result = option_parse(&program, argc, argv, options, error);
    if (result == OPTION_RUN && check_together(options, error) < 0)
        return OPTION_BAD;
    return result;
}

void options_help(const struct options *options, FILE *out)
{
    option_help(&program, options, out);
    fprintf(out, "\nFilters:\n");
    for (size_t i = 0; pprec_filter_name(i) != NULL; i++)
        fprintf(out, "  %-10s %s\n", pprec_filter_name(i), pprec_filter_usage(i));
    fprintf(out,
            "\nA directory stands for all captures in it and below it, whatever their names. Captures\n"
            "compressed by gzip, zstd or xz are read as they are.\n"
            "\nExit status: 0 with an estimate, 1 without one or of a damaged capture, 2 for bad usage or\n"
            "unusable input, 3 for captures with nothing in them to measure.\n");
}

void options_configure(const struct options *options, struct pprec_config *config)
{
    pprec_config_init(config);
    config->layer = options->layer;
    config->filter = pprec_filter_name((size_t)options->filter);
    config->window = options->window;
    config->train_length = options->train_length;
    config->classic = options->classic;
    config->expect = options->expect;
    config->memory_bytes = options->memory_bytes < SIZE_MAX ? (size_t)options->memory_bytes : SIZE_MAX;
    config->idle_s = options_stored(options) ? 0 : options->idle_s;
    config->max_age_s = options->max_age_s;
    if (!options_stored(options) && options->capture == NULL)
        config->address_streams_max = ADDRESS_STREAMS_MAX;
}

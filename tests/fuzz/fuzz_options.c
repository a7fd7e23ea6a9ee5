/* SPDX-License-Identifier: BSD-3-Clause */
/* Input: a byte that picks the program, then its arguments, each ended by a 0. Whatever they
 * are, there is a value in range for each option, or one whole line that says what is wrong. */
#include "common/prefix.h"
#include "pprec/cmd/options.h"
#include "pprec/lib/membership.h"
#include "pptrans/options.h"
#include "pptrans/plan.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* More than a list of options holds. */
enum { WORDS_MOST = 700 };

static void options_require(bool so, const char *what)
{
    if (so)
        return;
    fprintf(stderr, "fuzz: %s\n", what != NULL ? what : "a letter");
    abort();
}

/* --- What every parser keeps to --- */

static void check_error(const struct error *error)
{
    size_t bytes = strlen(error->text);

    options_require(bytes > 0, "refused without a word");
    options_require(bytes < sizeof error->text - 1, "the line is cut");
    for (size_t i = 0; i < bytes; i++)
        options_require((unsigned char)error->text[i] >= ' ' && error->text[i] != 0x7f, "not one line");
}

static void check_range(const struct option_row *row, double value, double preset)
{
    options_require(value == preset || (value >= row->min && value <= row->max), row->name);
}

/* What the common kinds hold. */
static void check_row(const struct option_row *row, const char *options, const char *presets)
{
    const char *field = options + row->offset, *preset = presets + row->offset;

    if (row->kind == &option_flag)
        options_require(*(const unsigned char *)field <= 1, row->name);
    else if (row->kind == &option_unsigned)
        check_range(row, *(const uint32_t *)field, *(const uint32_t *)preset);
    else if (row->kind == &option_real)
        check_range(row, *(const double *)field, *(const double *)preset);
    else if (row->kind == &option_word)
        options_require(*(const int *)field >= -1
                            && (*(const int *)field < 0 || row->words[*(const int *)field] != NULL),
                        row->name);
    else if (row->kind == &option_text)
        options_require(*(const char *const *)field == NULL || **(const char *const *)field != '\0',
                        row->name);
}

static void check_rows(const struct option_program *program, const void *options, const void *presets)
{
    for (const struct option_row *row = program->rows; row->kind != NULL; row++)
        check_row(row, options, presets);
}

static bool power_of_two(uint32_t number)
{
    return (number & (number - 1)) == 0;
}

/* Into memory: what was to be seen must be text. */
static void check_help(void (*print)(const void *options, FILE *out), const void *options)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    options_require(out != NULL, "no memory");
    print(options, out);
    fclose(out);
    options_require(bytes > 0 && text[bytes - 1] == '\n' && strlen(text) == bytes, "help");
    free(text);
}

/* --- pprec --- */

static size_t check_list(const char *const *list)
{
    size_t count = 0;

    for (; list[count] != NULL; count++)
        options_require(list[count][0] != '\0', "an empty text in a list");
    options_require(count <= OPTIONS_LIST_MAX, "a list too long");
    return count;
}

static void read_prefixes(const struct options *options)
{
    for (size_t i = 0; i < check_list(options->sources); i++) {
        struct error error = {""};
        struct prefix prefix;

        if (prefix_parse(&prefix, options->sources[i], &error) < 0)
            check_error(&error);
        else
            options_require(prefix.bits <= 128 && prefix_has(&prefix, &prefix.address), "a prefix");
    }
}

static void read_groups(const struct options *options)
{
    for (size_t i = 0; i < check_list(options->groups); i++) {
        struct error error = {""};
        struct membership group;

        if (membership_read(&group, options->groups[i], options->interface_name, &error) < 0)
            check_error(&error);
        else
            options_require(address_is_multicast(&group.group)
                                && (group.source.bytes == 0 || !address_is_multicast(&group.source)),
                            "a group");
    }
}

static void read_addresses(const struct options *options)
{
    char room[ADDRESS_TEXT_BYTES], room_again[ADDRESS_TEXT_BYTES], host[ADDRESS_HOST_BYTES];
    struct address again;
    uint16_t port = 0;

    if (options->sent_to.bytes > 0) {
        address_text(&options->sent_to, room);
        if (address_port(&options->sent_to) == 0)
            *strrchr(room, ':') = '\0';
        options_require(address_parse(&again, room, NULL) == 0
                            && strncmp(address_text(&again, room_again), room, strlen(room)) == 0,
                        "an address");
    }
    if (options->metrics != NULL && address_split(options->metrics, host, &port) == 0)
        options_require(port > 0 && host[0] != '\0' && strlen(host) < sizeof host, "where metrics are");
}

static void check_pprec(const struct options *options)
{
    options_require(power_of_two(options->train_length), "-n");
    options_require(options->expect < 1U << PPREC_KINDS, "--expect");
    options_require(options->log_rate <= 1000000000, "--log-rate");
    options_require(options->memory_bytes >= 1 << 20 && options->memory_bytes <= UINT64_C(1) << 40,
                    "--memory");
    check_list(options->files);
    read_prefixes(options);
    read_groups(options);
    read_addresses(options);
}

/* As the program does, but for keys and sources. */
static void options_make_handle(const struct options *options)
{
    struct pprec_config config;
    struct pprec *pprec;
    struct error error = {""};

    options_configure(options, &config);
    if (pprec_new(&pprec, &config) != PPREC_OK) {
        error_set(&error, "%s", pprec_error(pprec));
        check_error(&error);
    }
    pprec_free(pprec);
}

static void print_pprec_help(const void *options, FILE *out)
{
    options_help(options, out);
}

static void read_pprec(int argc, char **argv)
{
    static struct options options, presets;
    char *plain[] = {"pprec", "--version", NULL};
    struct error error = {""};

    options_require(options_from_arguments(&presets, 2, plain, &error) == OPTION_VERSION, "presets");
    switch (options_from_arguments(&options, argc, argv, &error)) {
    case OPTION_RUN:
        check_rows(options_program(), &options, &presets);
        check_pprec(&options);
        options_make_handle(&options);
        break;
    case OPTION_HELP: check_help(print_pprec_help, &options); break;
    case OPTION_VERSION: break;
    case OPTION_BAD: check_error(&error);
    }
}

/* --- pptrans --- */

static void check_shape(const struct plan *plan, uint32_t train, uint32_t mtu_bytes)
{
    static const struct layer ip_layer = {.kind = LAYER_IP};
    struct plan_shape shape = plan_shape(plan, train);

    options_require(layer_bytes(&ip_layer, plan->ip, shape.payload_bytes) <= mtu_bytes
                        && shape.marker_bytes <= shape.payload_bytes
                        && 1U << shape.length_log2 <= plan_longest(plan)
                        && shape.load_hops <= plan->marker_hops && plan_lasting_ms(&shape) < 4300
                        && plan_pause_ms(plan, train) > 0,
                    "a plan");
}

static void options_make_plan(const struct sender_options *options, enum layer_ip ip, uint32_t mtu_bytes)
{
    struct plan_wish wish = {.layer = options->layer,
                             .size_bytes = options->size_bytes,
                             .length = options->length,
                             .delay_ms = options->delay_ms,
                             .load_most_bps = options->load_most_bps,
                             .pattern = options->available ? PLAN_AVAILABLE
                                 : options->locate         ? PLAN_LOCATE
                                 : options->mix            ? PLAN_MIX
                                                           : PLAN_ALIKE,
                             .low_bps = options->low_bps,
                             .high_bps = options->high_bps,
                             .hop_from = options->hop_from,
                             .hop_to = options->hop_to,
                             .marker_hops = options->ttl != 0 ? options->ttl : 64,
                             .classic = options->classic,
                             .tagged = options->key_file != NULL};
    struct error error = {""};
    struct plan plan;

    if (plan_make(&plan, &wish, ip, mtu_bytes, &error) < 0) {
        check_error(&error);
        return;
    }
    for (uint32_t train = 0; train < plan_start(&plan) + plan_round(&plan); train++)
        check_shape(&plan, train, mtu_bytes);
    options_require(plan_load_bps(&plan, &plan.layer) <= options->load_most_bps, "more than --max-load");
    if (plan_check_rate(&plan, 0, &error) < 0)
        check_error(&error);
}

static void check_pptrans(const struct sender_options *options)
{
    static const uint32_t mtus_bytes[] = {68, 1280, 1500, 65536};
    char room[12];

    options_require(options->length == 0
                        || (options->length >= 2 && options->length <= 256 && power_of_two(options->length)),
                    "-n");
    options_require(options->low_bps <= options->high_bps && options->hop_from <= options->hop_to
                        && options->hop_to <= 255,
                    "--available, --locate");
    options_require(options->load_most_bps >= 1 && options->load_most_bps <= 1e12, "--max-load");
    options_require(options->dscp >= -1 && options->dscp <= 63, "--dscp");
    options_require(layer_name(&options->layer, room)[0] != '\0', "--layer");
    for (size_t i = 0; i < sizeof mtus_bytes / sizeof *mtus_bytes; i++) {
        options_make_plan(options, LAYER_IPV4, mtus_bytes[i]);
        options_make_plan(options, LAYER_IPV6, mtus_bytes[i]);
    }
}

static void print_pptrans_help(const void *options, FILE *out)
{
    option_help(&sender_options_program, options, out);
}

static void read_pptrans(int argc, char **argv)
{
    struct sender_options options, presets;
    char *plain[] = {"pptrans", "--version", NULL};
    struct error error = {""};

    options_require(sender_options_read(&presets, 2, plain, &error) == OPTION_VERSION, "presets");
    switch (sender_options_read(&options, argc, argv, &error)) {
    case OPTION_RUN:
        check_rows(&sender_options_program, &options, &presets);
        check_pptrans(&options);
        break;
    case OPTION_HELP: check_help(print_pptrans_help, &options); break;
    case OPTION_VERSION: break;
    case OPTION_BAD: check_error(&error);
    }
}

/* --- Words --- */

/* Each in memory of its own, so that the address sanitizer sees any look beyond its end. */
static int fuzz_options_split(const uint8_t *data, size_t bytes, char *argv[WORDS_MOST + 1])
{
    int argc = 0;

    while (bytes > 0 && argc < WORDS_MOST) {
        size_t length = strnlen((const char *)data, bytes);
        char *word = malloc(length + 1);

        options_require(word != NULL, "no memory");
        memcpy(word, data, length);
        word[length] = '\0';
        argv[argc++] = word;
        data += length;
        bytes -= length;
        if (bytes > 0) { /* the 0 */
            data++;
            bytes--;
        }
    }
    argv[argc] = NULL;
    return argc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char *argv[WORDS_MOST + 2] = {"program"}, *words[WORDS_MOST + 1];
    int count;

    if (bytes == 0)
        return 0;
    count = fuzz_options_split(data + 1, bytes - 1, words);
    memcpy(argv + 1, words, (size_t)(count + 1) * sizeof *words); /* getopt sorts them */
    if (data[0] % 2 == 0)
        read_pprec(count + 1, argv);
    else
        read_pptrans(count + 1, argv);
    for (int i = 0; i < count; i++)
        free(words[i]);
    return 0;
}

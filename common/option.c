/* SPDX-License-Identifier: BSD-3-Clause */
#include "option.h"

#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What getopt_long returns for long names; letters stay below. */
enum { LONG_BASE = 256, LONG_HELP = LONG_BASE + OPTION_ROWS_MAX, LONG_VERSION };

/* Room for "--", any name and a NUL. */
enum { NAME_BYTES = 64 };

/* --- kinds ------------------------------------------------------------- */

static void *field(const struct option_row *row, void *options)
{
    return (char *)options + row->offset;
}

static const void *option_held(const struct option_row *row, const void *options)
{
    return (const char *)options + row->offset;
}

static int read_flag(const struct option_row *row, void *options, const char *text, struct error *error)
{
    (void)text;
    (void)error;
    *(bool *)field(row, options) = true;
    return 0;
}

const struct option_kind option_flag = {.read = read_flag};

bool option_whole(const char *text, double min, double max, double *value)
{
    size_t digits = strspn(text, "0123456789");

    if (digits == 0 || text[digits] != '\0')
        return false;
    *value = strtod(text, NULL); /* rounds beyond 2^53, far above any max */
    return *value >= min && *value <= max;
}

bool option_units(const char *text, const char *units, double base, double *value)
{
    size_t digits = strspn(text, "0123456789");
    const char *unit = text[digits] != '\0' ? strchr(units, text[digits]) : NULL;

    if (digits == 0 || text[digits + (unit != NULL)] != '\0')
        return false;
    *value = strtod(text, NULL);
    for (const char *step = units; unit != NULL && step <= unit; step++)
        *value *= base;
    return true;
}

static int read_unsigned(const struct option_row *row, void *options, const char *text, struct error *error)
{
    double value;

    if (!option_whole(text, row->min, row->max, &value))
        return error_set(error, "want a whole number from %.0f to %.0f", row->min, row->max);
    *(uint32_t *)field(row, options) = (uint32_t)value;
    return 0;
}

static void show_unsigned(const struct option_row *row, const void *options, FILE *out)
{
    uint32_t value = *(const uint32_t *)option_held(row, options);

    if (value >= row->min && value <= row->max)
        fprintf(out, "%lu", (unsigned long)value);
}

const struct option_kind option_unsigned = {read_unsigned, show_unsigned};

static int read_power(const struct option_row *row, void *options, const char *text, struct error *error)
{
    double value;

    if (!option_whole(text, row->min, row->max, &value) || ((uint32_t)value & ((uint32_t)value - 1)) != 0)
        return error_set(error, "want a power of two from %.0f to %.0f", row->min, row->max);
    *(uint32_t *)field(row, options) = (uint32_t)value;
    return 0;
}

const struct option_kind option_power = {read_power, show_unsigned};

static int read_real(const struct option_row *row, void *options, const char *text, struct error *error)
{
    char *end;
    double value = strtod(text, &end);
    /* strtod would also take leading blanks, hexadecimal, inf and nan. */
    bool plain = text[0] != '\0' && text[strspn(text, "+-.0123456789eE")] == '\0';

    if (!plain || *end != '\0' || !(value >= row->min && value <= row->max))
        return error_set(error, "want a number from %.10g to %.10g", row->min, row->max);
    *(double *)field(row, options) = value;
    return 0;
}

static void show_real(const struct option_row *row, const void *options, FILE *out)
{
    double value = *(const double *)option_held(row, options);

    if (value >= row->min && value <= row->max)
        fprintf(out, "%.10g", value);
}

const struct option_kind option_real = {read_real, show_real};

static int read_text(const struct option_row *row, void *options, const char *text, struct error *error)
{
    if (text[0] == '\0')
        return error_set(error, "want %s, not an empty text", row->metavar);
    *(const char **)field(row, options) = text;
    return 0;
}

static void option_show_text(const struct option_row *row, const void *options, FILE *out)
{
    const char *text = *(const char *const *)option_held(row, options);

    if (text != NULL)
        fputs(text, out);
}

const struct option_kind option_text = {read_text, option_show_text};

int option_find(const char *const *words, const char *text)
{
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return -1;
}

/* "a, b or c" */
static void list_words(const char *const *words, char *room, size_t room_bytes)
{
    size_t used = 0;

    room[0] = '\0';
    for (size_t i = 0; words[i] != NULL && used < room_bytes; i++) {
        const char *before = i == 0 ? "" : words[i + 1] == NULL ? " or " : ", ";
        int wrote = snprintf(room + used, room_bytes - used, "%s%s", before, words[i]);

        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

static int read_word(const struct option_row *row, void *options, const char *text, struct error *error)
{
    int found = option_find(row->words, text);
    char list[160];

    if (found < 0) {
        list_words(row->words, list, sizeof list);
        return error_set(error, "want %s", list);
    }
    *(int *)field(row, options) = found;
    return 0;
}

static void show_word(const struct option_row *row, const void *options, FILE *out)
{
    int value = *(const int *)option_held(row, options);

    if (value >= 0)
        fputs(row->words[value], out);
}

const struct option_kind option_word = {read_word, show_word};

/* --- parsing ----------------------------------------------------------- */

/* The table as getopt wants it. */
struct getopt_form {
    char letters[3 * OPTION_ROWS_MAX + 2];
    struct option longs[2 * OPTION_ROWS_MAX + 3];
};

static void make_form(const struct option_row *rows, struct getopt_form *form)
{
    char *letter = form->letters;
    struct option *next = form->longs;

    *letter++ = ':'; /* a missing value is told apart from an unknown option */
    for (int i = 0; rows[i].kind != NULL && i < OPTION_ROWS_MAX; i++) {
        const struct option_row *row = &rows[i];
        int takes = row->optional ? optional_argument : row->metavar ? required_argument : no_argument;

        if (row->name)
            *next++ = (struct option){row->name, takes, NULL, LONG_BASE + i};
        if (row->old)
            *next++ = (struct option){row->old, takes, NULL, LONG_BASE + i};
        if (row->letter) {
            *letter++ = row->letter;
            if (row->metavar)
                *letter++ = ':';
            if (row->optional)
                *letter++ = ':';
        }
    }
    *letter = '\0';
    *next++ = (struct option){"help", no_argument, NULL, LONG_HELP};
    *next++ = (struct option){"version", no_argument, NULL, LONG_VERSION};
    *next = (struct option){0};
}

/* The row that a value returned by getopt_long stands for, or NULL. */
static const struct option_row *option_find_row(const struct option_row *rows, int value)
{
    for (int i = 0; rows[i].kind != NULL; i++)
        if (value == LONG_BASE + i || (rows[i].letter && value == rows[i].letter))
            return &rows[i];
    return NULL;
}

/* The option as its user knows it: the letter if there is one. */
static const char *row_name(const struct option_row *row, char room[NAME_BYTES])
{
    if (row->letter)
        snprintf(room, NAME_BYTES, "-%c", row->letter);
    else
        snprintf(room, NAME_BYTES, "--%s", row->name);
    return room;
}

/* "--layer, --length": the names that begin like the word, as far as there is room; how many. An old name stands
 * behind the one that took its place, and is left out. */
static int list_names(const struct option *longs, const char *word, char *room, size_t room_bytes)
{
    size_t given = strcspn(word, "="), used = 0;
    int found = 0, before = 0;

    for (; longs->name != NULL && used < room_bytes; before = longs++->val) {
        if (longs->val == before || strncmp(longs->name, word, given) != 0)
            continue;
        used +=
            (size_t)snprintf(room + used, room_bytes - used, "%s--%s", found > 0 ? ", " : "", longs->name);
        found++;
    }
    return found;
}

/* getopt_long answered '?': optopt is 0 for an unknown or ambiguous long name,
 * the letter for an unknown one, the value for a flag that was given one. */
static int unknown_option(const struct option_program *program, const struct getopt_form *form,
                          const char *word, struct error *error)
{
    char names[160];

    if (optopt >= LONG_BASE)
        return error_set(error, "%.80s: takes no value", word);
    if (optopt == 'h')
        return error_set(error, "-h: no such option: help is --help%s",
                         program->other_h != NULL ? program->other_h : "");
    if (optopt != 0)
        return error_set(error, "-%c: no such option (--help lists them)", optopt);
    if (word[2] != '\0' && word[2] != '=' && list_names(form->longs, word + 2, names, sizeof names) > 0)
        return error_set(error, "%.80s: not enough of a name: %s", word, names);
    return error_set(error, "%.80s: no such option (--help lists them)", word);
}

/* A value that may be left out: getopt takes one that is joined to its option, others expect it
 * behind a blank, too. */
static const char *option_value_of(const struct option_row *row, int argc, char **argv)
{
    if (optarg == NULL && row->optional && optind < argc && argv[optind][0] != '-')
        return argv[optind++];
    return optarg;
}

/* No value that is looked at has one; it is hard to see, and was mostly meant to part two words. */
static const char *blank_in(const char *text)
{
    return text != NULL && strchr(text, ' ') != NULL ? ", and no blank" : "";
}

static int read_row(const struct option_row *row, void *options, const char *text, struct error *error)
{
    struct error why = {""};
    char name[NAME_BYTES];

    if (row->kind->read(row, options, text, &why) == 0)
        return 0;
    return error_set(error, "%s '%.80s': %.140s%s", row_name(row, name), text ? text : "", why.text,
                     blank_in(text));
}

static int check_required(const struct option_row *rows, const bool *given, struct error *error)
{
    char name[NAME_BYTES];

    for (int i = 0; rows[i].kind != NULL; i++)
        if (rows[i].required && !given[i])
            return error_set(error, "%s %s is missing: %s (--help lists the options)",
                             row_name(&rows[i], name), rows[i].metavar, rows[i].help);
    return 0;
}

enum option_result option_parse(const struct option_program *program, int argc, char **argv, void *options,
                                struct error *error)
{
    struct getopt_form form;
    bool given[OPTION_ROWS_MAX] = {false};
    int value;

    make_form(program->rows, &form);
    opterr = 0;
    optind = 0; /* glibc: start afresh, whatever was parsed before */
    while ((value = getopt_long(argc, argv, form.letters, form.longs, NULL)) != -1) {
        const struct option_row *row = option_find_row(program->rows, value);

        if (value == LONG_HELP || value == LONG_VERSION)
            return value == LONG_HELP ? OPTION_HELP : OPTION_VERSION;
        if (value == ':')
            return error_set(error, "%.80s: its value is missing", argv[optind - 1]);
        if (row == NULL)
            return unknown_option(program, &form, argv[optind - 1], error);
        if (read_row(row, options, option_value_of(row, argc, argv), error) != 0)
            return OPTION_BAD;
        given[row - program->rows] = true;
    }
    if (optind < argc && program->operands == NULL)
        return error_set(error,
                         "'%.80s': every argument must belong to an option "
                         "(--help lists them)",
                         argv[optind]);
    if (program->operands != NULL) /* getopt_long has brought them together */
        *(const char *const **)((char *)options + program->operands_offset) =
            (const char *const *)(argv + optind);
    return check_required(program->rows, given, error);
}

/* --- help -------------------------------------------------------------- */

/* Column where the help texts start. */
enum { HELP_COLUMN = 26 };

/* The default as text, "" for none; room is the caller's. */
static const char *default_text(const struct option_row *row, const void *options, char *room,
                                size_t room_bytes)
{
    FILE *out;

    room[0] = '\0';
    if (row->kind->show == NULL)
        return room;
    out = fmemopen(room, room_bytes, "w");
    if (out == NULL)
        return room;
    row->kind->show(row, options, out);
    fclose(out);
    room[room_bytes - 1] = '\0';
    return room;
}

static void help_line(const char *left, const char *help, FILE *out)
{
    if (strlen(left) >= HELP_COLUMN)
        fprintf(out, "%s\n%*s%s", left, HELP_COLUMN, "", help);
    else
        fprintf(out, "%-*s%s", HELP_COLUMN, left, help);
}

static void help_row(const struct option_row *row, const void *options, FILE *out)
{
    char left[96], note[160];
    const char *dashes = row->name ? "--" : "";
    char metavar[32];

    snprintf(metavar, sizeof metavar, row->optional ? "[%s]" : "%s", row->metavar ? row->metavar : "");
    if (row->letter)
        snprintf(left, sizeof left, "  -%c%s%s%s %s", row->letter, row->name ? ", " : "", dashes,
                 row->name ? row->name : "", metavar);
    else
        snprintf(left, sizeof left, "      --%s %s", row->name, metavar);
    help_line(left, row->help, out);
    if (row->words) {
        list_words(row->words, note, sizeof note);
        fprintf(out, ": %s", note);
    }
    if (default_text(row, options, note, sizeof note)[0] != '\0')
        fprintf(out, " (default %s)", note);
    fputc('\n', out);
}

void option_help(const struct option_program *program, const void *options, FILE *out)
{
    fprintf(out, "Usage: %s %s\n%s\n", program->name, program->usage, program->about);
    for (const struct option_row *row = program->rows; row->kind != NULL; row++)
        help_row(row, options, out);
    help_line("      --help", "show this and exit\n", out);
    help_line("      --version", "show the version and exit\n", out);
}

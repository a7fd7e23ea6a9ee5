/* SPDX-License-Identifier: BSD-3-Clause */
/* Command lines as tables: a row an option; the table parses, and prints its
 * own --help with the defaults. Nothing here exits or writes to a stream it
 * was not given. */
#ifndef COMMON_OPTION_H
#define COMMON_OPTION_H

#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct option_row;

/* How the values of an option are read, and its default shown. */
struct option_kind {
    /* Stores text (NULL for a flag) into the program's options struct. Returns
     * 0, or -1 with the error saying only what would be right ("want ..."). */
    int (*read)(const struct option_row *row, void *options, const char *text, struct error *error);
    /* Writes the value that options holds; writes nothing when there is none.
     * NULL: the kind has no default worth showing. */
    void (*show)(const struct option_row *row, const void *options, FILE *out);
};

/* The field at the row's offset has the type named here. A default outside
 * min..max means "none" and is not shown. An option that may be repeated, or
 * has a syntax of its own, brings its own kind. */
extern const struct option_kind option_flag;     /* bool */
extern const struct option_kind option_unsigned; /* uint32_t within min..max */
extern const struct option_kind option_power;    /* uint32_t, a power of two within min..max */
extern const struct option_kind option_real;     /* double within min..max */
extern const struct option_kind option_text;     /* const char *, into argv */
extern const struct option_kind option_word;     /* int: index into words, -1 none */

struct option_row {
    const char *name;               /* long name without dashes; NULL: letter only */
    const char *old;                /* a long name of before, taken but not shown; NULL: none */
    char letter;                    /* 0: long name only */
    const char *metavar;            /* what the help calls the value; NULL: a flag */
    const char *help;               /* one line */
    const struct option_kind *kind; /* NULL ends the table */
    size_t offset;                  /* of the field in the options struct */
    double min, max;                /* option_unsigned, option_power, option_real */
    const char *const *words;       /* option_word; ends with NULL */
    bool required;
    bool optional; /* of its value: a word that begins with no dash; without it read() gets NULL */
    bool repeatable;
};

enum { OPTION_ROWS_MAX = 60 };

struct option_program {
    const char *name;
    const char *version;
    const char *usage;             /* what follows the name on the usage line */
    const char *about;             /* what the program does: whole lines, an empty one follows */
    const struct option_row *rows; /* at most OPTION_ROWS_MAX */
    const char *operands;          /* what the help calls arguments that belong to no option; NULL: there
                                may be none */
    const char *other_h;           /* follows, of -h where it is none, "help is --help"; NULL: nothing */
    size_t operands_offset;        /* const char *const *, into argv, where they end with NULL */
};

enum option_result {
    OPTION_BAD = -1, /* the error says what was wrong with which input */
    OPTION_RUN = 0,
    OPTION_HELP,   /* --help was given: print option_help() */
    OPTION_VERSION /* --version was given: print name and version */
};

/* Reads argv into options, which holds the defaults before. --help and
 * --version need no row. Not for two threads at once: getopt_long is not. */
enum option_result option_parse(const struct option_program *program, int argc, char **argv, void *options,
                                struct error *error);

/* Prints usage and the options, with the defaults found in options. */
void option_help(const struct option_program *program, const void *options, FILE *out);

/* Whole decimal numbers, no sign, nothing before or after; false when text is
 * not one, or not within min..max. For kinds of one's own. */
bool option_whole(const char *text, double min, double max, double *value);

/* The same, or with one of the units behind it, of which the n-th is base to the n. */
bool option_units(const char *text, const char *units, double base, double *value);

/* The index of text in words, or -1. */
int option_find(const char *const *words, const char *text);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/page.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 128, FAMILIES_MOST = 128 };

static const char name_letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789"; /* none begins with a digit */

enum type { GAUGE, COUNTER, HISTOGRAM };

struct page {
    char families[FAMILIES_MOST][NAME_BYTES];
    size_t count;
    enum type type;      /* of the last family */
    const char *samples; /* where they begin */
    double bucket;       /* the last, of a histogram */
};

static void page_require(bool so, const char *line)
{
    if (so)
        return;
    fprintf(stderr, "fuzz: not a line of the page: %.*s\n", (int)strcspn(line, "\n"), line);
    abort();
}

static const char *page_begins(const char *line, const char *with)
{
    size_t bytes = strlen(with);

    return strncmp(line, with, bytes) == 0 ? line + bytes : NULL;
}

/* HELP and TYPE; returns what follows them. */
static const char *read_family(struct page *page, const char *line)
{
    static const char *const types[] = {"gauge\n", "counter\n", "histogram\n"};
    const char *text = page_begins(line, "# HELP "), *type;
    size_t bytes = text != NULL ? strspn(text, name_letters) : 0;
    char *name = page->families[page->count];

    page_require(bytes > 0 && bytes < NAME_BYTES && text[bytes] == ' ' && text[0] > '9', line);
    page_require(page->count < FAMILIES_MOST, line);
    memcpy(name, text, bytes);
    name[bytes] = '\0';
    for (size_t i = 0; i < page->count; i++)
        page_require(strcmp(page->families[i], name) != 0, line);
    page->count++;
    line = strchr(line, '\n') + 1;
    type = page_begins(line, "# TYPE ");
    page_require(type != NULL && strncmp(type, name, bytes) == 0 && type[bytes] == ' ', line);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (page_begins(type + bytes + 1, types[i]) == NULL)
            continue;
        page->type = (enum type)i;
        return page->samples = strchr(line, '\n') + 1;
    }
    page_require(false, line);
    return NULL;
}

/* LABEL="VALUE", any number of them; returns what follows the brace. */
static const char *read_labels(const char *line, const char *at)
{
    do {
        size_t bytes = strspn(++at, name_letters);

        page_require(bytes > 0 && at[bytes] == '=' && at[bytes + 1] == '"', line);
        for (at += bytes + 2; *at != '"'; at++) {
            page_require(*at != '\n' && *at != '\0', line);
            if (*at == '\\')
                page_require(*++at == '\\' || *at == '"' || *at == 'n', line);
        }
        at++;
    } while (*at == ',');
    page_require(*at == '}', line);
    return at + 1;
}

/* What follows the family's name in a sample's, and is not part of it. */
static const char *read_name(const struct page *page, const char *line)
{
    static const char *const suffixes[] = {"_bucket{", "_sum{", "_count{"};
    const char *rest = page_begins(line, page->families[page->count - 1]);

    page_require(rest != NULL, line);
    if (page->type != HISTOGRAM) {
        page_require(*rest == '{' || *rest == ' ', line);
        return rest;
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (page_begins(rest, suffixes[i]) != NULL)
            return rest + strlen(suffixes[i]) - 1;
    page_require(false, line);
    return NULL;
}

/* Buckets stand one after the other, the last is that of all. */
static void check_bucket(struct page *page, const char *line, double value)
{
    const char *le = strstr(line, ",le=\"");

    if (le == NULL || le > strchr(line, '\n'))
        return;
    page_require(value >= page->bucket, line);
    page->bucket = page_begins(le, ",le=\"+Inf\"") != NULL ? 0 : value;
}

static bool same_series(const char *a, const char *b)
{
    size_t bytes = strcspn(a, " \n");

    return strncmp(a, b, bytes + 1) == 0;
}

static const char *read_sample(struct page *page, const char *line)
{
    const char *at = read_name(page, line);
    double value;
    char *end;

    if (*at == '{')
        at = read_labels(line, at);
    page_require(*at == ' ' && at[1] != ' ', line);
    value = strtod(at + 1, &end);
    page_require(end != at + 1 && *end == '\n' && isfinite(value), line);
    page_require(page->type == GAUGE || value >= 0, line);
    check_bucket(page, line, value);
    for (at = page->samples; at != line; at = strchr(at, '\n') + 1)
        page_require(!same_series(at, line), line);
    return end + 1;
}

void page_check(const char *text)
{
    static struct page page;

    page = (struct page){.count = 0};
    page_require(*text != '\0' && text[strlen(text) - 1] == '\n', text);
    while (*text != '\0')
        text = *text == '#' || page.count == 0 ? read_family(&page, text) : read_sample(&page, text);
}

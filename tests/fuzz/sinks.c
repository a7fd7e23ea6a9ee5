/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/sinks.h"

#include "tests/fuzz/figures.h"
#include "tests/unit/json.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_COLUMNS = 15 };

static void sinks_require(bool so, const char *what, const struct line *line)
{
    if (so)
        return;
    fprintf(stderr, "fuzz: %s: %s\n", what, line->text);
    abort();
}

/* "nan" or "inf", and no letter at either side. */
static bool has_no_number(const char *text)
{
    static const char *const none[] = {"nan", "inf"};

    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        for (const char *at = text; (at = strstr(at, none[i])) != NULL; at++)
            if ((at == text || !isalpha((unsigned char)at[-1])) && !isalpha((unsigned char)at[3]))
                return true;
    return false;
}

static size_t sinks_times(const char *text, char what)
{
    size_t count = 0;

    for (; *text != '\0'; text++)
        count += *text == what;
    return count;
}

static void check_line(const struct line *line)
{
    sinks_require(line->bytes > 0 && line->bytes < sizeof line->text - 1, "empty, or cut", line);
    sinks_require(!has_no_number(line->text), "no number", line);
    for (size_t i = 0; i < line->bytes; i++)
        sinks_require(line->text[i] == '\n' || (line->text[i] >= ' ' && line->text[i] != 0x7f),
                      "a control character", line);
}

/* Objects, up to the end of the record. */
static void check_json_hops(char *at, const struct line *line)
{
    struct json_object object;

    while (*at == '{') {
        char *end = strchr(at, '}'), next;

        sinks_require(end != NULL, "a hop without end", line);
        next = *++end;
        *end = '\0';
        sinks_require(json_read(&object, at), "no JSON of a hop", line);
        *end = next;
        at = end + (next == ',');
    }
    sinks_require(strcmp(at, "]}") == 0, "no end of the hops", line);
}

/* Flat but for the hops, which stand last. */
static void check_json(const struct line *line)
{
    static const char key[] = ",\"hops\":[";
    struct json_object object;
    struct line rest = *line;
    char *hops = strstr(rest.text, key);

    if (hops != NULL) {
        check_json_hops(hops + strlen(key), line);
        strcpy(hops, "}");
    }
    sinks_require(json_read(&object, rest.text), "no JSON", line);
}

static void check_csv(const struct line *line)
{
    struct line head = {.bytes = 0};

    format_csv.head(&head, NULL);
    sinks_require(sinks_times(line->text, ',') == sinks_times(head.text, ',')
                      && sinks_times(line->text, '\n') == 0,
                  "other fields than the header's", line);
}

static void sinks_check_log(const struct line *line)
{
    if (line->text[0] != '#')
        sinks_require(sinks_times(line->text, ' ') == LOG_COLUMNS - 1, "other columns than the log's", line);
    sinks_require(sinks_times(line->text, '\n') == 0, "more than a line of the log", line);
}

/* Trains and reports begin with the time of day. */
static void check_human(const struct line *line)
{
    static const char form[] = "00:00:00.000 ";
    const char *text = line->text;
    size_t i = 0;

    if (!isdigit((unsigned char)text[0]) || text[2] != ':' || text[5] != ':')
        return;
    while (form[i] != '\0' && (form[i] == '0' ? isdigit((unsigned char)text[i]) : text[i] == form[i]))
        i++;
    sinks_require(form[i] == '\0', "no time of day", line);
}

static void sinks_write_all(const struct record *record)
{
    static const struct {
        const struct format *format;
        void (*check)(const struct line *line);
    } sinks[] = {{&format_json, check_json},
                 {&format_csv, check_csv},
                 {&format_log, sinks_check_log},
                 {&format_human, check_human}};

    for (size_t i = 0; i < sizeof sinks / sizeof *sinks; i++) {
        struct line line;

        line.bytes = 0;
        sinks[i].format->record(&line, record);
        check_line(&line);
        sinks[i].check(&line);
    }
}

static void sinks_on_train(void *user, const struct pprec_train *train)
{
    figures_of_train(user, train);
    sinks_write_all(
        &(struct record){.kind = RECORD_TRAIN, .run = user, .train = train, .time_ns = train->time_ns});
}

static void sinks_on_estimate(void *user, const struct pprec_change *change)
{
    static const struct format *const formats[] = {&format_log, &format_human};

    figures_of_change(user, change);
    for (size_t i = 0; format_doubt_is_new(change) && i < sizeof formats / sizeof *formats; i++) {
        struct line line;

        line.bytes = 0;
        formats[i]->doubt(&line, change);
        check_line(&line);
    }
}

static void sinks_on_summary(void *user, const struct pprec_summary *summary)
{
    const struct format_run *run = user;
    struct hops hops, *told = hops_get(&hops, run->pprec, summary) ? &hops : NULL;

    figures_of_summary(user, summary);
    if (told != NULL)
        figures_of_hops(&told->summary, told->hop);
    sinks_write_all(&(struct record){
        .kind = RECORD_SUMMARY, .run = run, .summary = summary, .hops = told, .time_ns = summary->last_ns});
    sinks_write_all(&(struct record){.kind = RECORD_INTERVAL,
                                     .run = run,
                                     .summary = summary,
                                     .hops = told,
                                     .time_ns = summary->last_ns,
                                     .interval_s = 1});
}

struct pprec *sinks_handle(struct pprec_config config, unsigned filter, struct format_run *run)
{
    struct pprec *pprec;

    config.filter = pprec_filter_name(filter % figures_filters());
    config.user = run;
    config.on_train = sinks_on_train;
    config.on_estimate = sinks_on_estimate;
    config.on_congestion = figures_of_congestion;
    config.on_summary = sinks_on_summary;
    if (pprec_new(&pprec, &config) != PPREC_OK)
        abort();
    *run = (struct format_run){.layer = config.layer,
                               .filter = config.filter,
                               .timestamps = "kernel",
                               .pprec = pprec,
                               .memory_bytes = config.memory_bytes};
    return pprec;
}

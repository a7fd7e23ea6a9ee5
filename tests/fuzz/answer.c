/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/answer.h"

#include "tests/fuzz/page.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_TOLD = -1, SHOWN_BYTES = 400 };

static const char *answer;

static void answer_require(bool so, const char *what)
{
    if (so)
        return;
    fprintf(stderr, "fuzz: %s: %.*s\n", what, SHOWN_BYTES, answer);
    abort();
}

/* "HTTP/1.1 200 OK"; libevent repeats the version that it was asked in, whatever that is. */
static int read_status(const char *line)
{
    static const int statuses[] = {100, 200, 400, 404, 405, 413, 417, 501, 503};
    int status = 0, bytes = 0;

    answer_require(sscanf(line, "HTTP/%*d.%*d %3d %n", &status, &bytes) == 1 && bytes > 0, "no status");
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (status == statuses[i])
            return status;
    answer_require(false, "a status of no use");
    return 0;
}

/* The line's end; no other control character comes before it. */
static const char *end_of(const char *line)
{
    while (*line >= ' ' || *line < 0)
        line++;
    answer_require(line[0] == '\r' && line[1] == '\n', "a line that does not end");
    return line;
}

struct headers {
    long body_bytes;
    bool figures; /* a page of them */
};

/* Returns what follows the empty line. */
static const char *read_headers(struct headers *headers, const char *line)
{
    static const char length[] = "Content-Length: ", type[] = "Content-Type: ";

    *headers = (struct headers){.body_bytes = NOT_TOLD};
    for (line = end_of(line) + 2; *line != '\r'; line = end_of(line) + 2) {
        answer_require(strcspn(line, ":") < (size_t)(end_of(line) - line) && *line != ':', "no header");
        if (strncmp(line, length, sizeof length - 1) == 0) {
            answer_require(headers->body_bytes == NOT_TOLD, "two lengths");
            headers->body_bytes = strtol(line + sizeof length - 1, NULL, 10);
        }
        if (strncmp(line, type, sizeof type - 1) == 0)
            headers->figures = strstr(line, "version=0.0.4") != NULL;
    }
    return end_of(line) + 2;
}

int answer_check(const char *text, size_t bytes, int headers_only)
{
    struct headers headers;
    const char *body;
    int status;

    if (bytes == 0)
        return 0;
    answer = text;
    status = read_status(text);
    body = read_headers(&headers, text);
    if (status == 100) /* it goes on, or the client did not */
        return answer_check(body, bytes - (size_t)(body - text), headers_only);
    bytes -= (size_t)(body - text);
    if (bytes == 0 && headers_only)
        return status;
    answer_require(headers.body_bytes == NOT_TOLD ? status != 200 : (size_t)headers.body_bytes == bytes,
                   "a body of another length");
    answer_require(strlen(body) == bytes, "a 0 in the body");
    if (status == 200 && headers.figures)
        page_check(body);
    return status;
}

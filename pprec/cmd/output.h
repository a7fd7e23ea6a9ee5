/* SPDX-License-Identifier: BSD-3-Clause */
/* Standard output, which nobody may be reading: records wait in a queue of bounded length, and
 * those that find no room in it are left out, each as a whole, and counted. Only output_wait()
 * waits. */
#ifndef PPREC_CMD_OUTPUT_H
#define PPREC_CMD_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ten thousand trains as JSON: what comes in a tenth of a second at the fastest, and in an hour
 * of the usual. */
enum { OUTPUT_MOST_BYTES = 4 << 20 };

struct output {
    char *room;        /* of most_bytes, taken once: pages that were never needed cost nothing */
    size_t begin, end; /* what waits stands between */
    int fd;
    bool ours; /* fd is another one than the caller's */
    enum output_way {
        OUTPUT_AT_ONCE, /* it takes all, or what it can: a file, or a description of our own */
        OUTPUT_SEND,    /* a socket */
        OUTPUT_ASK      /* it may block: asked each time whether it would */
    } way;
    size_t most_bytes;
    uint64_t left_out; /* records, all in all */
    int failed;        /* errno of a write that will not work again; 0: none */
};

/* Writes to fd, which stays the caller's and as it is: others may share its description. 0, or
 * -1 when there is no memory. */
int output_open(struct output *output, int fd, size_t most_bytes);
void output_close(struct output *output);

/* Adds a record and a newline. False when there is no room: then it is left out. */
bool output_put(struct output *output, const char *text, size_t bytes);

/* Writes what is taken at once. 0, or -1 when nothing will be taken any more: then what waits
 * is forgotten, and failed says why. */
int output_flush(struct output *output);

/* The same, but waits for the reader: until he has taken all, or nothing for so long (-1: for
 * ever), or a signal comes. */
int output_wait(struct output *output, int patience_ms);

/* Bytes that nobody has taken yet. */
size_t output_waiting(const struct output *output);

#endif

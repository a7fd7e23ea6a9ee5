/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a stored capture, from a file, a pipe or a device, as they are or unpacked: a window
 * that moves on. Its memory is the same however long the capture, and however tightly compressed. */
#ifndef PPREC_LIB_CAPTURE_INPUT_H
#define PPREC_LIB_CAPTURE_INPUT_H

#include "common/error.h"
#include "pprec/lib/capture_unpack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a read, and what may be asked for at once: a frame of 256 KiB, the longest that libpcap
 * writes, and what stands around it. */
enum { INPUT_READ_BYTES = 1 << 17, INPUT_MOST_BYTES = (1 << 18) + 4096 };

struct capture_input {
    int fd;              /* -1: none is open */
    bool over;           /* nothing more is to be read from fd, ... */
    bool interrupted;    /* ... as a signal came, ... */
    int failed;          /* ... or this errno */
    uint64_t read_bytes; /* from fd */

    const struct unpack_way *way;    /* NULL: as it is */
    void *state;                     /* of the way */
    bool unpacked;                   /* all of it, or up to where it is bad */
    const char *bad;                 /* why what is packed cannot be read on; NULL: it can */
    size_t packed_begin, packed_end; /* in packed */

    uint64_t past_bytes; /* that the window has moved on over */
    size_t begin, end;   /* of what is at hand, in window */
    uint8_t packed[INPUT_READ_BYTES + UNPACK_MAGIC_BYTES];
    uint8_t window[INPUT_READ_BYTES + INPUT_MOST_BYTES];
};

/* Opens the file, "-" for standard input, and finds out how it is packed. -1 with the error's text
 * set, which does not name the file. Every member is set: the room need not be clean. */
int input_open(struct capture_input *input, const char *name, struct error *error);
void input_close(struct capture_input *input);

/* Reads until so many bytes are at hand, at most INPUT_MOST_BYTES, or no more come; NULL then. */
const uint8_t *input_want(struct capture_input *input, size_t bytes);

/* What is at hand. */
static inline size_t input_ready(const struct capture_input *input)
{
    return input->end - input->begin;
}

/* The same, for what mostly is at hand. */
static inline const uint8_t *input_peek(struct capture_input *input, size_t bytes)
{
    return input_ready(input) >= bytes ? input->window + input->begin : input_want(input, bytes);
}

/* Moves on over bytes that are at hand. */
static inline void input_take(struct capture_input *input, size_t bytes)
{
    input->begin += bytes;
}

/* Moves on over any number. False when fewer come. */
bool input_skip(struct capture_input *input, uint64_t bytes);

/* Where it stands, in bytes of what is unpacked. */
static inline uint64_t input_offset(const struct capture_input *input)
{
    return input->past_bytes + input->begin;
}

/* Why no more comes, for people; NULL: it is at its end, as far as can be told. */
const char *input_fault(const struct capture_input *input);

#endif

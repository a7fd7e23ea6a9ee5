/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture_input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- From the descriptor --- */

/* 0: no more comes. */
static size_t capture_input_read_some(struct capture_input *input, uint8_t *room, size_t bytes)
{
    ssize_t got = input->over ? 0 : read(input->fd, room, bytes);

    if (got > 0) {
        input->read_bytes += (uint64_t)got;
        return (size_t)got;
    }
    if (got < 0 && errno == EINTR)
        input->interrupted = true;
    else if (got < 0)
        input->failed = errno;
    input->over = true;
    return 0;
}

/* --- Unpacking --- */

/* 0: there is nothing to unpack any more. */
static size_t unpack_some(struct capture_input *input, uint8_t *room, size_t bytes)
{
    struct unpack_io io = {.out = room, .out_bytes = bytes};

    while (!input->unpacked && io.out_bytes == bytes) {
        enum unpack_result result;

        if (input->packed_begin == input->packed_end) {
            input->packed_begin = 0;
            input->packed_end = capture_input_read_some(input, input->packed, sizeof input->packed);
        }
        io.in = input->packed + input->packed_begin;
        io.in_bytes = input->packed_end - input->packed_begin;
        io.last = input->over;
        result = input->way->run(input->state, &io, &input->bad);
        input->packed_begin = input->packed_end - io.in_bytes;
        input->unpacked = result != UNPACK_GOES_ON;
    }
    return bytes - io.out_bytes;
}

/* --- The window --- */

/* Always to the front: the same few pages again. */
static void capture_input_make_room(struct capture_input *input)
{
    size_t ready = input_ready(input);

    memmove(input->window, input->window + input->begin, ready);
    input->past_bytes += input->begin;
    input->begin = 0;
    input->end = ready;
}

const uint8_t *input_want(struct capture_input *input, size_t bytes)
{
    while (input_ready(input) < bytes) {
        size_t room, got;

        capture_input_make_room(input);
        room = sizeof input->window - input->end;
        room = room < INPUT_READ_BYTES ? room : INPUT_READ_BYTES;
        got = input->way != NULL ? unpack_some(input, input->window + input->end, room)
                                 : capture_input_read_some(input, input->window + input->end, room);
        if (got == 0)
            return NULL;
        input->end += got;
    }
    return input->window + input->begin;
}

bool input_skip(struct capture_input *input, uint64_t bytes)
{
    while (bytes > 0) {
        size_t step;

        if (input_peek(input, 1) == NULL)
            return false;
        step = input_ready(input) < bytes ? input_ready(input) : (size_t)bytes;
        input_take(input, step);
        bytes -= step;
    }
    return true;
}

/* --- Opening --- */

static int capture_input_open_file(const char *name, struct error *error)
{
    int fd = strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);

    return fd >= 0 ? fd : error_set(error, "%s", strerror(errno));
}

/* What was read to find out is what is packed. */
static int begin_unpacking(struct capture_input *input, struct error *error)
{
    const struct unpack_way *way = input->way;

    if (way->begin == NULL)
        return way->library != NULL
            ? error_set(error,
                        "compressed by %s, which this build does not read: it was made "
                        "without %s",
                        way->name, way->library)
            : error_set(error, "compressed by %s: want gzip, zstd or xz, or none", way->name);
    input->state = way->begin();
    if (input->state == NULL)
        return error_set(error, "no memory to read what %s compressed", way->name);
    input->packed_end = input_ready(input);
    memcpy(input->packed, input->window + input->begin, input->packed_end);
    input->begin = input->end = 0;
    return 0;
}

int input_open(struct capture_input *input, const char *name, struct error *error)
{
    const struct unpack_way *way;

    memset(input, 0, offsetof(struct capture_input, packed));
    input->fd = capture_input_open_file(name, error);
    if (input->fd < 0)
        return -1;
    input_want(input, UNPACK_MAGIC_BYTES);
    if (input->failed != 0) {
        error_set(error, "%s", strerror(input->failed));
        input_close(input);
        return -1;
    }
    way = unpack_find(input->window, input_ready(input));
    input->way = way;
    if (way == NULL || begin_unpacking(input, error) == 0)
        return 0;
    input->way = NULL;
    input_close(input);
    return -1;
}

void input_close(struct capture_input *input)
{
    if (input->way != NULL)
        input->way->end(input->state);
    input->way = NULL;
    if (input->fd >= 0 && input->fd != STDIN_FILENO)
        close(input->fd);
    input->fd = -1;
}

const char *input_fault(const struct capture_input *input)
{
    return input->failed != 0 ? strerror(input->failed) : input->bad;
}

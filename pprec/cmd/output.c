/* SPDX-License-Identifier: BSD-3-Clause */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- The descriptor --- */

/* O_NONBLOCK belongs to the open description, which the shell, or whoever began us, has too. A
 * pipe or a terminal can be opened once more by its name; where that fails (it belongs to
 * another user, or its reader is gone) we ask before each write. */
static void find_way(struct output *output, int fd)
{
    char name[32];
    struct stat status;

    output->fd = fd;
    output->way = OUTPUT_AT_ONCE;
    if (fstat(fd, &status) < 0 || S_ISREG(status.st_mode) || S_ISBLK(status.st_mode))
        return;
    if (S_ISSOCK(status.st_mode)) {
        output->way = OUTPUT_SEND;
        return;
    }
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    output->fd = open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (output->fd < 0) {
        output->fd = fd;
        output->way = OUTPUT_ASK;
    }
}

static bool output_is_ready(int fd, int wait_ms)
{
    struct pollfd wait = {.fd = fd, .events = POLLOUT};

    return poll(&wait, 1, wait_ms) > 0; /* or broken, which a write will tell */
}

/* A pipe that is ready has room for PIPE_BUF bytes. */
static ssize_t write_if_ready(int fd, const char *text, size_t bytes)
{
    if (!output_is_ready(fd, 0)) {
        errno = EAGAIN;
        return -1;
    }
    return write(fd, text, bytes < PIPE_BUF ? bytes : PIPE_BUF);
}

static ssize_t write_now(const struct output *output)
{
    const char *text = output->room + output->begin;
    size_t bytes = output_waiting(output);

    if (output->way == OUTPUT_SEND)
        return send(output->fd, text, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (output->way == OUTPUT_ASK)
        return write_if_ready(output->fd, text, bytes);
    return write(output->fd, text, bytes);
}

/* --- The queue --- */

int output_open(struct output *output, int fd, size_t most_bytes)
{
    *output = (struct output){.room = malloc(most_bytes), .most_bytes = most_bytes};
    if (output->room == NULL)
        return -1;
    find_way(output, fd);
    output->ours = output->fd != fd;
    return 0;
}

void output_close(struct output *output)
{
    if (output->ours)
        close(output->fd);
    free(output->room);
    *output = (struct output){.fd = -1};
}

size_t output_waiting(const struct output *output)
{
    return output->end - output->begin;
}

/* More than 0: bytes that were taken. 0: none now. -1: none any more. */
static ssize_t output_write_some(struct output *output)
{
    ssize_t taken = write_now(output);

    if (taken >= 0) {
        output->begin += (size_t)taken;
        if (output->begin == output->end)
            output->begin = output->end = 0; /* the same few pages again */
        return taken;
    }
    if (errno == EAGAIN || errno == EINTR)
        return 0;
    output->failed = errno;
    output->begin = output->end;
    return -1;
}

int output_flush(struct output *output)
{
    while (output_waiting(output) > 0 && output_write_some(output) > 0)
        ;
    return output->failed != 0 ? -1 : 0;
}

int output_wait(struct output *output, int patience_ms)
{
    while (output_flush(output) == 0 && output_waiting(output) > 0
           && output_is_ready(output->fd, patience_ms))
        ;
    return output->failed != 0 ? -1 : 0;
}

static bool has_room(const struct output *output, size_t bytes)
{
    return output->most_bytes - output_waiting(output) >= bytes;
}

static void output_append(struct output *output, const char *text, size_t bytes)
{
    if (output->most_bytes - output->end < bytes) {
        memmove(output->room, output->room + output->begin, output_waiting(output));
        output->end = output_waiting(output);
        output->begin = 0;
    }
    memcpy(output->room + output->end, text, bytes);
    output->end += bytes;
}

bool output_put(struct output *output, const char *text, size_t bytes)
{
    if (output->failed != 0)
        return true; /* nobody misses it */
    if (!has_room(output, bytes + 1))
        output_flush(output);
    if (!has_room(output, bytes + 1)) {
        output->left_out++;
        return false;
    }
    output_append(output, text, bytes);
    output_append(output, "\n", 1);
    return true;
}

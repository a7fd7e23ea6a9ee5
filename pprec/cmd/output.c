/* SPDX-License-Identifier: BSD-3-Clause */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Of the queue, in one call: it has them by 4 KiB. */
enum { PARTS = 64 };

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

static bool is_ready(int fd, int wait_ms)
{
    struct pollfd wait = {.fd = fd, .events = POLLOUT};

    return poll(&wait, 1, wait_ms) > 0; /* or broken, which a write will tell */
}

/* A pipe that is ready has room for PIPE_BUF bytes. */
static ssize_t write_if_ready(int fd, const struct iovec *part)
{
    if (!is_ready(fd, 0)) {
        errno = EAGAIN;
        return -1;
    }
    return write(fd, part->iov_base, part->iov_len < PIPE_BUF ? part->iov_len : PIPE_BUF);
}

static ssize_t write_parts(const struct output *output, struct iovec *parts, int count)
{
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = (size_t)count};

    if (output->way == OUTPUT_SEND)
        return sendmsg(output->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (output->way == OUTPUT_ASK)
        return write_if_ready(output->fd, parts);
    return writev(output->fd, parts, count);
}

/* --- The queue --- */

int output_open(struct output *output, int fd, size_t most_bytes)
{
    *output = (struct output){.queue = evbuffer_new(), .most_bytes = most_bytes};
    if (output->queue == NULL)
        return -1;
    find_way(output, fd);
    output->ours = output->fd != fd;
    return 0;
}

void output_close(struct output *output)
{
    if (output->queue == NULL)
        return;
    evbuffer_free(output->queue);
    output->queue = NULL;
    if (output->ours)
        close(output->fd);
}

size_t output_waiting(const struct output *output)
{
    return evbuffer_get_length(output->queue);
}

/* More than 0: bytes that were taken. 0: none now. -1: none any more. */
static int write_some(struct output *output)
{
    struct evbuffer_iovec parts[PARTS];
    int count = evbuffer_peek(output->queue, -1, NULL, parts, PARTS);
    ssize_t taken = write_parts(output, parts, count < PARTS ? count : PARTS);

    if (taken >= 0) {
        evbuffer_drain(output->queue, (size_t)taken);
        return (int)taken;
    }
    if (errno == EAGAIN || errno == EINTR)
        return 0;
    output->failed = errno;
    evbuffer_drain(output->queue, output_waiting(output));
    return -1;
}

int output_flush(struct output *output)
{
    while (output_waiting(output) > 0 && write_some(output) > 0)
        ;
    return output->failed != 0 ? -1 : 0;
}

int output_wait(struct output *output, int patience_ms)
{
    while (output_flush(output) == 0 && output_waiting(output) > 0
           && is_ready(output->fd, patience_ms))
        ;
    return output->failed != 0 ? -1 : 0;
}

bool output_put(struct output *output, const char *text, size_t bytes)
{
    if (output->failed != 0)
        return true; /* nobody misses it */
    if (output_waiting(output) + bytes >= output->most_bytes)
        output_flush(output);
    if (output_waiting(output) + bytes >= output->most_bytes
        || evbuffer_add(output->queue, text, bytes) < 0) {
        output->left_out++;
        return false;
    }
    evbuffer_add(output->queue, "\n", 1);
    return true;
}

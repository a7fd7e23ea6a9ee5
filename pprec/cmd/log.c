/* SPDX-License-Identifier: BSD-3-Clause */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A pipe that nobody reads must not hold up the measurement: O_NONBLOCK, which
 * means nothing to files. */
static int open_file(const char *path)
{
    int flags = O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    int fd = open(path, O_RDWR | flags, 0644);

    return fd < 0 && errno == EACCES ? open(path, O_WRONLY | flags, 0644) : fd;
}

/* Whether something that died before us left half a line. */
static bool ends_torn(int fd)
{
    struct stat status;
    char last;

    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0
        && pread(fd, &last, 1, status.st_size - 1) == 1 && last != '\n';
}

int log_open(struct log *log, const char *path, struct error *error)
{
    int fd = open_file(path);

    if (fd < 0)
        return error_set(error, "log '%s': %s", path, strerror(errno));
    *log = (struct log){.path = path, .fd = fd, .torn = ends_torn(fd)};
    return 0;
}

int log_reopen(struct log *log, struct error *error)
{
    int fd = open_file(log->path);

    if (fd < 0)
        return error_set(error, "log '%s': %s; the old file stays open", log->path,
                         strerror(errno));
    close(log->fd);
    log->fd = fd;
    log->torn = ends_torn(fd);
    return 0;
}

/* Takes back the part of a line that still fitted on a disk that is full. */
static void take_back(struct log *log, size_t written)
{
    off_t end = lseek(log->fd, 0, SEEK_END);

    log->torn = end < (off_t)written || ftruncate(log->fd, end - (off_t)written) < 0;
}

static int write_whole(struct log *log, const char *text, size_t bytes)
{
    ssize_t written = write(log->fd, text, bytes);

    while (written < 0 && errno == EINTR)
        written = write(log->fd, text, bytes);
    if (written == (ssize_t)bytes)
        return 0;
    if (written > 0) {
        take_back(log, (size_t)written);
        errno = ENOSPC;
    }
    return -1;
}

/* The line as it goes to the file: with its newline, and one before it when the
 * file ends inside another line. */
static size_t terminate(const struct log *log, const struct line *line, char *room)
{
    size_t bytes = 0;

    if (log->torn)
        room[bytes++] = '\n';
    memcpy(room + bytes, line->text, line->bytes);
    bytes += line->bytes;
    room[bytes++] = '\n';
    return bytes;
}

static int lose(struct log *log, struct error *error)
{
    log->lost_lines++;
    if (log->lost_now++ == 0)
        error_set(error, "log '%s': %s; lines are lost from here on, the measurement goes on",
                  log->path, strerror(errno));
    return -1;
}

int log_write(struct log *log, struct line *line, struct error *error)
{
    char room[sizeof line->text + 2];

    error->text[0] = '\0';
    if (write_whole(log, room, terminate(log, line, room)) < 0)
        return lose(log, error);
    log->torn = false;
    if (log->lost_now == 0)
        return 0;
    error_set(error, "log '%s': written again; %llu lines were lost", log->path,
              (unsigned long long)log->lost_now);
    log->lost_now = 0;
    return -1;
}

void log_close(struct log *log)
{
    close(log->fd);
    log->fd = -1;
}

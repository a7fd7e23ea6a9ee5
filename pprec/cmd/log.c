/* SPDX-License-Identifier: BSD-3-Clause */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A pipe that nobody reads must not hold up the measurement: O_NONBLOCK, which
 * means nothing to files. */
static int log_open_file(const char *path)
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

/* --- Whole lines --- */

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

/* What must stand before the next line: the end of a torn one, and a word where
 * lines are missing, so that the file tells by itself. */
static void log_prepare(const struct log *log, struct line *before)
{
    if (log->torn)
        line_add(before, "\n");
    if (log->lost_now > 0)
        line_add(before, "# %llu lines are missing here: %s\n", (unsigned long long)log->lost_now,
                 strerror(log->lost_errno));
}

static int log_put(struct log *log, const struct line *line)
{
    struct line before;
    char room[sizeof before.text + sizeof line->text + 1];
    size_t bytes;

    before.bytes = 0;
    log_prepare(log, &before);
    bytes = before.bytes;
    memcpy(room, before.text, bytes);
    memcpy(room + bytes, line->text, line->bytes);
    bytes += line->bytes;
    room[bytes++] = '\n';
    if (write_whole(log, room, bytes) < 0)
        return -1;
    log->torn = false;
    log->lost_now = 0;
    return 0;
}

/* One that could not be written is owed. */
static int write_head(struct log *log)
{
    if (log->head_owed && log_put(log, &log->head) < 0)
        return -1;
    log->head_owed = false;
    return 0;
}

/* --- Opening --- */

static void log_begin(struct log *log, int fd)
{
    log->fd = fd;
    log->torn = ends_torn(fd);
    log->gone = false;
    log->head_owed = log->head.bytes > 0;
    write_head(log);
}

int log_open(struct log *log, const char *path, const struct line *head, struct error *error)
{
    int fd = log_open_file(path);

    if (fd < 0)
        return error_set(error, "log '%s': %s", path, strerror(errno));
    *log = (struct log){.path = path, .head = *head};
    log_begin(log, fd);
    return 0;
}

/* lost: lines until then. */
static void tell_better(const struct log *log, uint64_t lost, struct error *error)
{
    if (lost > 0 && log->lost_now == 0)
        error_set(error, "log '%s': written again; %llu lines were lost", log->path,
                  (unsigned long long)lost);
}

int log_reopen(struct log *log, struct error *error)
{
    uint64_t lost = log->lost_now;
    int fd = log_open_file(log->path);

    error->text[0] = '\0';
    if (fd < 0)
        return error_set(error, "log '%s': %s; the old file stays open", log->path, strerror(errno));
    close(log->fd);
    log_begin(log, fd);
    tell_better(log, lost, error);
    return 0;
}

/* --- A line --- */

/* Somebody removed the file: what is written now goes nowhere. */
static bool removed(const struct log *log)
{
    struct stat status;

    return fstat(log->fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 0;
}

static int log_lose(struct log *log, struct error *error)
{
    log->lost_errno = errno;
    log->lost_lines++;
    if (log->lost_now++ == 0)
        error_set(error, "log '%s': %s; lines are lost from here on, the measurement goes on", log->path,
                  strerror(errno));
    else
        error->text[0] = '\0';
    return -1;
}

static void log_look(struct log *log)
{
    if (!log->looked)
        log->gone = removed(log);
    log->looked = true;
}

void log_batch(struct log *log)
{
    log->looked = false;
}

int log_write(struct log *log, const struct line *line, struct error *error)
{
    uint64_t lost = log->lost_now;

    error->text[0] = '\0';
    log_look(log);
    if (log->gone) {
        if (log_reopen(log, error) < 0)
            return log_lose(log, error);
        error_set(error, "log '%s' was removed: begun anew", log->path);
    }
    if (write_head(log) < 0 || log_put(log, line) < 0)
        return log_lose(log, error);
    tell_better(log, lost, error);
    return 0;
}

void log_note(struct log *log, const struct line *line)
{
    if (!log->gone && !log->head_owed && log->lost_now == 0)
        log_put(log, line);
}

void log_close(struct log *log)
{
    close(log->fd);
    log->fd = -1;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* What comes between two wake-ups, 4 ms apart at a high rate: rows of a hundred thousand trains per second.
 * What is more is written earlier. */
enum { WAITING_BYTES = 64 << 10 };

/* A pipe takes PIPE_BUF whole or not at all, but of more a part; less of it is for what stands before. */
enum { PIPE_BYTES = PIPE_BUF - 512 };

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

/* Takes back the part of a line that still fitted on a disk that is full. False: it stays. */
static bool take_back(const struct log *log, size_t bytes)
{
    off_t end = lseek(log->fd, 0, SEEK_END);

    return end >= (off_t)bytes && ftruncate(log->fd, end - (off_t)bytes) == 0;
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

static ssize_t write_after(int fd, const struct line *before, const char *lines, size_t bytes)
{
    struct iovec parts[] = {{(char *)before->text, before->bytes}, {(char *)lines, bytes}};
    ssize_t written;

    do
        written = writev(fd, parts, 2);
    while (written < 0 && errno == EINTR);
    return written;
}

/* Up to the end of the last that is whole. */
static size_t whole_lines(const char *lines, size_t bytes)
{
    const char *end = memrchr(lines, '\n', bytes);

    return end != NULL ? (size_t)(end + 1 - lines) : 0;
}

/* Bytes of them that are in the file then, whole lines; fewer than all: errno says why. */
static size_t write_lines(struct log *log, const char *lines, size_t bytes)
{
    struct line before;
    ssize_t written;
    size_t whole, kept;

    before.bytes = 0;
    log_prepare(log, &before);
    written = write_after(log->fd, &before, lines, bytes);
    if (written <= 0)
        return 0;
    whole = whole_lines(lines, (size_t)written > before.bytes ? (size_t)written - before.bytes : 0);
    kept = whole > 0 ? before.bytes + whole : 0;
    log->torn = log->torn && whole == 0;
    log->lost_now = whole > 0 ? 0 : log->lost_now;
    if (kept < (size_t)written) {
        log->torn = !take_back(log, (size_t)written - kept) || log->torn;
        errno = log->is_file ? ENOSPC : EAGAIN;
    }
    return whole;
}

/* One that could not be written is owed. */
static int write_head(struct log *log)
{
    if (log->head_owed && write_lines(log, log->head.text, log->head.bytes) < log->head.bytes)
        return -1;
    log->head_owed = false;
    return 0;
}

/* --- Opening --- */

static void log_begin(struct log *log, int fd)
{
    struct stat status;

    log->fd = fd;
    log->begun++;
    log->is_file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    log->torn = ends_torn(fd);
    log->head_owed = log->head.bytes > 0;
    write_head(log);
}

int log_open(struct log *log, const char *path, const struct line *head, struct error *error)
{
    int fd = log_open_file(path);

    if (fd < 0)
        return error_set(error, "log '%s': %s", path, strerror(errno));
    *log = (struct log){.path = path, .head = *head, .waiting = malloc(WAITING_BYTES)};
    if (log->waiting == NULL) {
        close(fd);
        return error_set(error, "no memory for the log");
    }
    if (head->bytes > 0)
        line_add(&log->head, "\n");
    log_begin(log, fd);
    return 0;
}

static void tell_better(struct log *log, struct error *error)
{
    if (log->lost_told > 0)
        error_set(error, "log '%s': written again; %llu lines were lost", log->path,
                  (unsigned long long)log->lost_told);
    log->lost_told = 0;
}

int log_reopen(struct log *log, struct error *error)
{
    int fd = log_open_file(log->path);

    error->text[0] = '\0';
    if (fd < 0)
        return error_set(error, "log '%s': %s; the old file stays open", log->path, strerror(errno));
    close(log->fd);
    log_begin(log, fd);
    if (log->lost_now == 0)
        tell_better(log, error);
    return 0;
}

/* --- Lines --- */

/* Somebody removed the file: what is written now goes nowhere. */
static bool removed(const struct log *log)
{
    struct stat status;

    return fstat(log->fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 0;
}

/* Rows begin with a time; records that do not fit the columns are comments; other comments
 * nobody misses. */
static void log_count_lost(struct log *log, const char *line)
{
    bool is_row = line[0] != '#', is_missed = is_row || line[2] == '{';

    log->lost_trains += is_row;
    log->lost_lines += is_missed;
    log->lost_now += is_missed;
    log->lost_told += is_missed;
}

static void log_lose(struct log *log, const char *lines, size_t bytes, struct error *error)
{
    bool is_news = log->lost_told == 0;

    log->lost_errno = errno;
    for (const char *line = lines; line < lines + bytes; line = strchr(line, '\n') + 1)
        log_count_lost(log, line);
    if (is_news && log->lost_told > 0)
        error_set(error, "log '%s': %s; lines are lost from here on, the measurement goes on", log->path,
                  strerror(log->lost_errno));
}

/* As much of them as goes with one write. */
static size_t log_portion(const struct log *log, const char *lines, size_t bytes)
{
    size_t whole = log->is_file || bytes <= PIPE_BYTES ? bytes : whole_lines(lines, PIPE_BYTES);

    return whole > 0 ? whole : (size_t)(strchr(lines, '\n') + 1 - lines);
}

/* Writes them; those that do not fit are lost. */
static void write_waiting(struct log *log, struct error *error)
{
    uint64_t lost_lines = log->lost_lines;

    for (size_t at = 0, bytes; at < log->waiting_bytes; at += bytes) {
        size_t written = 0;

        bytes = log_portion(log, log->waiting + at, log->waiting_bytes - at);
        if (write_head(log) == 0)
            written = write_lines(log, log->waiting + at, bytes);
        if (written < bytes)
            log_lose(log, log->waiting + at + written, bytes - written, error);
    }
    if (log->lost_lines == lost_lines)
        tell_better(log, error);
}

void log_flush(struct log *log, struct error *error)
{
    error->text[0] = '\0';
    if (log->waiting_bytes == 0)
        return;
    log->waiting[log->waiting_bytes] = '\0';
    if (!removed(log)) {
        write_waiting(log, error);
    } else if (log_reopen(log, error) == 0) {
        error_set(error, "log '%s' was removed: begun anew", log->path);
        write_waiting(log, error);
    } else {
        error->text[0] = '\0';
        log_lose(log, log->waiting, log->waiting_bytes, error);
    }
    log->waiting_bytes = 0;
}

void log_write(struct log *log, const struct line *line, struct error *error)
{
    if (WAITING_BYTES - log->waiting_bytes < line->bytes + sizeof "\n")
        log_flush(log, error);
    memcpy(log->waiting + log->waiting_bytes, line->text, line->bytes);
    log->waiting_bytes += line->bytes;
    log->waiting[log->waiting_bytes++] = '\n';
}

void log_close(struct log *log)
{
    struct error unheard;

    log_flush(log, &unheard);
    free(log->waiting);
    close(log->fd);
    *log = (struct log){.fd = -1, .lost_lines = log->lost_lines, .lost_trains = log->lost_trains};
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 150000 }; /* pprec_replays_save() */

static int state_fail(const struct state *state, const char *what, struct error *error)
{
    return error_set(error, "state file '%.120s': %s", state->path, what);
}

/* --- Reading --- */

/* How many bytes, or -1: more than MOST_BYTES are no state. */
static ssize_t state_read_all(int fd, unsigned char room[MOST_BYTES + 1])
{
    size_t bytes = 0;
    ssize_t got;

    do {
        got = read(fd, room + bytes, MOST_BYTES + 1 - bytes);
        bytes += got > 0 ? (size_t)got : 0;
    } while (got > 0 || (got < 0 && errno == EINTR));
    return got < 0 ? -1 : (ssize_t)bytes;
}

static int take_in(struct state *state, struct pprec *pprec, int fd, struct error *error)
{
    unsigned char *room = malloc(MOST_BYTES + 1);
    struct stat about;
    ssize_t bytes;
    int status = 0;

    if (room == NULL)
        return state_fail(state, "no memory", error);
    if (fstat(fd, &about) < 0 || !S_ISREG(about.st_mode))
        status = state_fail(state, "want a regular file", error);
    else if ((bytes = state_read_all(fd, room)) < 0)
        status = state_fail(state, strerror(errno), error);
    else if (pprec_replays_restore(pprec, room, (size_t)bytes) < 0)
        status = error_set(error,
                           "state file '%.120s': %s; without it what came before may pass "
                           "once more",
                           state->path, pprec_error(pprec));
    free(room);
    return status;
}

static int state_read_file(struct state *state, struct pprec *pprec, struct error *error)
{
    /* a fifo would block */
    int fd = open(state->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int status;

    if (fd < 0)
        return errno == ENOENT ? 0 : state_fail(state, strerror(errno), error);
    status = take_in(state, pprec, fd, error);
    close(fd);
    return status;
}

/* --- Writing --- */

static int state_write_all(int fd, const unsigned char *data, size_t bytes)
{
    while (bytes > 0) {
        ssize_t wrote = write(fd, data, bytes);

        if (wrote < 0 && errno != EINTR)
            return -1;
        data += wrote > 0 ? wrote : 0;
        bytes -= wrote > 0 ? (size_t)wrote : 0;
    }
    return 0;
}

/* On the disk before it takes the other's place: after a power cut either of them is there. */
static int write_new(const char *path, const unsigned char *data, size_t bytes)
{
    int fd, status, why;

    /* what a kill left, or another put there: a link is not followed, a fifo not waited for */
    if (unlink(path) < 0 && errno != ENOENT)
        return -1;
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
    if (fd < 0)
        return -1;
    status = state_write_all(fd, data, bytes) < 0 || fsync(fd) < 0 ? -1 : 0;
    why = errno;
    if (close(fd) < 0 && status == 0) {
        status = -1;
        why = errno;
    }
    errno = why;
    return status;
}

static int replace(const struct state *state, const unsigned char *data, size_t bytes)
{
    char new_path[PATH_MAX];
    int why;

    if (snprintf(new_path, sizeof new_path, "%s.new", state->path) >= (int)sizeof new_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (write_new(new_path, data, bytes) == 0 && rename(new_path, state->path) == 0)
        return 0;
    why = errno;
    unlink(new_path);
    errno = why;
    return -1;
}

static bool is_written(const struct state *state, const unsigned char *data, size_t bytes)
{
    return state->written != NULL && state->written_bytes == bytes
        && memcmp(state->written, data, bytes) == 0;
}

int state_save(struct state *state, struct error *error)
{
    size_t bytes = pprec_replays_save(state->pprec, NULL, 0);
    unsigned char *data = malloc(bytes);

    if (data == NULL)
        return state_fail(state, "no memory", error);
    pprec_replays_save(state->pprec, data, bytes);
    if (is_written(state, data, bytes)) {
        free(data);
        return 0;
    }
    if (replace(state, data, bytes) < 0) {
        free(data);
        return state_fail(state, strerror(errno), error);
    }
    free(state->written);
    state->written = data;
    state->written_bytes = bytes;
    return 0;
}

/* --- Life --- */

int state_open(struct state *state, struct pprec *pprec, const char *path, struct error *error)
{
    *state = (struct state){.path = path, .pprec = pprec};
    return state_read_file(state, pprec, error) < 0 ? -1 : state_save(state, error);
}

void state_keep(struct state *state)
{
    struct error error;
    bool failed = state_save(state, &error) < 0;

    if (failed && !state->failing)
        fprintf(stderr, "pprec: %s; it is tried again\n", error.text);
    state->failing = failed;
}

void state_close(struct state *state)
{
    struct error error;

    if (state_save(state, &error) < 0)
        fprintf(stderr, "pprec: %s\n", error.text);
    free(state->written);
    state->written = NULL;
}

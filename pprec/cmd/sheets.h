/* SPDX-License-Identifier: BSD-3-Clause */
/* What jobs that run side by side print, in the order of the jobs: whose turn it is prints at once,
 * the others' sheets wait. So many bytes of them at most, past which their jobs wait, too. */
#ifndef PPREC_CMD_SHEETS_H
#define PPREC_CMD_SHEETS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHEETS_AHEAD = 1024, SHEETS_WAITING_BYTES = 32 << 20 };

enum sheet_kind { SHEET_SCREEN, SHEET_LOG, SHEET_SAY };

/* Of one job. */
struct sheet {
    struct sheets *sheets;
    size_t index;
    char *text;
    size_t bytes, room, counted_bytes;
};

struct sheets {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    size_t count; /* jobs, in all */
    size_t next;  /* to begin */
    size_t turn;  /* whose it is */
    size_t waiting_bytes;
    bool stopped;                      /* no further one begins */
    struct sheet *ended[SHEETS_AHEAD]; /* by their index modulo that; NULL: not yet */
    /* Prints; one call at a time. */
    void (*print)(void *user, enum sheet_kind kind, const char *text, size_t bytes);
    void *user;
};

/* 0, or -1 when the system has no locks to spare. */
int sheets_init(struct sheets *sheets, size_t count,
                void (*print)(void *user, enum sheet_kind kind, const char *text, size_t bytes), void *user);
void sheets_fini(struct sheets *sheets);

/* The next job's sheet, once there is room for it; NULL: there is none, or no memory. */
struct sheet *sheets_begin(struct sheets *sheets);

/* From now on none begins. */
void sheets_stop(struct sheets *sheets);

/* Adds a text; of what there is no memory for the job waits for its turn. */
void sheet_put(struct sheet *sheet, enum sheet_kind kind, const char *text, size_t bytes);

/* The job is done; the sheet is freed in its turn. */
void sheet_end(struct sheet *sheet);

#endif

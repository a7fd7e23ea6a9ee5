/* SPDX-License-Identifier: BSD-3-Clause */
#include "sheets.h"

#include <stdlib.h>
#include <string.h>

/* A sheet settles when so much was added. */
enum { SETTLE_BYTES = 64 << 10 };

/* In front of each text. */
struct head {
    uint32_t kind, bytes;
};

int sheets_init(struct sheets *sheets, size_t count,
                void (*print)(void *user, enum sheet_kind kind, const char *text, size_t bytes), void *user)
{
    *sheets = (struct sheets){.count = count, .print = print, .user = user};
    if (pthread_mutex_init(&sheets->lock, NULL) != 0)
        return -1;
    if (pthread_cond_init(&sheets->moved, NULL) == 0)
        return 0;
    pthread_mutex_destroy(&sheets->lock);
    return -1;
}

void sheets_fini(struct sheets *sheets)
{
    pthread_cond_destroy(&sheets->moved);
    pthread_mutex_destroy(&sheets->lock);
}

void sheets_stop(struct sheets *sheets)
{
    pthread_mutex_lock(&sheets->lock);
    sheets->stopped = true;
    pthread_mutex_unlock(&sheets->lock);
}

static void sheets_print(struct sheet *sheet)
{
    struct sheets *sheets = sheet->sheets;
    struct head head;

    for (size_t at = 0; at < sheet->bytes; at += sizeof head + head.bytes) {
        memcpy(&head, sheet->text + at, sizeof head);
        sheets->print(sheets->user, (enum sheet_kind)head.kind, sheet->text + at + sizeof head, head.bytes);
    }
    sheets->waiting_bytes -= sheet->counted_bytes;
    sheet->bytes = sheet->counted_bytes = 0;
}

/* Under the lock: prints, if it is its turn, or counts what waits. */
static void sheets_settle(struct sheet *sheet, bool must)
{
    struct sheets *sheets = sheet->sheets;

    while (sheet->index != sheets->turn
           && (must || sheets->waiting_bytes + sheet->bytes - sheet->counted_bytes > SHEETS_WAITING_BYTES))
        pthread_cond_wait(&sheets->moved, &sheets->lock);
    if (sheet->index == sheets->turn) {
        sheets_print(sheet);
        pthread_cond_broadcast(&sheets->moved);
        return;
    }
    sheets->waiting_bytes += sheet->bytes - sheet->counted_bytes;
    sheet->counted_bytes = sheet->bytes;
}

static bool sheets_make_room(struct sheet *sheet, size_t bytes)
{
    size_t room = sheet->room > 0 ? sheet->room : 4096;
    char *text;

    while (room < sheet->bytes + bytes)
        room *= 2;
    if (room == sheet->room)
        return true;
    text = realloc(sheet->text, room);
    if (text == NULL)
        return false;
    sheet->text = text;
    sheet->room = room;
    return true;
}

static void put_now(struct sheet *sheet, enum sheet_kind kind, const char *text, size_t bytes)
{
    pthread_mutex_lock(&sheet->sheets->lock);
    sheets_settle(sheet, true);
    sheet->sheets->print(sheet->sheets->user, kind, text, bytes);
    pthread_mutex_unlock(&sheet->sheets->lock);
}

void sheet_put(struct sheet *sheet, enum sheet_kind kind, const char *text, size_t bytes)
{
    struct head head = {kind, (uint32_t)bytes};

    if (!sheets_make_room(sheet, sizeof head + bytes)) {
        put_now(sheet, kind, text, bytes);
        return;
    }
    memcpy(sheet->text + sheet->bytes, &head, sizeof head);
    memcpy(sheet->text + sheet->bytes + sizeof head, text, bytes);
    sheet->bytes += sizeof head + bytes;
    if (sheet->bytes - sheet->counted_bytes < SETTLE_BYTES)
        return;
    pthread_mutex_lock(&sheet->sheets->lock);
    sheets_settle(sheet, false);
    pthread_mutex_unlock(&sheet->sheets->lock);
}

static bool may_begin(const struct sheets *sheets, size_t index)
{
    return index == sheets->turn
        || (index < sheets->turn + SHEETS_AHEAD && sheets->waiting_bytes < SHEETS_WAITING_BYTES);
}

struct sheet *sheets_begin(struct sheets *sheets)
{
    struct sheet *sheet = calloc(1, sizeof *sheet);

    if (sheet == NULL)
        return NULL;
    pthread_mutex_lock(&sheets->lock);
    if (sheets->stopped || sheets->next == sheets->count) {
        pthread_mutex_unlock(&sheets->lock);
        free(sheet);
        return NULL;
    }
    *sheet = (struct sheet){.sheets = sheets, .index = sheets->next++};
    while (!may_begin(sheets, sheet->index))
        pthread_cond_wait(&sheets->moved, &sheets->lock);
    pthread_mutex_unlock(&sheets->lock);
    return sheet;
}

void sheet_end(struct sheet *sheet)
{
    struct sheets *sheets = sheet->sheets;
    struct sheet **first;

    pthread_mutex_lock(&sheets->lock);
    sheets->ended[sheet->index % SHEETS_AHEAD] = sheet;
    sheets_settle(sheet, false);
    while (*(first = &sheets->ended[sheets->turn % SHEETS_AHEAD]) != NULL) {
        sheets_print(*first);
        free((*first)->text);
        free(*first);
        *first = NULL;
        sheets->turn++;
    }
    pthread_cond_broadcast(&sheets->moved);
    pthread_mutex_unlock(&sheets->lock);
}

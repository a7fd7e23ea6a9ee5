/* SPDX-License-Identifier: BSD-3-Clause */
#include "live.h"

#include "common/stamp.h"
#include "pprec/cmd/screen.h"

#include <stdio.h>
#include <stdlib.h>

struct live *live_new(const struct format_run *run, const char *input, const struct tally *tally,
                      int64_t now_ns)
{
    struct live *live = calloc(1, sizeof *live);

    if (live == NULL)
        return NULL;
    live->run = run;
    live->input = input;
    live->tally = tally;
    live->begun_ns = now_ns;
    live->changed = true;
    screen_open();
    live->frame.utf8 = screen_utf8();
    live->frame.coloured = screen_coloured();
    return live;
}

void live_free(struct live *live)
{
    if (live != NULL)
        screen_close();
    free(live);
}

void live_train(struct live *live, const struct pprec_train *train)
{
    live->last[live->trains++ % LIVE_TRAINS] = *train;
    live->changed = true;
}

void live_say(struct live *live, const char *text)
{
    snprintf(live->said, sizeof live->said, "%s", text);
    live->changed = true;
}

static unsigned live_min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

void live_show(struct live *live, const struct pprec *pprec, double share, int64_t now_ns)
{
    int64_t s = (now_ns - live->begun_ns) / STAMP_NS_PER_S;
    unsigned rows, columns;

    screen_size(&rows, &columns);
    if (!screen_lost() && !live->changed && s == live->drawn_s && rows == live->drawn_rows
        && columns == live->drawn_columns)
        return;
    live->frame.rows = live_min(rows, FRAME_ROWS_MAX);
    live->frame.columns = live_min(columns, FRAME_COLUMNS_MAX);
    live_draw(live, pprec, share, now_ns);
    live->changed = !screen_show(live->frame.text, live->frame.bytes);
    live->drawn_rows = rows;
    live->drawn_columns = columns;
    live->drawn_s = s;
}

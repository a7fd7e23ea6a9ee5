/* SPDX-License-Identifier: BSD-3-Clause */
/* The view of --live: one stream, the one with most to go by, with its estimate, the
 * histogram of its rates, its counts, and the last trains. */
#ifndef PPREC_CMD_LIVE_H
#define PPREC_CMD_LIVE_H

#include "pprec/cmd/format.h"
#include "pprec/cmd/frame.h"
#include "pprec/cmd/tally.h"
#include "pprec/pprec.h"

#include <stdbool.h>
#include <stdint.h>

/* Drawn so often, and only when something is new. */
#define LIVE_PERIOD_NS INT64_C(200000000)

enum { LIVE_TRAINS = 1024 }; /* remembered, and in the histogram */

struct live {
    const struct format_run *run;
    const char *input; /* what is listened to */
    const struct tally *tally;
    char said[256]; /* what would have gone to standard error */
    int64_t begun_ns;
    int64_t drawn_s; /* since then, when it was drawn last */
    unsigned drawn_rows, drawn_columns;
    bool changed;
    uint64_t trains; /* seen; the last of them are */
    struct pprec_train last[LIVE_TRAINS];
    struct frame frame;
};

/* Takes the terminal on standard output with the first live_show(). All stay the
 * caller's. NULL when memory runs out. */
struct live *live_new(const struct format_run *run, const char *input, const struct tally *tally,
                      int64_t now_ns);

/* Gives the terminal back. live may be NULL. */
void live_free(struct live *live);

void live_train(struct live *live, const struct pprec_train *train);

/* A message for the last row, until the next one. */
void live_say(struct live *live, const char *text);

/* Draws if there is something new; now_ns on the clock of live_new(), share of the input
 * that is read, or negative. */
void live_show(struct live *live, const struct pprec *pprec, double share, int64_t now_ns);

/* Makes the frame that live_show() shows, for a terminal as the frame says. */
void live_draw(struct live *live, const struct pprec *pprec, double share, int64_t now_ns);

#endif

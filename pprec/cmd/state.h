/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that keeps over a restart what the key's replay window knows. Another one replaces it
 * whenever it is written, whole and on the disk: at no time is there half a file. */
#ifndef PPREC_CMD_STATE_H
#define PPREC_CMD_STATE_H

#include "common/error.h"
#include "common/stamp.h"
#include "pprec/pprec.h"

#include <stdbool.h>
#include <stddef.h>

/* How often it is written at most, while it runs. */
#define STATE_PERIOD_NS (10 * STAMP_NS_PER_S)

struct state {
    const char *path;
    const struct pprec *pprec;
    unsigned char *written; /* what the file holds */
    size_t written_bytes;
    bool failing;
};

/* Takes in what the file holds, if there is one, and writes it. path and pprec outlive the state.
 * 0, or -1 with the error's text set. */
int state_open(struct state *state, struct pprec *pprec, const char *path, struct error *error);

/* Writes it, unless nothing has changed. 0, or -1 with the error's text set. */
int state_save(struct state *state, struct error *error);

/* The same, and says so on standard error when it begins to fail. */
void state_keep(struct state *state);

/* Saves once more. */
void state_close(struct state *state);

#endif

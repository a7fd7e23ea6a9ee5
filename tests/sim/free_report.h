/* SPDX-License-Identifier: BSD-3-Clause */
/* How well available bandwidth is told: accuracy --available. */
#ifndef TESTS_SIM_FREE_REPORT_H
#define TESTS_SIM_FREE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct free_wish {
    uint64_t first_seed;
    unsigned seeds, window;
    const char *cases; /* beginning of their names; NULL: all */
    bool rivals;
    bool gate; /* false when less is reached than was */
};

/* Prints the tables. */
bool free_report(const struct free_wish *wish);

#endif

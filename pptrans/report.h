/* SPDX-License-Identifier: BSD-3-Clause */
/* What pptrans tells its user, as text or as JSON Lines. */
#ifndef PPTRANS_REPORT_H
#define PPTRANS_REPORT_H

#include "burst.h"
#include "report_facts.h"

#include <stdbool.h>
#include <stdio.h>

struct report {
    FILE *out;
    bool json, quiet, verbose;
};

void report_start(const struct report *report, const struct plan *plan, const struct report_start *start);
void report_train(const struct report *report, const struct plan *plan, const struct plan_shape *shape,
                  const struct flight *flight, const struct flight_spread *spread);
void report_totals(const struct report *report, const struct plan *plan, const struct report_totals *totals,
                   const struct burst_failures *failures);

#endif

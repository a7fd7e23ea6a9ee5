/* SPDX-License-Identifier: BSD-3-Clause */
/* The same as report.h, one JSON object a line; null for what is not known. */
#ifndef PPTRANS_REPORT_JSON_H
#define PPTRANS_REPORT_JSON_H

#include "burst.h"
#include "report_facts.h"

#include <stdio.h>

void report_json_start(FILE *out, const struct plan *plan, const struct report_start *start);
void report_json_train(FILE *out, const struct plan *plan, const struct plan_shape *shape,
                       const struct flight *flight, const struct flight_spread *spread);
void report_json_totals(FILE *out, const struct plan *plan, const struct report_totals *totals,
                        const struct burst_failures *failures);

#endif

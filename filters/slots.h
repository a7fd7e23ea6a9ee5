/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FILTERS_SLOTS_H
#define FILTERS_SLOTS_H

#include "filters/statistics.h"

/* Whether slots behind a fair queue hide that trains get but a share there: pairs reach the slots sooner than these. */
bool slots_hide_turns(const struct seen *seen, const struct statistics *s);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside turns: smaller pairs wait for fewer of them, or for none. */
#ifndef FILTERS_TURNS_FITTING_H
#define FILTERS_TURNS_FITTING_H

#include "filters/statistics.h"

struct fitting {
    bool found;    /* they do */
    double own_ns; /* a full packet's time, where a turn holds two smaller ones; 0: it does not */
};

struct fitting turns_fitting(const struct seen *seen, const struct statistics *s);

#endif

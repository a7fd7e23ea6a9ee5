/* SPDX-License-Identifier: BSD-3-Clause */
#include "filters/rows.h"

#include <string.h>

const struct filter *const filter_table[] = {
    &filter_adaptive, &filter_median, &filter_mode, &filter_mean,
    &filter_mindelay, &filter_union,  &filter_last, NULL,
};

const struct filter *filter_find(const char *name)
{
    for (const struct filter *const *row = filter_table; *row != NULL; row++)
        if (strcmp((*row)->name, name) == 0)
            return *row;
    return NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "rivals.h"

const struct filter *const rival_table[] = {NULL};

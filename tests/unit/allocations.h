/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts what this program's own objects allocate (the linker's --wrap). */
#ifndef TESTS_UNIT_ALLOCATIONS_H
#define TESTS_UNIT_ALLOCATIONS_H

#include <stdint.h>

/* Calls of malloc, calloc and realloc so far. */
uint64_t allocations(void);

/* From now on the first n more succeed and all later ones fail; negative: none
 * fails. */
void allocations_limit(int64_t n);

#endif

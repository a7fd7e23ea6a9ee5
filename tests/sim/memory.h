/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for test programs, which have nothing better to do than to stop when
 * there is none. */
#ifndef TESTS_SIM_MEMORY_H
#define TESTS_SIM_MEMORY_H

#include <stddef.h>

/* Zeroed room for count items; never NULL. */
void *sim_allocate(size_t count, size_t item_bytes);

/* Room for at least count items: items itself, or a larger copy of it. *room
 * is how many fit. */
void *sim_grow(void *items, size_t *room, size_t count, size_t item_bytes);

#endif

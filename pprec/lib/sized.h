/* SPDX-License-Identifier: BSD-3-Clause */
/* Structs of programs that were compiled with another version of the
 * header. Each grows at its end only. Configurations begin with size_t struct_bytes: an older
 * program has fewer fields and gets the defaults for the rest; a newer one may have
 * fields that are not known here, as long as it leaves them zero. */
#ifndef PPREC_LIB_SIZED_H
#define PPREC_LIB_SIZED_H

#include <stddef.h>

/* Gives the caller's struct of to_bytes as many of the defaults as it has room for. */
void sized_write(void *to, size_t to_bytes, const void *defaults, size_t default_bytes);

/* Puts the caller's fields over the defaults in to. 0, or -1 with *to as it was when
 * from is NULL, was not set up, or asks for what is not known here. */
int sized_read(void *to, size_t to_bytes, const void *from);

/* Gives the caller's struct of to_bytes as much of from as it has room for; what of it is
 * not known here becomes zero. */
void sized_give(void *to, size_t to_bytes, const void *from, size_t from_bytes);

/* Puts as much of the caller's struct of from_bytes as is known here over what is in to. */
void sized_take(void *to, size_t to_bytes, const void *from, size_t from_bytes);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What a client of the metrics server relies on, whatever it sent: nothing, or one whole answer. */
#ifndef TESTS_FUZZ_ANSWER_H
#define TESTS_FUZZ_ANSWER_H

#include <stddef.h>

/* text: all that came until the server closed, with a 0 behind it. headers_only: it may be an
 * answer to HEAD. Aborts and shows what is none: an unknown status, headers that are no lines of
 * their own, a body of another length than was told, or a page of figures that page_check()
 * refuses. Returns the status, 0 for nothing. */
int answer_check(const char *text, size_t bytes, int headers_only);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* One line of text that says what was wrong with which input. */
#ifndef COMMON_ERROR_H
#define COMMON_ERROR_H

/* The caller's memory; an empty text means no error. */
struct error {
    char text[256];
};

#ifdef __MINGW32__ /* whose own vsnprintf() takes all of C's, %zu too; Windows' does not */
#define ERROR_FORMAT gnu_printf
#else
#define ERROR_FORMAT printf
#endif

/* Formats the text (cut at the end of the buffer, control characters as '?') and
 * returns -1, so that a function can end with "return error_set(error, ...)". error
 * may be NULL. */
int error_set(struct error *error, const char *format, ...) __attribute__((format(ERROR_FORMAT, 2, 3)));

#endif

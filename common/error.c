/* SPDX-License-Identifier: BSD-3-Clause */
#include "error.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

/* What was given may hold line breaks, and what steers terminals. */
static void make_one_line(char *text)
{
    for (; *text != '\0'; text++)
        if (iscntrl((unsigned char)*text))
            *text = '?';
}

int error_set(struct error *error, const char *format, ...)
{
    va_list arguments;

    if (error == NULL)
        return -1;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    make_one_line(error->text);
    return -1;
}

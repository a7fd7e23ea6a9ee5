/* SPDX-License-Identifier: BSD-3-Clause */
#include "say.h"

#include "pprec/cmd/line.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { PATIENCE_MS = 100, TEXT_BYTES = 1024 };

void say(const char *format, ...)
{
    struct pollfd wait = {.fd = STDERR_FILENO, .events = POLLOUT};
    struct line line = {.bytes = 0};
    char text[TEXT_BYTES];
    va_list arguments;
    ssize_t written;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    line_add(&line, "pprec: %s\n", text);
    if (poll(&wait, 1, PATIENCE_MS) <= 0)
        return;
    written = write(STDERR_FILENO, line.text, line.bytes);
    (void)written;
}

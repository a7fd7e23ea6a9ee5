/* SPDX-License-Identifier: BSD-3-Clause */
#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int descriptors_fill(struct error *error)
{
    for (int each = STDIN_FILENO; each <= STDERR_FILENO; each++)
        /* open() takes the lowest that is free: each, for those before it are open */
        if (fcntl(each, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
            return error_set(error, "/dev/null: %s", strerror(errno));
    return 0;
}

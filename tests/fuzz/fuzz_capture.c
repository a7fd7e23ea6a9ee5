/* SPDX-License-Identifier: BSD-3-Clause */
/* Input: a whole capture, read as a file, from its opening to the summaries. One of
 * odd size is taken for classic trains; half of the size picks the filter. */
#include "pprec/pprec.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sinks.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void capture_read_all(struct pprec *pprec, const char *path)
{
    const char *files[] = {path, NULL};
    struct pprec_capture_options options;

    pprec_capture_options_init(&options);
    options.files = files;
    if (pprec_open_capture(pprec, &options) < 0)
        return;
    while (pprec_dispatch(pprec, 64) != 0)
        ;
    pprec_finish(pprec);
}

static void analyse(const char *path, int classic, unsigned filter)
{
    struct pprec_config config;
    struct pprec *pprec;
    struct format_run about;

    pprec_config_init(&config);
    config.classic = classic;
    config.train_length = classic ? 4 : 0;
    config.streams_max = 8; /* so that streams are pushed out */
    pprec = sinks_handle(config, filter, &about);
    capture_read_all(pprec, path);
    pprec_free(pprec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    int fd = memfd_create("capture", MFD_CLOEXEC);
    char path[32];

    if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    analyse(path, bytes % 2 == 1, (unsigned)(bytes / 2));
    close(fd);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures from files and standard input, one after the other. */
#include "capture.h"

#include "pprec/lib/capture_filter.h"
#include "pprec/lib/intake.h"

#include <limits.h>
#include <string.h>

struct capture_file {
    struct capture capture;
    struct capture_filter filter;
    size_t next;         /* index of the file to open next */
    const char *name;    /* of the one that is open; NULL: none is */
    uint64_t past_bytes; /* of the files before */
    uint64_t read_bytes; /* of all, when the last dispatch ended */
    unsigned interfaces; /* of the open one that the filter is ready for */
    struct capture_format format;
    struct capture_input input;
};

static void close_file(struct capture_file *file)
{
    file->past_bytes += file->input.read_bytes;
    file->input.read_bytes = 0;
    file->name = NULL;
    input_close(&file->input);
}

/* Where pcapng has another interface, of another link type. */
static int ready_filter(struct capture_file *file, struct error *error)
{
    for (; file->interfaces < file->format.interfaces; file->interfaces++) {
        const struct capture_interface *interface = &file->format.interface[file->interfaces];

        if (interface->link != NULL && filter_ready(&file->filter, interface->dlt, error) < 0)
            return -1;
    }
    file->interfaces = file->format.interfaces; /* fewer, of another section */
    return 0;
}

static int open_next(struct capture_file *file, struct pprec *pprec)
{
    const char *name = file->capture.options.files[file->next];
    struct error why;

    handle_begin_file(pprec, (uint32_t)file->next++);
    if (input_open(&file->input, name, &why) < 0)
        return handle_fail(pprec, PPREC_EIO, "%s: %s", name, why.text);
    file->name = name;
    file->interfaces = 0;
    if (format_open(&file->format, &file->input, &why) < 0) {
        error_set(&intake_of(pprec)->error, "%s: %s", name, why.text);
        close_file(file);
        return PPREC_EIO;
    }
    if (ready_filter(file, &intake_of(pprec)->error) == 0)
        return PPREC_OK;
    close_file(file);
    return PPREC_EINVAL;
}

static int damaged(struct capture_file *file, struct pprec *pprec, const char *why)
{
    error_set(&intake_of(pprec)->error, "%s: damaged at byte %llu%s%s, used up to there: %s", file->name,
              (unsigned long long)file->format.good_bytes, file->input.way != NULL ? " of what was in " : "",
              file->input.way != NULL ? file->input.way->name : "", why);
    close_file(file);
    return PPREC_EDAMAGED;
}

static bool capture_file_passes(struct capture_file *file, const struct capture_record *record,
                                struct error *error)
{
    if (file->filter.text == NULL)
        return true;
    if (file->interfaces != file->format.interfaces && ready_filter(file, error) < 0)
        return false;
    return filter_passes(&file->filter, record);
}

/* Reads from the file that is open. 0 at its end. */
static int capture_file_read_some(struct capture_file *file, struct pprec *pprec, unsigned packets_max)
{
    int most = packets_max == 0 || packets_max > INT_MAX ? INT_MAX : (int)packets_max;
    struct capture_record record;
    struct error why;
    int got = 0, status = 0;

    while (got < most && (status = format_next(&file->format, &record, &why)) > 0) {
        got++;
        if (capture_file_passes(file, &record, &why))
            capture_take(&file->capture, &record);
    }
    if (got > 0)
        return got; /* what comes next is found again */
    if (status < 0 && !file->input.interrupted)
        return damaged(file, pprec, why.text);
    close_file(file);
    return 0;
}

static int read_files(struct capture_file *file, struct pprec *pprec, unsigned packets_max)
{
    int got = 0;

    while (got == 0) {
        if (file->name == NULL
            && (file->input.interrupted || file->capture.options.files[file->next] == NULL))
            return 0;
        if (file->name == NULL && open_next(file, pprec) < 0)
            return PPREC_EDAMAGED;
        got = capture_file_read_some(file, pprec, packets_max);
    }
    return got;
}

static int file_dispatch(struct source *source, struct pprec *pprec, unsigned packets_max)
{
    struct capture_file *file = (struct capture_file *)source;
    int got;

    file->capture.pprec = pprec;
    got = read_files(file, pprec, packets_max);
    file->read_bytes = file->past_bytes + file->input.read_bytes;
    return got;
}

static uint64_t file_dropped(const struct source *source)
{
    (void)source; /* a file does not tell what its capture dropped */
    return 0;
}

static void file_free(struct source *source, const struct memory *memory)
{
    struct capture_file *file = (struct capture_file *)source;

    if (file->name != NULL)
        input_close(&file->input);
    filter_fini(&file->filter);
    capture_fini(&file->capture);
    memory_put(memory, source);
}

static const struct source_ops file_ops = {file_free, file_dispatch, file_dropped};

int capture_open_files(struct pprec *pprec, const struct pprec_capture_options *options)
{
    const struct memory *memory = intake_of(pprec)->memory;
    struct capture_file *file = memory_get_unclean(memory, sizeof *file);
    int status;

    if (file == NULL)
        return handle_fail(pprec, PPREC_ENOMEM, "no memory to read captures");
    memset(file, 0, offsetof(struct capture_file, format)); /* the rest is set as files are opened */
    file->input.read_bytes = 0;
    file->capture.source = (struct source){&file_ops, -1, 0, PPREC_TIMESTAMPS_PCAP};
    file->capture.stamp = (struct pprec_stamp){0, PPREC_CLOCK_OTHER, PPREC_TIMESTAMPS_PCAP};
    filter_init(&file->filter, options->filter);
    status = capture_init(&file->capture, pprec, options);
    if (status == PPREC_OK)
        status = open_next(file, pprec);
    if (status < 0)
        file_free(&file->capture.source, memory);
    else
        intake_of(pprec)->source = &file->capture.source;
    return status;
}

int pprec_is_capture(const char *name)
{
    const struct memory *memory = &memory_of_libc;
    struct capture_input *input = name != NULL ? memory_get_unclean(memory, sizeof *input) : NULL;
    int status = PPREC_EIO;

    if (input == NULL)
        return name != NULL ? PPREC_ENOMEM : PPREC_EINVAL;
    if (input_open(input, name, NULL) == 0) {
        const uint8_t *magic = input_want(input, FORMAT_MAGIC_BYTES);

        status = magic != NULL && format_begins(magic);
        input_close(input);
    }
    memory_put(memory, input);
    return status;
}

/* NULL when the handle reads no files. */
static const struct capture_file *capture_file_of(const struct pprec *pprec)
{
    const struct source *source = intake_seen(pprec)->source;

    return source != NULL && source->ops == &file_ops ? (const struct capture_file *)source : NULL;
}

const char *pprec_capture_name(const struct pprec *pprec, uint32_t file)
{
    const struct capture_file *files = capture_file_of(pprec);

    return files != NULL && file < files->next ? files->capture.options.files[file] : NULL;
}

uint64_t pprec_capture_bytes(const struct pprec *pprec)
{
    const struct capture_file *files = capture_file_of(pprec);

    return files != NULL ? files->read_bytes : 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures from files and standard input, one after the other. libpcap reads
 * them, from a stream of ours that knows its offset even where it cannot seek,
 * so that damage can be named by the byte. */
#include "capture.h"
#include "pprec/lib/handle.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of standard I/O. The default of 4096 bytes costs a system call for every three
 * full-size packets, and glibc keeps to it unless it is given the room, too. */
enum { READ_BYTES = 1 << 17 };

struct capture_file {
    struct capture capture;
    size_t next;        /* index of the file to open next */
    const char *name;   /* of the one that is open */
    FILE *stream;       /* of the one that is open, libpcap's to close */
    int fd;
    int64_t read_bytes; /* taken from fd */
    int64_t past_bytes; /* of the files before */
    int64_t good_bytes; /* up to the end of the last whole record */
    bool interrupted;   /* a signal came: the input ends here */
    char buffer[READ_BYTES];
};

/* --- The stream --- */

static ssize_t stream_read(void *cookie, char *room, size_t bytes)
{
    struct capture_file *file = cookie;
    ssize_t got = read(file->fd, room, bytes);

    if (got > 0)
        file->read_bytes += got;
    file->interrupted = file->interrupted || (got < 0 && errno == EINTR);
    return got;
}

/* Only tells where it stands: what ftello() needs. */
static int stream_seek(void *cookie, off64_t *offset, int whence)
{
    const struct capture_file *file = cookie;

    if (whence != SEEK_CUR || *offset != 0)
        return -1;
    *offset = file->read_bytes;
    return 0;
}

static int stream_close(void *cookie)
{
    struct capture_file *file = cookie;

    file->past_bytes += file->read_bytes;
    file->read_bytes = 0;
    return file->fd != STDIN_FILENO ? close(file->fd) : 0;
}

static FILE *stream_open(struct capture_file *file)
{
    cookie_io_functions_t functions = {
        .read = stream_read, .seek = stream_seek, .close = stream_close};
    FILE *stream;

    file->fd = strcmp(file->name, "-") == 0 ? STDIN_FILENO
                                            : open(file->name, O_RDONLY | O_CLOEXEC);
    if (file->fd < 0)
        return NULL;
    file->read_bytes = 0;
    stream = fopencookie(file, "r", functions);
    if (stream == NULL) {
        stream_close(file);
        return NULL;
    }
    setvbuf(stream, file->buffer, _IOFBF, sizeof file->buffer);
    __fsetlocking(stream, FSETLOCKING_BYCALLER); /* a handle is one thread's */
    return stream;
}

/* How far libpcap has read. Asked for every record, for which ftello() would cost as much
 * as reading a short one: glibc shows what it has in its buffer still. */
static int64_t offset_of(const struct capture_file *file)
{
#ifdef __GLIBC__
    return file->read_bytes - (file->stream->_IO_read_end - file->stream->_IO_read_ptr);
#else
    return ftello(file->stream);
#endif
}

/* --- Files --- */

static int open_next(struct capture_file *file, struct pprec *pprec)
{
    char why[PCAP_ERRBUF_SIZE];
    int status;

    file->name = file->capture.options.files[file->next++];
    file->stream = stream_open(file);
    if (file->stream == NULL) {
        error_set(&pprec->error, "%s: %s", file->name, strerror(errno));
        return PPREC_EIO;
    }
    file->capture.pcap = pcap_fopen_offline_with_tstamp_precision(
        file->stream, PCAP_TSTAMP_PRECISION_NANO, why);
    if (file->capture.pcap == NULL) {
        error_set(&pprec->error, "%s: %s; want pcap or pcapng", file->name, why);
        fclose(file->stream);
        return PPREC_EIO;
    }
    file->good_bytes = offset_of(file);
    status = capture_begin(&file->capture, pprec, file->name);
    if (status < 0)
        capture_end(&file->capture);
    return status;
}

static void take(u_char *user, const struct pcap_pkthdr *header, const u_char *frame)
{
    struct capture_file *file = (struct capture_file *)user;
    struct capture *capture = &file->capture;

    file->good_bytes = offset_of(file);
    if (!capture->filtered || pcap_offline_filter(&capture->program, header, frame) != 0)
        capture_take(capture, header, frame);
}

static int damaged(struct capture_file *file, struct pprec *pprec)
{
    error_set(&pprec->error, "%s: damaged at byte %lld, used up to there: %s", file->name,
              (long long)file->good_bytes, pcap_geterr(file->capture.pcap));
    capture_end(&file->capture);
    return PPREC_EDAMAGED;
}

/* Reads from the file that is open. 0 at its end. */
static int read_some(struct capture_file *file, struct pprec *pprec, unsigned packets_max)
{
    int most = packets_max == 0 || packets_max > INT_MAX ? INT_MAX : (int)packets_max;
    int got = pcap_dispatch(file->capture.pcap, most, take, (u_char *)file);

    if (got > 0)
        return got;
    if (got < 0 && !file->interrupted)
        return damaged(file, pprec);
    capture_end(&file->capture);
    return 0;
}

static int read_files(struct capture_file *file, struct pprec *pprec, unsigned packets_max)
{
    int got = 0;

    while (got == 0) {
        if (file->capture.pcap == NULL
            && (file->interrupted || file->capture.options.files[file->next] == NULL))
            return 0;
        if (file->capture.pcap == NULL && open_next(file, pprec) < 0)
            return PPREC_EDAMAGED;
        got = read_some(file, pprec, packets_max);
    }
    return got;
}

static int file_dispatch(struct source *source, struct pprec *pprec, unsigned packets_max)
{
    struct capture_file *file = (struct capture_file *)source;
    int got;

    file->capture.pprec = pprec;
    got = read_files(file, pprec, packets_max);
    pprec->captured_bytes = (uint64_t)(file->past_bytes + file->read_bytes);
    return got;
}

static uint64_t file_dropped(const struct source *source)
{
    (void)source; /* a file does not tell what its capture dropped */
    return 0;
}

static void file_free(struct source *source, const struct memory *memory)
{
    capture_fini((struct capture *)source);
    memory_put(memory, source);
}

static const struct source_ops file_ops = {file_free, file_dispatch, file_dropped};

int capture_open_files(struct pprec *pprec, const struct pprec_capture_options *options)
{
    const struct memory *memory = &pprec->settings.memory;
    struct capture_file *file = memory_get(memory, sizeof *file);
    int status;

    if (file == NULL) {
        error_set(&pprec->error, "no memory to read captures");
        return PPREC_ENOMEM;
    }
    file->capture.source = (struct source){&file_ops, -1, 0, PPREC_TIMESTAMPS_PCAP};
    file->capture.stamp = (struct pprec_stamp){0, PPREC_CLOCK_OTHER, PPREC_TIMESTAMPS_PCAP};
    status = capture_init(&file->capture, pprec, options);
    if (status == PPREC_OK)
        status = open_next(file, pprec);
    if (status < 0)
        file_free(&file->capture.source, memory);
    else
        pprec->source = &file->capture.source;
    return status;
}

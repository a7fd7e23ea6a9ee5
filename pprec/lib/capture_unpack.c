/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture_unpack.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define CUT_SHORT "it ends before its end"

static inline size_t at_most(size_t bytes, size_t most)
{
    return bytes < most ? bytes : most;
}

/* --- gzip: RFC 1952 --- */

#ifdef WITH_ZLIB
#include <zlib.h>

enum { GZIP_WINDOW_BITS = 15 + 16 }; /* a header and trailer of gzip's, zlib.h */

struct gzip {
    z_stream stream;
    bool between; /* members: what follows the last one is another, or padding */
};

static void *gzip_begin(void)
{
    struct gzip *gzip = calloc(1, sizeof *gzip);

    if (gzip != NULL && inflateInit2(&gzip->stream, GZIP_WINDOW_BITS) == Z_OK)
        return gzip;
    free(gzip);
    return NULL;
}

static int gzip_inflate(z_stream *stream, struct unpack_io *io)
{
    int status;

    stream->next_in = (Bytef *)(uintptr_t)io->in; /* an old interface, without const */
    stream->avail_in = (uInt)at_most(io->in_bytes, INT_MAX);
    stream->next_out = io->out;
    stream->avail_out = (uInt)at_most(io->out_bytes, INT_MAX);
    status = inflate(stream, Z_NO_FLUSH);
    io->in_bytes -= (size_t)(stream->next_in - io->in);
    io->in = stream->next_in;
    io->out_bytes -= (size_t)(stream->next_out - io->out);
    io->out = stream->next_out;
    return status;
}

/* Tapes and block devices pad with zeroes (gzip's manual). */
static bool gzip_padding(struct gzip *gzip, struct unpack_io *io)
{
    while (gzip->between && io->in_bytes > 0 && *io->in == 0) {
        io->in++;
        io->in_bytes--;
    }
    return gzip->between && io->in_bytes == 0;
}

static enum unpack_result gzip_run(void *state, struct unpack_io *io, const char **why)
{
    struct gzip *gzip = state;
    int status;

    if (gzip_padding(gzip, io))
        return io->last ? UNPACK_OVER : UNPACK_GOES_ON;
    gzip->between = false;
    status = gzip_inflate(&gzip->stream, io);
    if (status == Z_STREAM_END) {
        gzip->between = true;
        inflateReset(&gzip->stream);
    } else if (status == Z_BUF_ERROR && io->last && io->in_bytes == 0 && io->out_bytes > 0) {
        *why = CUT_SHORT;
        return UNPACK_BAD;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
        *why = gzip->stream.msg != NULL ? gzip->stream.msg : "bad data";
        return UNPACK_BAD;
    }
    return UNPACK_GOES_ON;
}

static void gzip_end(void *state)
{
    inflateEnd(&((struct gzip *)state)->stream);
    free(state);
}
#else
#define gzip_begin NULL
#define gzip_run NULL
#define gzip_end NULL
#endif

/* --- zstd: RFC 8878 --- */

#ifdef WITH_ZSTD
#include <zstd.h>

enum { ZSTD_WINDOW_LOG = 27 }; /* UNPACK_MEMORY_BYTES: what zstd -19 and below make, and --ultra */

_Static_assert(UNPACK_MEMORY_BYTES == 1 << ZSTD_WINDOW_LOG, "one bound for all");

struct zstd {
    ZSTD_DStream *stream;
    bool inside; /* a frame */
};

static void zstd_end(void *state)
{
    ZSTD_freeDStream(((struct zstd *)state)->stream);
    free(state);
}

static void *zstd_begin(void)
{
    struct zstd *zstd = calloc(1, sizeof *zstd);

    if (zstd == NULL)
        return NULL;
    zstd->stream = ZSTD_createDStream();
    if (zstd->stream != NULL
        && !ZSTD_isError(ZSTD_DCtx_setParameter(zstd->stream, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG)))
        return zstd;
    zstd_end(zstd);
    return NULL;
}

static enum unpack_result zstd_run(void *state, struct unpack_io *io, const char **why)
{
    struct zstd *zstd = state;
    ZSTD_inBuffer in = {io->in, io->in_bytes, 0};
    ZSTD_outBuffer out = {io->out, io->out_bytes, 0};
    size_t left;

    if (io->in_bytes == 0 && io->last && !zstd->inside)
        return UNPACK_OVER;
    left = ZSTD_decompressStream(zstd->stream, &out, &in);
    io->in += in.pos;
    io->in_bytes -= in.pos;
    io->out += out.pos;
    io->out_bytes -= out.pos;
    if (ZSTD_isError(left)) {
        *why = ZSTD_getErrorName(left);
        return UNPACK_BAD;
    }
    zstd->inside = left != 0;
    if (zstd->inside && io->last && in.pos == 0 && out.pos == 0 && io->out_bytes > 0) {
        *why = CUT_SHORT;
        return UNPACK_BAD;
    }
    return UNPACK_GOES_ON;
}
#else
#define zstd_begin NULL
#define zstd_run NULL
#define zstd_end NULL
#endif

/* --- xz --- */

#ifdef WITH_LZMA
#include <lzma.h>

static void *xz_begin(void)
{
    lzma_stream *stream = calloc(1, sizeof *stream);

    if (stream != NULL && lzma_stream_decoder(stream, UNPACK_MEMORY_BYTES, LZMA_CONCATENATED) == LZMA_OK)
        return stream;
    free(stream);
    return NULL;
}

static const char *xz_text(lzma_ret status)
{
    switch (status) {
    case LZMA_MEM_ERROR: return "no memory";
    case LZMA_MEMLIMIT_ERROR: return "it wants more than 128 MiB of memory";
    case LZMA_OPTIONS_ERROR: return "it uses what this liblzma does not know";
    case LZMA_BUF_ERROR: return CUT_SHORT;
    case LZMA_FORMAT_ERROR: return "something else follows it";
    default: return "bad data";
    }
}

static enum unpack_result xz_run(void *state, struct unpack_io *io, const char **why)
{
    lzma_stream *stream = state;
    lzma_ret status;

    stream->next_in = io->in;
    stream->avail_in = io->in_bytes;
    stream->next_out = io->out;
    stream->avail_out = io->out_bytes;
    status = lzma_code(stream, io->last ? LZMA_FINISH : LZMA_RUN);
    io->in = stream->next_in;
    io->in_bytes = stream->avail_in;
    io->out = stream->next_out;
    io->out_bytes = stream->avail_out;
    if (status == LZMA_OK || (status == LZMA_BUF_ERROR && !io->last))
        return UNPACK_GOES_ON;
    if (status == LZMA_STREAM_END)
        return UNPACK_OVER;
    *why = xz_text(status);
    return UNPACK_BAD;
}

static void xz_end(void *state)
{
    lzma_end(state);
    free(state);
}
#else
#define xz_begin NULL
#define xz_run NULL
#define xz_end NULL
#endif

/* --- Which it is --- */

#define ALL4                                                                                                 \
    {                                                                                                        \
        0xff, 0xff, 0xff, 0xff                                                                               \
    }

static const struct unpack_way ways[] = {
    {"gzip", {0x1f, 0x8b, 8}, {0xff, 0xff, 0xff}, "zlib", gzip_begin, gzip_run, gzip_end},
    {"zstd", {0x28, 0xb5, 0x2f, 0xfd}, ALL4, "libzstd", zstd_begin, zstd_run, zstd_end},
    {"zstd",
     {0x50, 0x2a, 0x4d, 0x18},
     {0xf0, 0xff, 0xff, 0xff},
     "libzstd", /* one to skip */
     zstd_begin,
     zstd_run,
     zstd_end},
    {"xz",
     {0xfd, '7', 'z', 'X', 'Z', 0},
     {0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
     "liblzma",
     xz_begin,
     xz_run,
     xz_end},
    {"bzip2", {'B', 'Z', 'h'}, {0xff, 0xff, 0xff}, NULL, NULL, NULL, NULL},
    {"lz4", {0x04, 0x22, 0x4d, 0x18}, ALL4, NULL, NULL, NULL, NULL},
    {"zip", {'P', 'K', 3, 4}, ALL4, NULL, NULL, NULL, NULL},
};

static bool is_way(const struct unpack_way *way, const uint8_t *magic)
{
    for (unsigned i = 0; i < UNPACK_MAGIC_BYTES; i++)
        if ((magic[i] & way->mask[i]) != way->magic[i])
            return false;
    return true;
}

const struct unpack_way *unpack_find(const uint8_t *magic, size_t bytes)
{
    uint8_t whole[UNPACK_MAGIC_BYTES] = {0};

    memcpy(whole, magic, at_most(bytes, sizeof whole));
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (is_way(&ways[i], whole))
            return &ways[i];
    return NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * egress CAPTURE LOG US: sets the dispersions in a text log of pprec beside the spacing that
 * a capture at the narrow link's egress shows for the same trains. A line a stream:
 * stream, packets per train, bytes per packet, trains compared, trains that agree within 1 %
 * or US microseconds, median and greatest difference in microseconds.
 */
#include "common/wire.h"

#include <math.h>
#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAMS_MAX = 64, TRAINS_MAX = 1024, ETHERNET_BYTES = 14, UDP_BYTES = 8 };

struct stream {
    unsigned id, length, size_bytes;
    int64_t first_ns[TRAINS_MAX], last_ns[TRAINS_MAX]; /* by train; 0: not seen */
    size_t compared, agreed;
    double differences_us[TRAINS_MAX];
};

static struct stream streams[STREAMS_MAX];
static size_t streams_count;
static double allowed_us;

static struct stream *egress_stream_of(unsigned id)
{
    for (size_t i = 0; i < streams_count; i++)
        if (streams[i].id == id)
            return &streams[i];
    if (streams_count == STREAMS_MAX)
        return NULL;
    streams[streams_count].id = id;
    return &streams[streams_count++];
}

/* Where the UDP payload begins; 0 when this is no plain UDP packet. */
static size_t payload_at(const u_char *frame, size_t bytes)
{
    size_t ip = ETHERNET_BYTES, header;

    if (bytes < ip + 20)
        return 0;
    header = frame[ip] >> 4 == 6 ? 40 : (frame[ip] & 0x0fU) * 4U;
    if (frame[ip] >> 4 == 6 ? frame[ip + 6] != 17 : frame[ip + 9] != 17)
        return 0;
    return ip + header + UDP_BYTES;
}

static void egress_note(const struct pcap_pkthdr *record, const u_char *frame)
{
    int64_t ns = record->ts.tv_sec * INT64_C(1000000000) + record->ts.tv_usec;
    size_t at = payload_at(frame, record->caplen);
    struct wire_probe probe;
    struct stream *stream;

    if (at == 0 || at > record->caplen || wire_decode(&probe, frame + at, record->caplen - at) != WIRE_OK
        || probe.train >= TRAINS_MAX || (stream = egress_stream_of(probe.stream)) == NULL)
        return;
    if (probe.position == 0)
        stream->first_ns[probe.train] = ns;
    if (probe.position == (1U << probe.length_log2) - 1)
        stream->last_ns[probe.train] = ns;
}

static int egress_read_capture(const char *path)
{
    char error[PCAP_ERRBUF_SIZE];
    pcap_t *capture = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, error);
    struct pcap_pkthdr *record;
    const u_char *frame;

    if (capture == NULL) {
        fprintf(stderr, "egress: %s\n", error);
        return -1;
    }
    while (pcap_next_ex(capture, &record, &frame) == 1)
        egress_note(record, frame);
    pcap_close(capture);
    return 0;
}

/* A line of the log: counts when it holds a train that both saw whole. */
static void egress_compare(const char *line)
{
    unsigned id, train, size_bytes, sent, received;
    double seen_us, left_us;
    struct stream *stream;

    if (sscanf(line, "%*s %*s %x %u %u %u %u %*u %lf", &id, &train, &size_bytes, &sent, &received, &seen_us)
            != 6
        || sent != received || train >= TRAINS_MAX || (stream = egress_stream_of(id)) == NULL
        || stream->first_ns[train] == 0 || stream->last_ns[train] == 0 || stream->compared == TRAINS_MAX)
        return;
    left_us = (double)(stream->last_ns[train] - stream->first_ns[train]) / 1e3;
    stream->length = sent;
    stream->size_bytes = size_bytes;
    stream->differences_us[stream->compared++] = seen_us - left_us;
    stream->agreed += fabs(seen_us - left_us) <= fmax(allowed_us, left_us / 100);
}

static int read_log(const char *path)
{
    FILE *log = fopen(path, "r");
    char line[2048];

    if (log == NULL) {
        perror(path);
        return -1;
    }
    while (fgets(line, sizeof line, log) != NULL)
        egress_compare(line);
    fclose(log);
    return 0;
}

static int by_amount(const void *a, const void *b)
{
    double left = fabs(*(const double *)a), right = fabs(*(const double *)b);

    return left < right ? -1 : left > right;
}

static void egress_print(struct stream *stream)
{
    size_t count = stream->compared;

    qsort(stream->differences_us, count, sizeof stream->differences_us[0], by_amount);
    printf("%08x %u %u %zu %zu %.2f %.2f\n", stream->id, stream->length, stream->size_bytes, count,
           stream->agreed, count > 0 ? stream->differences_us[count / 2] : 0,
           count > 0 ? stream->differences_us[count - 1] : 0);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: egress CAPTURE LOG US\n");
        return 2;
    }
    allowed_us = atof(argv[3]);
    if (egress_read_capture(argv[1]) < 0 || read_log(argv[2]) < 0)
        return EXIT_FAILURE;
    for (size_t i = 0; i < streams_count; i++)
        egress_print(&streams[i]);
    return EXIT_SUCCESS;
}

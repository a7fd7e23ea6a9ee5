/* SPDX-License-Identifier: BSD-3-Clause */
/* Receivers that do nothing but count: what any receiver with time stamps costs.
 * Socket, stamps and buffers are those of pprec. */
#include "common/receive.h"
#include "tests/bench/bench.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { CONTROL_BYTES = 128, BUFFER_BYTES = 4 << 20 };

/* A blocked reader looks this often whether it is to stop. */
enum { LOOK_US = 100000 };

#define LAZY_NS (4 * STAMP_NS_PER_MS)

struct reader {
    int fd;
    struct mmsghdr messages[RECEIVE_BATCH];
    struct iovec vectors[RECEIVE_BATCH];
    struct sockaddr_in6 sources[RECEIVE_BATCH];
    uint8_t data[RECEIVE_BATCH][RECEIVE_DATA_BYTES];
    _Alignas(struct cmsghdr) char control[RECEIVE_BATCH][CONTROL_BYTES];
    uint64_t received;
    uint64_t calls;
    uint32_t dropped;
};

static volatile sig_atomic_t stopped;

static void receive_stop(int number)
{
    (void)number;
    stopped = 1;
}

static void bench_receive_note_dropped(struct reader *reader, struct msghdr *header)
{
    struct cmsghdr *control;

    for (control = CMSG_FIRSTHDR(header); control; control = CMSG_NXTHDR(header, control))
        if (control->cmsg_level == SOL_SOCKET && control->cmsg_type == SO_RXQ_OVFL)
            memcpy(&reader->dropped, CMSG_DATA(control), sizeof reader->dropped);
}

static int receive_read_batch(struct reader *reader, int flags)
{
    int got;

    for (unsigned i = 0; i < RECEIVE_BATCH; i++) { /* the kernel has written over these */
        reader->messages[i].msg_hdr.msg_namelen = sizeof reader->sources[i];
        reader->messages[i].msg_hdr.msg_controllen = CONTROL_BYTES;
    }
    got = recvmmsg(reader->fd, reader->messages, RECEIVE_BATCH, flags, NULL);
    reader->calls++;
    if (got <= 0)
        return 0;
    reader->received += (unsigned)got;
    bench_receive_note_dropped(reader, &reader->messages[got - 1].msg_hdr);
    return got;
}

/* --- The loops --- */

static void loop_mmsg(struct reader *reader)
{
    while (!stopped)
        receive_read_batch(reader, MSG_WAITFORONE);
}

/* The way of pprec: once something is there let more come, then read it all, and
 * where each packet came from. */
static void loop_lazy(struct reader *reader)
{
    struct pollfd watched = {.fd = reader->fd, .events = POLLIN};
    struct timespec wait = {0, LAZY_NS};

    for (unsigned i = 0; i < RECEIVE_BATCH; i++)
        reader->messages[i].msg_hdr.msg_name = &reader->sources[i];
    while (!stopped) {
        if (poll(&watched, 1, LOOK_US / 1000) <= 0)
            continue;
        nanosleep(&wait, NULL);
        while (receive_read_batch(reader, MSG_DONTWAIT) == RECEIVE_BATCH)
            continue;
    }
}

static void loop_msg(struct reader *reader)
{
    struct msghdr *header = &reader->messages[0].msg_hdr;

    while (!stopped) {
        header->msg_controllen = CONTROL_BYTES;
        reader->calls++;
        if (recvmsg(reader->fd, header, 0) < 0)
            continue;
        reader->received++;
        bench_receive_note_dropped(reader, header);
    }
}

static const char *const loop_names[] = {"recvmmsg", "lazy", "recvmsg", NULL};
static void (*const loops[])(struct reader *reader) = {loop_mmsg, loop_lazy, loop_msg};

/* --- The verb --- */

struct loop_options {
    uint32_t port;
    int loop; /* index into loops */
};

#define AT(field) .offset = offsetof(struct loop_options, field)

static const struct option_row rows[] = {
    {.name = "port",
     .letter = 'p',
     .metavar = "PORT",
     .kind = &option_unsigned,
     AT(port),
     .min = 1,
     .max = 65535,
     .help = "UDP port",
     .required = true},
    {.name = "loop",
     .letter = 'l',
     .metavar = "LOOP",
     .kind = &option_word,
     AT(loop),
     .words = loop_names,
     .help = "how to read"},
    {.kind = NULL},
};

static const struct option_program program = {
    .name = "bench receive",
    .version = "",
    .usage = "-p PORT [-l LOOP]",
    .about = "Receives and counts until SIGTERM.\n",
    .rows = rows,
};

static int open_reader(struct reader *reader, uint16_t port, struct error *error)
{
    struct receive_options options = {
        .port = port, .timestamps = STAMP_SOURCE_KERNEL, .buffer_bytes = BUFFER_BYTES};
    struct timeval look = {0, LOOK_US};
    struct receive_socket sock;

    if (receive_open(&sock, &options, error) < 0)
        return -1;
    fcntl(sock.fd, F_SETFL, 0); /* may block */
    setsockopt(sock.fd, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof look);
    *reader = (struct reader){.fd = sock.fd};
    for (unsigned i = 0; i < RECEIVE_BATCH; i++) {
        reader->vectors[i] = (struct iovec){reader->data[i], RECEIVE_DATA_BYTES};
        reader->messages[i].msg_hdr = (struct msghdr){
            .msg_iov = &reader->vectors[i],
            .msg_iovlen = 1,
            .msg_control = reader->control[i],
        };
    }
    return 0;
}

int bench_receive(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = receive_stop};
    struct loop_options options = {0};
    static struct reader reader; /* too large for some stacks */
    struct error error = {""};
    int status;

    if (!bench_options(&program, argc, argv, &options, &status))
        return status;
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    if (open_reader(&reader, (uint16_t)options.port, &error) < 0)
        return bench_refuse(error.text);
    loops[options.loop](&reader);
    printf("{\"received\":%" PRIu64 ",\"dropped\":%" PRIu32 ",\"calls\":%" PRIu64 "}\n", reader.received,
           reader.dropped, reader.calls);
    close(reader.fd);
    return EXIT_SUCCESS;
}

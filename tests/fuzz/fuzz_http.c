/* SPDX-License-Identifier: BSD-3-Clause */
/* What a client may send to --metrics, over a socket of this process alone. Input:
 *
 *   u8 low two bits: further streams that have the same trains; 0x0c: in pieces of how many
 *      bytes; 0x10: the client has no more to say, and shows it; 0x20: it goes without reading;
 *      0x40: another asks the same at once
 *   u8 which filter
 *   u8 quarters of the bytes of trains, as in trains.h, that the page is about, which follow
 *   then what is sent
 *
 * Each client gets nothing or one whole answer, and while it is still there another one asks
 * for the page, and gets it.
 */
#include "common/stamp.h"
#include "pprec/cmd/server.h"
#include "tests/fuzz/answer.h"
#include "tests/fuzz/figures.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/trains.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { HEAD_BYTES = 3, ANSWER_MOST_BYTES = 1 << 20, TURNS_MOST = 10000, TURNS_IDLE = 8 };

enum { MORE_STREAMS = 0x03, PIECES = 0x0c, NO_MORE = 0x10, GOES = 0x20, TWICE = 0x40 };

static const size_t pieces[] = {SIZE_MAX, 1, 7, 100};

/* One server for all inputs, as for all clients; what it tells of is new each time. */
static struct {
    struct event_base *base;
    struct sockaddr_un where;
    socklen_t where_bytes;
    struct tally tally;
    struct metrics metrics;
    struct pprec *pprec;
} served;

static const struct format_run about = {
    .layer = "l2", .filter = "any", .timestamps = "kernel", .memory_bytes = 64 << 20};

static void http_require(bool so, const char *what)
{
    if (so)
        return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

static void turn(void)
{
    http_require(event_base_loop(served.base, EVLOOP_NONBLOCK) >= 0, "the loop");
}

/* --- Server --- */

/* A name in no directory, which the kernel chooses. */
static int listen_here(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    served.where = (struct sockaddr_un){.sun_family = AF_UNIX};
    served.where_bytes = sizeof served.where;
    http_require(fd >= 0 && bind(fd, (struct sockaddr *)&served.where, sizeof served.where.sun_family) == 0
                     && listen(fd, 16) == 0
                     && getsockname(fd, (struct sockaddr *)&served.where, &served.where_bytes) == 0,
                 "no socket");
    return fd;
}

static void serve_once(void)
{
    if (served.base != NULL)
        return;
    signal(SIGPIPE, SIG_IGN); /* as the program does */
    served.base = event_base_new();
    http_require(served.base != NULL && server_start(served.base, listen_here(), &served.metrics) != NULL,
                 "no server");
}

/* --- What it tells of --- */

static void http_on_train(void *user, const struct pprec_train *train)
{
    figures_of_train(user, train);
    tally_train(&served.tally, train, stamp_now_ns(CLOCK_MONOTONIC));
}

struct streams {
    struct pprec *pprec;
    uint32_t more;
};

static void push_to_each(void *to, const struct pprec_arrival *given)
{
    const struct streams *streams = to;
    struct pprec_arrival arrival = *given;

    for (uint32_t i = 0; i <= streams->more; i++) {
        arrival.stream = i;
        arrival.source.ip = i % 2 == 0 ? 4 : 6;
        pprec_push(streams->pprec, &arrival);
    }
}

static struct pprec *http_make_handle(unsigned filter)
{
    struct pprec_config config;
    struct pprec *pprec;

    pprec_config_init(&config);
    config.filter = pprec_filter_name(filter % figures_filters());
    config.on_train = http_on_train;
    http_require(pprec_new(&pprec, &config) == PPREC_OK, "no handle");
    return pprec;
}

static size_t http_measure(const uint8_t *head, size_t bytes)
{
    struct streams streams = {.more = head[0] & MORE_STREAMS};
    size_t of_trains = 4 * (size_t)head[2];

    of_trains = of_trains < bytes - HEAD_BYTES ? of_trains : bytes - HEAD_BYTES;
    served.tally = (struct tally){.count = 0};
    served.pprec = streams.pprec = http_make_handle(head[1]);
    served.metrics =
        (struct metrics){.pprec = streams.pprec, .tally = &served.tally, .run = &about, .started_s = 1.7e9};
    trains_run(head + HEAD_BYTES, of_trains, push_to_each, &streams);
    return HEAD_BYTES + of_trains;
}

/* --- Clients --- */

struct client {
    int fd;
    bool ended; /* by the server */
    size_t bytes;
    char *answer; /* ANSWER_MOST_BYTES */
};

static char answers[3][ANSWER_MOST_BYTES];

static void come(struct client *client, char *room)
{
    *client = (struct client){.answer = room};
    client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    http_require(client->fd >= 0
                     && connect(client->fd, (struct sockaddr *)&served.where, served.where_bytes) == 0,
                 "not let in");
    turn();
}

/* Whether anything came. */
static bool http_take(struct client *client)
{
    ssize_t got = recv(client->fd, client->answer + client->bytes, ANSWER_MOST_BYTES - 1 - client->bytes, 0);

    if (got > 0)
        client->bytes += (size_t)got;
    else if (got == 0)
        client->ended = true;
    http_require(client->bytes < ANSWER_MOST_BYTES - 1, "more than any page");
    return got > 0;
}

/* Until the server has closed, or has nothing more to say. */
static void hear(struct client *client)
{
    int idle = 0;

    for (int i = 0; i < TURNS_MOST && idle < TURNS_IDLE && !client->ended; i++) {
        turn();
        idle = http_take(client) ? 0 : idle + 1;
    }
    client->answer[client->bytes] = '\0';
}

static void send_piece(struct client *client, const char *data, size_t bytes)
{
    while (bytes > 0 && !client->ended) {
        ssize_t sent = send(client->fd, data, bytes, MSG_NOSIGNAL);

        if (sent < 0 && errno != EAGAIN)
            return;
        data += sent > 0 ? sent : 0;
        bytes -= sent > 0 ? (size_t)sent : 0;
        turn();
    }
}

static void go(struct client *client)
{
    close(client->fd);
    turn();
}

/* --- Requests --- */

static void ask_well(struct client *client)
{
    static const char request[] = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

    come(client, answers[2]);
    send_piece(client, request, sizeof request - 1);
    hear(client);
    http_require(client->ended && answer_check(client->answer, client->bytes, 0) == 200, "no page");
    go(client);
}

static void http_check(struct client *client, const uint8_t *head, const char *sent, size_t bytes)
{
    hear(client);
    http_require(client->ended || !(head[0] & NO_MORE), "still waited for");
    if (client->ended)
        answer_check(client->answer, client->bytes, memmem(sent, bytes, "HEAD ", 5) != NULL);
}

static void http_ask(const uint8_t *head, const char *data, size_t bytes)
{
    struct client clients[2], good;
    size_t count = head[0] & TWICE ? 2 : 1;
    size_t piece = pieces[(head[0] & PIECES) >> 2];

    for (size_t i = 0; i < count; i++)
        come(&clients[i], answers[i]);
    for (size_t at = 0; at < bytes; at += piece < bytes - at ? piece : bytes - at)
        for (size_t i = 0; i < count; i++)
            send_piece(&clients[i], data + at, piece < bytes - at ? piece : bytes - at);
    for (size_t i = 0; i < count && head[0] & NO_MORE; i++)
        shutdown(clients[i].fd, SHUT_WR);
    ask_well(&good);
    for (size_t i = 0; i < count; i++) {
        if (!(head[0] & GOES))
            http_check(&clients[i], head, data, bytes);
        go(&clients[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    size_t at;

    if (bytes < HEAD_BYTES)
        return 0;
    serve_once();
    at = http_measure(data, bytes);
    http_ask(data, (const char *)data + at, bytes - at);
    pprec_free(served.pprec);
    return 0;
}

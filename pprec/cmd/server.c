/* SPDX-License-Identifier: BSD-3-Clause */
#include "server.h"

#include "common/address.h"
#include "common/stamp.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each may hold a whole page that its client does not read. Further ones wait in the
 * kernel. */
enum { CONNECTIONS_MAX = 8, BACKLOG = 16, REQUEST_MAX_BYTES = 8192 };

/* As long as Prometheus waits by default; when others wait, only as long as any
 * client needs that really reads. */
#define PATIENCE_NS (10 * STAMP_NS_PER_S)
#define PATIENCE_FULL_NS STAMP_NS_PER_S

static const struct timeval look = {0, 250000};

struct connection {
    struct bufferevent *stream;
    int64_t since_ns; /* CLOCK_MONOTONIC */
};

/* libevent 2.1's HTTP server does not tell how many connections it has, nor gives
 * them a deadline. So we make their bufferevents, and keep a reference to each until
 * the server has let go of it, which shows in its callbacks being gone. */
struct server {
    struct event_base *base;
    struct evhttp *http;
    struct evconnlistener *listener;
    struct event *looks;
    const struct metrics *metrics;
    struct connection connections[CONNECTIONS_MAX];
    unsigned count;
};

/* --- Connections --- */

static bool server_let_go(const struct connection *connection)
{
    bufferevent_event_cb on_event;

    bufferevent_getcb(connection->stream, NULL, NULL, &on_event, NULL);
    return on_event == NULL;
}

static void forget_the_closed(struct server *server)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < server->count; i++) {
        if (server_let_go(&server->connections[i]))
            bufferevent_decref(server->connections[i].stream);
        else
            server->connections[kept++] = server->connections[i];
    }
    server->count = kept;
}

/* The server sees the end of the connection, and lets go of it. */
static void end_the_old(struct server *server, int64_t now_ns)
{
    int64_t patience_ns = server->count == CONNECTIONS_MAX ? PATIENCE_FULL_NS : PATIENCE_NS;

    for (unsigned i = 0; i < server->count; i++)
        if (now_ns - server->connections[i].since_ns >= patience_ns)
            shutdown(bufferevent_getfd(server->connections[i].stream), SHUT_RDWR);
}

static void look_after(evutil_socket_t fd, short what, void *data)
{
    struct server *server = data;

    (void)fd;
    (void)what;
    forget_the_closed(server);
    end_the_old(server, stamp_now_ns(CLOCK_MONOTONIC));
    if (server->count < CONNECTIONS_MAX)
        evconnlistener_enable(server->listener);
}

/* The HTTP server has accepted a connection. */
static struct bufferevent *make_stream(struct event_base *base, void *data)
{
    struct server *server = data;
    struct bufferevent *stream = bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);

    forget_the_closed(server);
    if (stream == NULL)
        return NULL;
    bufferevent_incref(stream);
    server->connections[server->count++] = (struct connection){stream, stamp_now_ns(CLOCK_MONOTONIC)};
    if (server->count == CONNECTIONS_MAX)
        evconnlistener_disable(server->listener);
    return stream;
}

/* Too many open files, say: the next look tries again. */
static void server_refused(struct evconnlistener *listener, void *data)
{
    (void)data;
    evconnlistener_disable(listener);
}

/* --- Requests --- */

/* One request a connection: those that stay open would keep others out. */
static void answer(struct evhttp_request *request, int status, const char *reason, const char *type,
                   struct evbuffer *body)
{
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
    bool head = evhttp_request_get_command(request) == EVHTTP_REQ_HEAD;
    char length[24];

    snprintf(length, sizeof length, "%zu", evbuffer_get_length(body));
    evhttp_add_header(headers, "Content-Type", type);
    evhttp_add_header(headers, "Content-Length", length);
    evhttp_add_header(headers, "Connection", "close");
    evhttp_send_reply(request, status, reason, head ? NULL : body);
}

static void answer_with(struct evhttp_request *request, int status, const char *reason, const char *type,
                        const char *text)
{
    struct evbuffer *body = evbuffer_new();

    if (body == NULL) {
        evhttp_send_error(request, 503, NULL);
        return;
    }
    evbuffer_add_printf(body, "%s\n", text);
    answer(request, status, reason, type, body);
    evbuffer_free(body);
}

static void answer_text(struct evhttp_request *request, int status, const char *reason)
{
    answer_with(request, status, reason, "text/plain; charset=utf-8", reason);
}

static bool only_reads(struct evhttp_request *request)
{
    if (evhttp_request_get_command(request) & (EVHTTP_REQ_GET | EVHTTP_REQ_HEAD))
        return true;
    evhttp_add_header(evhttp_request_get_output_headers(request), "Allow", "GET, HEAD");
    answer_text(request, 405, "Method Not Allowed");
    return false;
}

static void on_metrics(struct evhttp_request *request, void *data)
{
    const struct server *server = data;
    struct evbuffer *page;

    if (!only_reads(request))
        return;
    page = evbuffer_new();
    if (page == NULL) {
        evhttp_send_error(request, 503, NULL);
        return;
    }
    metrics_write(server->metrics, page, stamp_now_ns(CLOCK_MONOTONIC));
    answer(request, 200, "OK", "text/plain; version=0.0.4; charset=utf-8", page);
    evbuffer_free(page);
}

/* The loop runs, or nobody would answer; it ends when the source cannot be read. */
static void on_health(struct evhttp_request *request, void *data)
{
    (void)data;
    if (only_reads(request))
        answer_text(request, 200, "OK");
}

/* For whoever opens the address in a browser. */
static void on_root(struct evhttp_request *request, void *data)
{
    (void)data;
    if (only_reads(request))
        answer_with(request, 200, "OK", "text/html; charset=utf-8",
                    "<!DOCTYPE html>\n<html lang=\"en\"><title>pprec</title>\n"
                    "<p><a href=\"/metrics\">/metrics</a>: figures, for Prometheus</p>\n"
                    "<p><a href=\"/healthz\">/healthz</a>: whether it runs</p>\n</html>");
}

static void on_other(struct evhttp_request *request, void *data)
{
    (void)data;
    if (only_reads(request))
        answer_text(request, 404, "Not Found");
}

/* --- Beginning and end --- */

int server_listen(const char *where, struct error *error)
{
    struct address address;
    struct error why;
    char host[ADDRESS_HOST_BYTES];
    uint16_t port;
    int on = 1;
    int fd;

    if (address_split(where, host, &port) < 0)
        return error_set(error,
                         "--metrics '%.80s': want ADDRESS:PORT, such as 127.0.0.1:9740 or [::1]:9740 "
                         "(0.0.0.0 and [::] are all addresses of this host), and a PORT from 1 to 65535",
                         where);
    if (address_resolve(&address, host, port, AF_UNSPEC, &why) < 0)
        return error_set(error, "--metrics: %s", why.text);
    fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0
        && bind(fd, &address.any, address.bytes) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    error_set(error, "--metrics %.80s: %s", where, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool server_set_up(struct server *server, int socket)
{
    server->http = evhttp_new(server->base);
    server->looks = event_new(server->base, -1, EV_PERSIST, look_after, server);
    server->listener = evconnlistener_new(server->base, NULL, NULL,
                                          LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, 0, socket);
    if (server->listener == NULL)
        close(socket);
    if (server->listener == NULL || server->http == NULL || server->looks == NULL
        || evhttp_bind_listener(server->http, server->listener) == NULL)
        return false;
    evconnlistener_set_error_cb(server->listener, server_refused);
    evhttp_set_bevcb(server->http, make_stream, server);
    evhttp_set_max_headers_size(server->http, REQUEST_MAX_BYTES);
    evhttp_set_max_body_size(server->http, REQUEST_MAX_BYTES);
    evhttp_set_gencb(server->http, on_other, NULL);
    return evhttp_set_cb(server->http, "/", on_root, NULL) == 0
        && evhttp_set_cb(server->http, "/metrics", on_metrics, server) == 0
        && evhttp_set_cb(server->http, "/healthz", on_health, NULL) == 0
        && event_add(server->looks, &look) == 0;
}

struct server *server_start(struct event_base *base, int socket, const struct metrics *metrics)
{
    struct server *server = calloc(1, sizeof *server);

    if (server == NULL) {
        close(socket);
        return NULL;
    }
    server->base = base;
    server->metrics = metrics;
    if (server_set_up(server, socket))
        return server;
    server_stop(server);
    return NULL;
}

void server_stop(struct server *server)
{
    if (server == NULL)
        return;
    if (server->http != NULL)
        evhttp_free(server->http); /* and with it the connections and the listener */
    forget_the_closed(server);
    if (server->looks != NULL)
        event_free(server->looks);
    free(server);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The capacity of the path that SRT comes by, from inside a program that knows nothing of it:
 *
 *     LD_PRELOAD=$PWD/srt_preload.so srt-live-transmit srt://:5000?mode=listener file://con
 *
 * It stands between the program and recvmsg(), asks the kernel for time stamps, and pushes the
 * header of every datagram. A line a second goes to the file PPREC_OUT, or to standard error. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "endpoint.h"

#include <dlfcn.h>
#include <pprec/pprec.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { SECOND_MS = 1000, HEAD_BYTES = 64, CONTROL_BYTES = 512 };

/* Whoever is preloaded has nowhere else to keep it. SRT reads each port in a thread of its own. */
static struct {
    pthread_mutex_t lock;
    struct pprec *pprec;
    FILE *out;
    ssize_t (*recvmsg)(int fd, struct msghdr *message, int flags);
    int (*bind)(int fd, const struct sockaddr *address, socklen_t bytes);
} its = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void srt_preload_show(void *user, const struct pprec_congestion *congestion)
{
    const struct pprec_capacity *capacity = &congestion->capacity;
    const char *why = pprec_why_text(capacity->why);

    (void)user;
    fprintf(its.out, "%.3f Mbit/s %s, %u lost%s%s\n", capacity->capacity_bps / 1e6,
            pprec_state_name(capacity->state), (unsigned)congestion->lost, why != NULL ? ": " : "",
            why != NULL ? why : "");
    fflush(its.out);
}

__attribute__((constructor)) static void srt_preload_begin(void)
{
    const char *path = getenv("PPREC_OUT"), *layer = getenv("PPREC_LAYER");
    struct pprec_config config;

    *(void **)&its.recvmsg = dlsym(RTLD_NEXT, "recvmsg");
    *(void **)&its.bind = dlsym(RTLD_NEXT, "bind");
    its.out = path != NULL ? fopen(path, "a") : stderr;
    if (its.out == NULL)
        its.out = stderr;
    pprec_config_init(&config);
    config.on_congestion = srt_preload_show;
    config.congestion_interval_ms = SECOND_MS;
    if (layer != NULL)
        config.layer = layer;
    if (pprec_new(&its.pprec, &config) < 0)
        fprintf(its.out, "srt_preload: %s\n", its.pprec != NULL ? pprec_error(its.pprec) : "memory");
}

/* The kernel must be asked before the first packet. */
int bind(int fd, const struct sockaddr *address, socklen_t bytes)
{
    int type = 0;
    socklen_t room = sizeof type;

    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &room) == 0 && type == SOCK_DGRAM)
        pprec_stamp_enable(fd);
    return its.bind(fd, address, bytes);
}

/* --- A datagram --- */

/* SRT reads header and payload into two places. */
static size_t srt_preload_gather(uint8_t *head, const struct msghdr *message, size_t bytes)
{
    size_t have = 0;

    for (size_t i = 0; i < message->msg_iovlen && have < bytes && have < HEAD_BYTES; i++) {
        const struct iovec *piece = &message->msg_iov[i];
        size_t more = piece->iov_len;

        if (more > bytes - have)
            more = bytes - have;
        if (more > HEAD_BYTES - have)
            more = HEAD_BYTES - have;
        memcpy(head + have, piece->iov_base, more);
        have += more;
    }
    return have;
}

static void srt_preload_push(const struct msghdr *message, size_t bytes)
{
    struct pprec_endpoint source = endpoint_of(message->msg_name, message->msg_namelen);
    uint8_t head[HEAD_BYTES];
    size_t have = srt_preload_gather(head, message, bytes);

    if (source.ip == 0)
        return;
    pthread_mutex_lock(&its.lock);
    pprec_push_srt(its.pprec, &source, head, have, bytes, pprec_stamp_of(message));
    pthread_mutex_unlock(&its.lock);
}

/* What the program wanted to be told, less what only we have asked for. */
static void srt_preload_hand_on(struct msghdr *to, struct msghdr *from)
{
    char *room = to->msg_control;
    size_t used = 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(from); c != NULL; c = CMSG_NXTHDR(from, c)) {
        size_t bytes = CMSG_ALIGN(c->cmsg_len);

        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS)
            continue;
        if (bytes > to->msg_controllen - used) {
            to->msg_flags |= MSG_CTRUNC;
            break;
        }
        memcpy(room + used, c, c->cmsg_len);
        used += bytes;
    }
    to->msg_controllen = used;
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    union { /* aligned */
        struct cmsghdr first;
        char room[CONTROL_BYTES];
    } control;
    struct msghdr own = *message;
    ssize_t bytes;

    own.msg_control = &control;
    own.msg_controllen = sizeof control;
    bytes = its.recvmsg(fd, &own, flags);
    if (bytes < 0)
        return bytes;
    if (its.pprec != NULL && !(flags & MSG_PEEK))
        srt_preload_push(&own, (size_t)bytes);
    message->msg_namelen = own.msg_namelen;
    message->msg_flags = own.msg_flags;
    srt_preload_hand_on(message, &own);
    return bytes;
}

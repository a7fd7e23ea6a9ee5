/* SPDX-License-Identifier: BSD-3-Clause */
/* copy PORT TO-PORT...: sends a copy of each datagram that comes to PORT of this host (IPv4) to
 * 127.0.0.1, to every one of the other ports; and on SIGUSR1 all of them once more. Somebody who
 * sees packets and plays them back, or a translator of addresses. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { DATAGRAMS_MAX = 4096, BYTES_MAX = 2048 };

static struct {
    size_t bytes;
    uint8_t data[BYTES_MAX];
} seen[DATAGRAMS_MAX];

static size_t count;
static volatile sig_atomic_t again;

static void copy_on_signal(int number)
{
    (void)number;
    again = 1;
}

static struct sockaddr_in copy_place(const char *port, uint32_t address)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)), .sin_addr.s_addr = htonl(address)};
}

static void send_on(int fd, size_t which, char **ports)
{
    for (; *ports != NULL; ports++) {
        struct sockaddr_in to = copy_place(*ports, INADDR_LOOPBACK);

        sendto(fd, seen[which].data, seen[which].bytes, 0, (struct sockaddr *)&to, sizeof to);
    }
}

/* Until nothing more can come. */
static void copy_run(int fd, char **ports)
{
    for (;;) {
        ssize_t got = recv(fd, seen[count].data, BYTES_MAX, 0);

        if (got < 0 && errno != EINTR)
            return;
        if (got >= 0) {
            seen[count].bytes = (size_t)got;
            send_on(fd, count, ports);
            count += count < DATAGRAMS_MAX - 1;
        }
        for (size_t i = 0; again && i < count; i++)
            send_on(fd, i, ports);
        again = 0;
    }
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = copy_on_signal};
    struct sockaddr_in own;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    if (argc < 3) {
        fputs("usage: copy PORT TO-PORT...\n", stderr);
        return 2;
    }
    own = copy_place(argv[1], INADDR_ANY);
    sigaction(SIGUSR1, &action, NULL);
    if (fd < 0 || bind(fd, (struct sockaddr *)&own, sizeof own) != 0) {
        perror("copy");
        return 1;
    }
    copy_run(fd, argv + 2);
    perror("copy");
    return 1;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether pprec_stamp_of() finds the kernel's stamp in what this C library's recvmsg() gives: a
 * datagram to itself. Prints who stamped it. */
#include <pprec/core.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

int main(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t here_bytes = sizeof here;
    _Alignas(struct cmsghdr) char control[256];
    char data[8];
    struct iovec part = {data, sizeof data};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&here, sizeof here) < 0
        || getsockname(fd, (struct sockaddr *)&here, &here_bytes) < 0 || pprec_stamp_enable(fd) != PPREC_OK
        || sendto(fd, "to me", 5, 0, (struct sockaddr *)&here, sizeof here) != 5
        || recvmsg(fd, &message, 0) != 5)
        return 1;
    puts(pprec_timestamps_name((enum pprec_timestamps)pprec_stamp_of(&message).source));
    return 0;
}

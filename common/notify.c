/* SPDX-License-Identifier: BSD-3-Clause */
#include "notify.h"

#include "stamp.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

bool notify_wanted(void)
{
    return getenv("NOTIFY_SOCKET") != NULL;
}

/* A path, or @ and a name in the abstract namespace. 0: neither. */
static socklen_t notify_read_address(struct sockaddr_un *address)
{
    const char *path = getenv("NOTIFY_SOCKET");
    size_t bytes = path != NULL ? strlen(path) : 0;

    if (bytes < 2 || bytes >= sizeof address->sun_path || (path[0] != '/' && path[0] != '@'))
        return 0;
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(address->sun_path, path, bytes);
    if (path[0] == '@')
        address->sun_path[0] = '\0';
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + bytes);
}

/* A new socket each time: messages are rare, and the manager may have been started anew. */
void notify_send(const char *format, ...)
{
    struct sockaddr_un address;
    socklen_t bytes = notify_read_address(&address);
    char text[512];
    va_list arguments;
    int fd;

    if (bytes == 0)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    sendto(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&address, bytes);
    close(fd);
}

/* sd_watchdog_enabled(3): in us, and meant for one process only. */
int64_t notify_watchdog_ns(void)
{
    const char *granted = getenv("WATCHDOG_USEC"), *whose = getenv("WATCHDOG_PID");
    long long us = granted != NULL ? atoll(granted) : 0;

    if (us <= 0 || us > INT64_MAX / STAMP_NS_PER_US || (whose != NULL && atoll(whose) != (long long)getpid()))
        return 0;
    return us * STAMP_NS_PER_US / 2;
}

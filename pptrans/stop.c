/* SPDX-License-Identifier: BSD-3-Clause */
#include "stop.h"

#include <stddef.h>

static volatile sig_atomic_t stopped;

static void stop_stop(int number)
{
    (void)number;
    stopped = 1;
}

void stop_catch(sigset_t *waiting)
{
    struct sigaction action = {.sa_handler = stop_stop};
    sigset_t blocked;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, waiting);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigdelset(waiting, SIGINT);
    sigdelset(waiting, SIGTERM);
}

bool stop_asked(void)
{
    sigset_t pending;

    if (stopped || sigpending(&pending) != 0)
        return stopped;
    return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM);
}

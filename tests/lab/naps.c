/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * naps LATE_US: the control of tests about single waits, in which no program under test has a part. Until it is
 * ended it waits for deadlines 2 ms apart, and asks to be woken on time as pptrans does. Then a line: naps,
 * and how many of them ended over LATE_US late.
 */
#include "common/stamp.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#define APART_NS INT64_C(2000000)

static volatile sig_atomic_t is_ended;

static void end(int signal)
{
    (void)signal;
    is_ended = 1;
}

static int64_t late_ns(int64_t due_ns)
{
    struct timespec due = {due_ns / 1000000000, due_ns % 1000000000};

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    return stamp_now_ns(CLOCK_MONOTONIC) - due_ns;
}

int main(int argc, char **argv)
{
    int64_t most_ns = argc == 2 ? 1000 * strtoll(argv[1], NULL, 10) : 0, due_ns;
    unsigned naps = 0, late = 0;

    if (most_ns <= 0) {
        fputs("naps LATE_US\n", stderr);
        return 2;
    }
    signal(SIGTERM, end);
    prctl(PR_SET_TIMERSLACK, 1UL);
    due_ns = stamp_now_ns(CLOCK_MONOTONIC);
    while (!is_ended) {
        int64_t nap_late_ns = late_ns(due_ns += APART_NS);

        naps++;
        late += nap_late_ns > most_ns;
        due_ns += nap_late_ns / APART_NS * APART_NS; /* those that it slept through are no naps */
    }
    printf("%u %u\n", naps, late);
    return 0;
}

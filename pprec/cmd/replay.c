/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay.h"

#include "common/stamp.h"
#include "pprec/cmd/capture_time.h"
#include "pprec/cmd/progress.h"

#include <signal.h>

/* Between two looks at signals and -c. */
enum { PACKETS_A_TURN = 4096 };

static volatile sig_atomic_t stopped;

static void replay_on_signal(int number)
{
    (void)number;
    stopped = 1;
}

/* Not restarted: a signal must end a read that waits for standard input. */
void replay_obey_signals(void)
{
    struct sigaction action = {.sa_handler = replay_on_signal};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool replay_stopped(void)
{
    return stopped != 0;
}

static void replay_show(struct pprec *pprec, struct report *report, struct progress *progress)
{
    int64_t now_ns;

    if (progress->files == NULL)
        return;
    now_ns = stamp_now_ns(CLOCK_MONOTONIC);
    if (report->live != NULL)
        live_show(report->live, pprec, progress_share(progress, pprec), now_ns);
    else
        progress_show(progress, pprec, now_ns);
}

int replay_run(struct pprec *pprec, struct report *report, const struct options *options,
               const char *const *names, struct error *error)
{
    struct capture_time time;
    struct progress progress = {.files = NULL};
    bool each; /* packet is looked at: exactly so many trains, so much time */
    int status = 0;
    int got;

    capture_time_init(&time, options);
    each = report->trains_max != 0 || capture_time_matters(&time);
    replay_obey_signals();
    if (names != NULL)
        progress_begin(&progress, names, options->quiet, stamp_now_ns(CLOCK_MONOTONIC));
    do {
        got = pprec_dispatch(pprec, each ? 1 : PACKETS_A_TURN);
        if (got < 0) {
            progress_clear(&progress);
            report_say(report, error->text);
            error_set(error, "%s", pprec_error(pprec));
            status = REPLAY_DAMAGED;
        }
        replay_show(pprec, report, &progress);
    } while (got != 0 && got != PPREC_EIO && !stopped && !report_full(report)
             && (!each || capture_time_passes(&time, pprec, report)));
    progress_clear(&progress);
    capture_time_fini(&time);
    report->hurried = report->hurried || stopped;
    return status;
}

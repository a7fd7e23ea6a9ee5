/* SPDX-License-Identifier: BSD-3-Clause */
#include "jobs.h"

#include "common/stamp.h"
#include "pprec/cmd/handle.h"
#include "pprec/cmd/progress.h"
#include "pprec/cmd/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOOK_MS = 200 };

struct jobs {
    const struct options *options;
    const char *const *names;
    struct report *report;
    struct sheets sheets;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool started, given_up, damaged;
    unsigned threads, running;
    size_t done;
    size_t outcomes[OUTCOME_NOTHING + 1];
    pthread_t thread[];
};

/* --- One job --- */

static enum outcome jobs_measure(struct jobs *jobs, struct pprec *pprec, const char *name,
                                 struct report *report, bool *damaged, struct error *error)
{
    const char *files[] = {name, NULL};

    *damaged = handle_open_capture(pprec, jobs->options, files, error) < 0;
    if (*damaged)
        return OUTCOME_UNUSABLE;
    *damaged = replay_run(pprec, report, jobs->options, NULL, error) == REPLAY_DAMAGED;
    finish(pprec, jobs->options, report);
    return finish_outcome(pprec, jobs->options, report, *damaged);
}

static enum outcome cmd_jobs_run(struct jobs *jobs, struct sheet *sheet, bool *damaged)
{
    const char *name = jobs->names[sheet->index];
    enum outcome outcome = OUTCOME_UNUSABLE;
    struct error error = {.text = ""};
    struct pprec *pprec = NULL;
    struct report report;

    report_open_job(&report, jobs->report, sheet, name);
    if (handle_make(&pprec, jobs->options, &report, &error) == 0) {
        report.run.pprec = pprec;
        outcome = jobs_measure(jobs, pprec, name, &report, damaged, &error);
    }
    report_say(&report, error.text);
    report_close(&report);
    pprec_free(pprec);
    return outcome;
}

static void jobs_note(struct jobs *jobs, enum outcome outcome, bool damaged)
{
    pthread_mutex_lock(&jobs->lock);
    jobs->outcomes[outcome]++;
    jobs->damaged = jobs->damaged || damaged;
    jobs->done++;
    pthread_mutex_unlock(&jobs->lock);
}

static bool wait_for_start(struct jobs *jobs)
{
    bool goes_on;

    pthread_mutex_lock(&jobs->lock);
    while (!jobs->started && !jobs->given_up)
        pthread_cond_wait(&jobs->changed, &jobs->lock);
    goes_on = !jobs->given_up;
    pthread_mutex_unlock(&jobs->lock);
    return goes_on;
}

static void *jobs_work(void *user)
{
    struct jobs *jobs = user;
    bool goes_on = wait_for_start(jobs);
    struct sheet *sheet;

    while (goes_on && !replay_stopped() && (sheet = sheets_begin(&jobs->sheets)) != NULL) {
        bool damaged = true;
        enum outcome outcome = cmd_jobs_run(jobs, sheet, &damaged);

        jobs_note(jobs, outcome, damaged);
        sheet_end(sheet);
    }
    pthread_mutex_lock(&jobs->lock);
    jobs->running--;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
    return NULL;
}

/* --- All --- */

static void jobs_print(void *user, enum sheet_kind kind, const char *text, size_t bytes)
{
    report_put_text(user, kind, text, bytes);
}

static int jobs_init(struct jobs *jobs, size_t count)
{
    if (sheets_init(&jobs->sheets, count, jobs_print, jobs->report) < 0)
        return -1;
    if (pthread_mutex_init(&jobs->lock, NULL) == 0) {
        if (pthread_cond_init(&jobs->changed, NULL) == 0)
            return 0;
        pthread_mutex_destroy(&jobs->lock);
    }
    sheets_fini(&jobs->sheets);
    return -1;
}

static void jobs_give_up(struct jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    jobs->given_up = true;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
}

struct jobs *jobs_new(const struct options *options, const char *const *names, size_t count,
                      struct report *report, struct error *error)
{
    unsigned wanted = options->jobs < count ? options->jobs : (unsigned)count;
    struct jobs *jobs = calloc(1, sizeof *jobs + wanted * sizeof jobs->thread[0]);
    int status = 0;

    if (jobs == NULL
        || (*jobs = (struct jobs){.options = options, .names = names, .report = report},
            jobs_init(jobs, count))
            < 0) {
        free(jobs);
        error_set(error, "--jobs %u: no memory", options->jobs);
        return NULL;
    }
    for (; jobs->threads < wanted && status == 0; jobs->threads += status == 0) {
        jobs->running++; /* before it may count itself out */
        status = pthread_create(&jobs->thread[jobs->threads], NULL, jobs_work, jobs);
    }
    if (status == 0)
        return jobs;
    jobs->running--;
    error_set(error, "--jobs %u: %s", options->jobs, strerror(status));
    jobs_free(jobs);
    return NULL;
}

/* Until all threads are through. Signals come here as well as there. */
static void watch(struct jobs *jobs)
{
    struct progress progress;

    progress_begin(&progress, jobs->names, jobs->options->quiet, stamp_now_ns(CLOCK_MONOTONIC));
    pthread_mutex_lock(&jobs->lock);
    jobs->started = true;
    pthread_cond_broadcast(&jobs->changed);
    while (jobs->running > 0) {
        int64_t until_ns = stamp_now_ns(CLOCK_REALTIME) + LOOK_MS * STAMP_NS_PER_MS;
        struct timespec until = {.tv_sec = (time_t)(until_ns / STAMP_NS_PER_S),
                                 .tv_nsec = (long)(until_ns % STAMP_NS_PER_S)};

        pthread_cond_timedwait(&jobs->changed, &jobs->lock, &until);
        progress_show_files(&progress, jobs->done, jobs->sheets.count, stamp_now_ns(CLOCK_MONOTONIC));
        if (replay_stopped())
            sheets_stop(&jobs->sheets);
    }
    pthread_mutex_unlock(&jobs->lock);
    progress_clear(&progress);
}

static enum outcome outcome_of(const struct jobs *jobs)
{
    const size_t *count = jobs->outcomes;

    if (count[OUTCOME_UNUSABLE] > 0 && count[OUTCOME_UNUSABLE] == jobs->done)
        return OUTCOME_UNUSABLE;
    if (replay_stopped() || jobs->damaged || jobs->report->failed)
        return OUTCOME_NO_ESTIMATE;
    return count[OUTCOME_ESTIMATE] > 0   ? OUTCOME_ESTIMATE
        : count[OUTCOME_NO_ESTIMATE] > 0 ? OUTCOME_NO_ESTIMATE
                                         : OUTCOME_NOTHING;
}

enum outcome jobs_run(struct jobs *jobs)
{
    enum outcome outcome;

    replay_obey_signals();
    watch(jobs);
    jobs->report->hurried = jobs->report->hurried || replay_stopped();
    report_deliver(jobs->report);
    outcome = outcome_of(jobs);
    jobs_free(jobs);
    return outcome;
}

void jobs_free(struct jobs *jobs)
{
    jobs_give_up(jobs);
    for (unsigned i = 0; i < jobs->threads; i++)
        pthread_join(jobs->thread[i], NULL);
    sheets_fini(&jobs->sheets);
    pthread_cond_destroy(&jobs->changed);
    pthread_mutex_destroy(&jobs->lock);
    free(jobs);
}

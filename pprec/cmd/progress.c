/* SPDX-License-Identifier: BSD-3-Clause */
#include "progress.h"

#include "common/stamp.h"
#include "pprec/cmd/each.h"
#include "pprec/cmd/line.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_NS STAMP_NS_PER_S
#define PERIOD_NS (200 * STAMP_NS_PER_MS)

static double progress_bytes_of(const char *const *files)
{
    double sum = 0;
    struct stat status;

    for (; *files != NULL; files++) {
        if (stat(*files, &status) < 0 || !S_ISREG(status.st_mode))
            return 0;
        sum += (double)status.st_size;
    }
    return sum;
}

void progress_begin(struct progress *progress, const char *const *files, bool quiet, int64_t now_ns)
{
    *progress = (struct progress){
        .files = files,
        .wanted = isatty(STDERR_FILENO) && (quiet || !isatty(STDOUT_FILENO)),
        .all_bytes = progress_bytes_of(files),
        .next_ns = now_ns + FIRST_NS,
    };
}

double progress_share(const struct progress *progress, const struct pprec *pprec)
{
    double share;

    if (progress->all_bytes <= 0)
        return -1;
    share = (double)pprec_capture_bytes(pprec) / progress->all_bytes;
    return share < 1 ? share : 1; /* a file that grows */
}

/* The stream with most usable trains. */
static bool best_of(const struct pprec *pprec, struct pprec_summary *best)
{
    struct pprec_summary summary;
    size_t count = 0;

    for (; each_summary(pprec, count, &summary); count++)
        if (count == 0 || summary.counts.usable > best->counts.usable)
            *best = summary;
    return count > 0;
}

static bool is_due(struct progress *progress, int64_t now_ns)
{
    if (!progress->wanted || now_ns < progress->next_ns)
        return false;
    progress->next_ns = now_ns + PERIOD_NS;
    progress->shown = true;
    return true;
}

void progress_show_files(struct progress *progress, size_t done, size_t count, int64_t now_ns)
{
    if (is_due(progress, now_ns))
        fprintf(stderr, "\r%zu of %zu captures read\033[K", done, count);
}

/* Short enough for any terminal: a line that wraps cannot be overwritten. */
void progress_show(struct progress *progress, const struct pprec *pprec, int64_t now_ns)
{
    double share = progress_share(progress, pprec);
    struct pprec_capture_counts counts;
    struct pprec_summary best;
    struct line line = {.bytes = 0};

    if (!is_due(progress, now_ns))
        return;
    pprec_get_capture_counts(pprec, &counts);
    if (share >= 0)
        line_add(&line, "%.0f %% read, ", 100 * share);
    line_add(&line, "%" PRIu64 " packets", counts.packets);
    if (best_of(pprec, &best)) {
        line_add(&line, ", ");
        line_add_rate(&line, best.capacity.capacity_bps);
        line_add(&line, " %s", pprec_state_name(best.capacity.state));
    }
    fprintf(stderr, "\r%.*s\033[K", (int)line.bytes, line.text);
}

void progress_clear(struct progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r\033[K");
    progress->shown = false;
}

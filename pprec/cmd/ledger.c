/* SPDX-License-Identifier: BSD-3-Clause */
#include "ledger.h"

#include "pprec/cmd/say.h"

int ledger_open(struct ledger *ledger, const char *path, const struct line *head, uint32_t rate_bytes,
                int64_t now_ns, struct error *error)
{
    ledger->said_left_out = false;
    ledger->ending = false;
    ration_init(&ledger->ration, rate_bytes, now_ns);
    return log_open(&ledger->log, path, head, error);
}

/* So that the file tells by itself. */
static void note_left_out(struct ledger *ledger, uint64_t count, struct error *error)
{
    struct line line;

    if (count == 0)
        return;
    line.bytes = 0;
    line_add(&line, "# %llu lines are left out before this one: --log-rate %.0f", (unsigned long long)count,
             ledger->ration.rate_bytes);
    log_write(&ledger->log, &line, error);
}

void ledger_close(struct ledger *ledger)
{
    const struct log *log = &ledger->log;
    struct error said;

    note_left_out(ledger, ledger->ration.untold, &said);
    log_flush(&ledger->log, &said);
    if (ledger->ration.left_out > 0)
        say("log '%s': %llu lines were left out for --log-rate %.0f", log->path,
            (unsigned long long)ledger->ration.left_out, ledger->ration.rate_bytes);
    if (log->lost_lines > 0)
        say("log '%s': %llu lines could not be written, %llu of them trains", log->path,
            (unsigned long long)log->lost_lines, (unsigned long long)log->lost_trains);
    log_close(&ledger->log);
}

static bool grants(struct ledger *ledger, const struct line *line, const struct pprec_endpoint *source,
                   double standing, int64_t now_ns, struct error *error)
{
    if (ledger->ending && standing > 0)
        return true;
    if (!ration_take(&ledger->ration, source, standing, line->bytes + 1, now_ns))
        return false;
    note_left_out(ledger, ration_untold(&ledger->ration, now_ns), error);
    return true;
}

bool ledger_write(struct ledger *ledger, const struct line *line, const struct pprec_endpoint *source,
                  double standing, int64_t now_ns, struct error *error)
{
    error->text[0] = '\0';
    if (grants(ledger, line, source, standing, now_ns, error)) {
        log_write(&ledger->log, line, error);
        return true;
    }
    if (!ledger->said_left_out)
        error_set(error, "log '%s': more than --log-rate %.0f: lines of strangers are left out",
                  ledger->log.path, ledger->ration.rate_bytes);
    ledger->said_left_out = true;
    return false;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay_account.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int account_init(struct account *account)
{
    account->frames = malloc(ACCOUNT_FRAMES * sizeof *account->frames);
    if (!account->frames)
        return -1;
    memset(account->frames, 0, ACCOUNT_FRAMES * sizeof *account->frames);
    return 0;
}

void account_fini(struct account *account)
{
    free(account->frames);
}

void account_arrival(struct account *account, uint32_t bytes, int64_t arrival_ns)
{
    if (account->frames && account->count < ACCOUNT_FRAMES)
        account->frames[account->count++] = (struct account_frame){arrival_ns, 0, bytes};
}

void account_sent(struct account *account, uint64_t index, int64_t sent_ns)
{
    if (account->frames && index < account->count)
        account->frames[index].sent_ns = sent_ns;
}

void account_write(const struct account *account, FILE *out)
{
    for (uint64_t i = 0; i < account->count; i++) {
        const struct account_frame *frame = &account->frames[i];
        if (frame->sent_ns)
            fprintf(out, "%" PRId64 " %" PRId64 " %u\n", frame->arrival_ns, frame->sent_ns, frame->bytes);
        else
            fprintf(out, "%" PRId64 " - %u\n", frame->arrival_ns, frame->bytes);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of the guard, in libpprec-core: a handle takes no key, so there is nothing to check. */
#include "pprec/lib/intake.h"

int guard_new(struct guard **made, const struct memory *memory, const struct pprec_config *config,
              struct error *error)
{
    (void)memory;
    *made = NULL;
    if (config->key == NULL)
        return 0;
    error_set(error, "key: libpprec-core has no authentication, libpprec has");
    return PPREC_EINVAL;
}

void guard_free(struct guard *guard, const struct memory *memory)
{
    (void)guard, (void)memory;
}

bool guard_knows(const struct guard *guard, const struct pprec_endpoint *came_to)
{
    (void)guard, (void)came_to;
    return false;
}

enum pprec_reason guard_check(struct guard *guard, const struct wire_probe *probe, const uint8_t *data,
                              const struct pprec_endpoint *came_to, const struct pprec_stamp *received)
{
    (void)guard, (void)probe, (void)data, (void)came_to, (void)received;
    return PPREC_REASON_UNTAGGED;
}

size_t pprec_replays_save(const struct pprec *pprec, void *room, size_t room_bytes)
{
    (void)pprec, (void)room, (void)room_bytes;
    return 0;
}

int pprec_replays_restore(struct pprec *pprec, const void *data, size_t bytes)
{
    (void)data, (void)bytes;
    return handle_fail(pprec, PPREC_EINVAL, "only with a key replays are known");
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "method.h"

/* Why segmentation is no good here: text in why. True when it is good. */
static bool segments_well(const struct egress *egress, uint32_t longest, struct error *why)
{
    const char *name = egress->name[0] != '\0' ? egress->name : "the route's device";

    if (longest <= 2)
        error_set(why, "a pair has nothing to segment");
    else if (egress->segments == EGRESS_SEGMENTS_DEVICE)
        error_set(why, "%s would take a segmented train whole (tx-udp-segmentation is on)", name);
    else if (egress->segments == EGRESS_SEGMENTS_UNKNOWN)
        error_set(why, "what %s does with a segmented train is not known", name);
    else
        return true;
    return false;
}

int method_choose(enum method_wish wish, const struct egress *egress, uint32_t longest, bool *segment,
                  struct error *reason, struct error *error)
{
    struct error why = {""};
    bool good = segments_well(egress, longest, &why);

    *segment = good && wish != METHOD_MMSG;
    if (wish == METHOD_GSO && !good)
        return error_set(error, "--send gso: %s", why.text);
    if (wish != METHOD_AUTO)
        error_set(reason, "as asked for");
    else if (good)
        error_set(reason, "the kernel segments before %s", egress->name);
    else
        *reason = why;
    return 0;
}

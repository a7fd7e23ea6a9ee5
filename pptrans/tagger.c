/* SPDX-License-Identifier: BSD-3-Clause */
#include "tagger.h"

#include "common/stamp.h"

/* Tagging takes so much longer when it has not run for a while. */
#define SPARE_NS (5 * STAMP_NS_PER_US)

enum { TRIES = 3 };

int tagger_open(struct tagger *tagger, const char *key_file, struct error *error)
{
    return auth_init(error) == 0 ? auth_read_key(&tagger->key, key_file, error) : -1;
}

void tagger_aim(struct tagger *tagger, const struct address *to)
{
    if (address_ip(to) == LAYER_IPV6)
        auth_set_destination(&tagger->to, 6, &to->ipv6.sin6_addr, address_port(to));
    else
        auth_set_destination(&tagger->to, 4, &to->ipv4.sin_addr, address_port(to));
}

void tagger_close(struct tagger *tagger)
{
    auth_forget_key(&tagger->key);
}

/* With all in the caches, and a quarter more. */
void tagger_calibrate(struct tagger *tagger, struct payloads *payloads, const struct plan_shape *train)
{
    struct wire_probe first = {.length_log2 = train->length_log2,
                               .flags = payloads_flags(train->payload_bytes, true, true)};
    int64_t start_ns, taken_ns;

    payloads_tag(payloads, &first, &tagger->key, &tagger->to);
    start_ns = stamp_now_ns(CLOCK_MONOTONIC);
    payloads_tag(payloads, &first, &tagger->key, &tagger->to);
    taken_ns = stamp_now_ns(CLOCK_MONOTONIC) - start_ns;
    tagger->packet_ns = (taken_ns >> first.length_log2) * 5 / 4;
}

/* The tags are over TIME, so it is set ahead by what tagging takes, and then waited
 * for: the train leaves at the time it tells, however long it is. When something else
 * ran meanwhile and it would be late, once more. */
int64_t tagger_tag(const struct tagger *tagger, struct payloads *payloads, const struct wire_probe *first)
{
    int64_t lead_ns = SPARE_NS + (tagger->packet_ns << first->length_log2);
    int64_t start_ns, sent_ns, now_ns;
    int tries = 0;

    do {
        start_ns = stamp_now_ns(CLOCK_REALTIME);
        sent_ns = start_ns + lead_ns;
        payloads_set_time(payloads, first, (uint64_t)sent_ns);
        payloads_tag(payloads, first, &tagger->key, &tagger->to);
        now_ns = stamp_now_ns(CLOCK_REALTIME);
    } while (now_ns > sent_ns && ++tries < TRIES);
    while (now_ns < sent_ns && now_ns >= start_ns) /* it may be set back */
        now_ns = stamp_now_ns(CLOCK_REALTIME);
    return sent_ns;
}

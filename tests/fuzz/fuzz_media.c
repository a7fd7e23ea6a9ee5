/* SPDX-License-Identifier: BSD-3-Clause */
/* An input is packets of media of two sources, pushed to a handle of every filter. A byte for the
 * extension's number (low four bits) and the window, then for each packet
 *
 *   u8 low six bits: bytes at hand; 0x40: SRT; 0x80: of the other source
 *   u8 time since the packet before: an exponent and a mantissa; u8 bytes of the packet, likewise
 *   then the bytes at hand
 *
 * What is at hand is handed over in memory of its own, so that a byte too far is found.
 */
#include "pprec/media.h"
#include "tests/fuzz/figures.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 3, FILTERS_MOST = 16, AT_HAND = 0x3f, SRT = 0x40, OTHER = 0x80 };

#define EPOCH_NS INT64_C(1700000000000000000)

static int64_t media_value_of(uint8_t code)
{
    return code < 8 ? code : (int64_t)(8 + (code & 7)) << ((code >> 3) - 1);
}

static void fuzz_media_push(struct pprec *pprec, const uint8_t *head, const void *data, size_t at_hand,
                            int64_t now_ns)
{
    const struct pprec_endpoint source = {
        .address = {192, 0, 2, 1}, .port = 5004, .ip = head[0] & OTHER ? 6 : 4};
    struct pprec_stamp stamp = {now_ns, PPREC_CLOCK_REALTIME, PPREC_TIMESTAMPS_KERNEL};
    size_t bytes = (size_t)media_value_of(head[2]);
    int status = head[0] & SRT ? pprec_push_srt(pprec, &source, data, at_hand, bytes, stamp)
                               : pprec_push_rtp(pprec, &source, data, at_hand, bytes, stamp);

    if (status < 0 && pprec_error(pprec)[0] == '\0')
        abort();
}

static void media_push_all(struct pprec *const *pprec, unsigned filters, const uint8_t *head, size_t at_hand,
                           int64_t now_ns)
{
    void *own = malloc(at_hand);

    if (at_hand > 0)
        memcpy(own, head + HEAD_BYTES, at_hand);
    for (unsigned i = 0; i < filters; i++)
        fuzz_media_push(pprec[i], head, own, at_hand, now_ns);
    free(own);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    unsigned filters = figures_filters();
    struct pprec *pprec[FILTERS_MOST];
    struct pprec_config config;
    int64_t now_ns = EPOCH_NS;

    if (filters > FILTERS_MOST)
        abort();
    pprec_config_init(&config);
    config.abs_send_time_id = bytes > 0 ? data[0] & 0x0f : 0;
    config.window = bytes > 0 ? 1 + data[0] : 1;
    for (unsigned i = 0; i < filters; i++)
        pprec[i] = figures_handle(config, i);
    for (size_t at = 1; at + HEAD_BYTES <= bytes;) {
        size_t left = bytes - at - HEAD_BYTES, at_hand = data[at] & AT_HAND;

        at_hand = at_hand < left ? at_hand : left;
        now_ns += media_value_of(data[at + 1]);
        media_push_all(pprec, filters, data + at, at_hand, now_ns);
        at += HEAD_BYTES + at_hand;
    }
    for (unsigned i = 0; i < filters; i++) {
        pprec_finish(pprec[i]);
        pprec_free(pprec[i]);
    }
    return 0;
}

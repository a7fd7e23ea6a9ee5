/* SPDX-License-Identifier: BSD-3-Clause */
/* An input is a run: datagrams one after the other, each preceded by
 *
 *   u8 low nibble: where from; 0x10: the measurement's next packet comes first;
 *      0x20: at an absurd time; 0x40: its time goes back
 *   u8 bytes at hand
 *   u8 time since the one before, in units of 100 ns to 10 s
 */
#include "tests/fuzz/fuzz.h"

#include "tests/fuzz/exact.h"
#include "tests/fuzz/figures.h"
#include "tests/fuzz/measurement.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { INTRODUCTION_BYTES = 3, OWN_FIRST = 0x10, ABSURD_TIME = 0x20, TIME_BACK = 0x40 };

static int64_t step_ns(uint8_t code)
{
    int64_t ns = 100 * (code & 0x1f);

    for (unsigned i = code >> 5; i > 0; i--)
        ns *= 10;
    return ns;
}

/* One handle takes the datagrams beside a measurement, a second (with the filter that the
 * input's size picks, as the others) at any time the input says, as what RTP or SRT they may be,
 * too, a third as classic ones, a fourth with a key, which none of them has. */
struct run {
    struct measurement measurement;
    struct pprec *any_time;
    struct pprec *classic;
    struct pprec *keyed; /* NULL in a build without keys */
    int64_t now_ns;
};

static const uint8_t key[PPREC_KEY_BYTES] = {1, 2, 3};

static struct pprec *datagram_handle(unsigned classic_length, const uint8_t *with_key, unsigned filter)
{
    struct pprec_config config;

    pprec_config_init(&config);
    config.key = with_key;
    config.streams_max = 3;
    config.window = 8;
    config.classic = classic_length != 0;
    config.train_length = classic_length;
    return figures_handle(config, filter);
}

/* In memory of just its size. */
static void push_media(struct run *run, const struct pprec_endpoint *source, const uint8_t *data,
                       size_t bytes, struct pprec_stamp stamp)
{
    uint8_t *copy = malloc(bytes > 0 ? bytes : 1);

    if (copy == NULL)
        abort();
    memcpy(copy, data, bytes);
    pprec_push_rtp(run->any_time, source, copy, bytes, bytes, stamp);
    pprec_push_srt(run->any_time, source, copy, bytes, bytes, stamp);
    free(copy);
}

static void datagram_push(struct run *run, const uint8_t *introduction, const uint8_t *data, size_t bytes)
{
    unsigned from = introduction[0] & 0x0fU;
    struct pprec_endpoint source = measurement_source(from);
    struct pprec_stamp stamp = {.clock = PPREC_CLOCK_REALTIME, .source = PPREC_TIMESTAMPS_KERNEL};

    run->now_ns += introduction[0] & TIME_BACK ? -step_ns(introduction[2]) : step_ns(introduction[2]);
    stamp.ns = introduction[0] & ABSURD_TIME ? run->now_ns - INT64_MAX / 2 : run->now_ns;
    if (introduction[0] & OWN_FIRST)
        measurement_send(&run->measurement);
    measurement_junk(&run->measurement, from, data, bytes, bytes + introduction[2]);
    exact_push(run->any_time, &source, data, bytes, bytes + introduction[2], stamp);
    push_media(run, &source, data, bytes, stamp);
    exact_push(run->classic, &source, data, bytes, bytes + introduction[2], stamp);
    if (run->keyed != NULL
        && exact_push(run->keyed, &source, data, bytes, bytes + introduction[2], stamp) == PPREC_OK)
        abort();
}

static void datagram_end(struct pprec *pprec)
{
    pprec_finish(pprec);
    pprec_free(pprec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    bool keys = auth_init(NULL) == 0;
    unsigned filter = (unsigned)bytes;
    struct run run = {.any_time = datagram_handle(0, NULL, filter),
                      .classic = datagram_handle(4, NULL, filter),
                      .keyed = keys ? datagram_handle(0, key, filter) : NULL};

    measurement_start(&run.measurement, NULL);
    while (bytes > INTRODUCTION_BYTES) {
        const uint8_t *introduction = data;
        size_t most = bytes - INTRODUCTION_BYTES;
        size_t taken = introduction[1] < most ? introduction[1] : most;

        datagram_push(&run, introduction, data + INTRODUCTION_BYTES, taken);
        data += INTRODUCTION_BYTES + taken;
        bytes -= INTRODUCTION_BYTES + taken;
    }
    measurement_end(&run.measurement);
    datagram_end(run.any_time);
    datagram_end(run.classic);
    if (keys)
        datagram_end(run.keyed);
    return 0;
}

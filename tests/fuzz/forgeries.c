/* SPDX-License-Identifier: BSD-3-Clause */
/* forgeries [COUNT]: somebody without the key, who sees every packet of a measurement
 * with one, sends so many datagrams (10 million) of his own beside it: forged, mutated,
 * truncated, replayed. None may pass, all must be counted, and the measurement must not
 * move. */
#include "tests/fuzz/exact.h"
#include "tests/fuzz/measurement.h"
#include "tests/unit/random.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORGERIES_A_PACKET = 500, SEEN_MAX = 1 << 16, FLAGS_AT = 17, TAG_AT = 34 };

#define COUNT_DEFAULT 10000000
#define HOUR_NS (3600 * INT64_C(1000000000))

enum kind { FORGED, MUTATED, TRUNCATED, SPLICED, STRIPPED, MISDIRECTED, REPLAYED, REPLAYED_OLD, KINDS };

static const char *const kinds[] = {
    "forged",   "mutated",        "truncated", "spliced",
    "stripped", "sent elsewhere", "replayed",  "replayed from an hour before"};

static const struct auth_key key = {{0x5e, 0xc2, 0xe7}};
static struct auth_destination here;

struct attacker {
    struct rng rng;
    struct auth_key guess;
    uint8_t seen[SEEN_MAX][MEASUREMENT_PROBE_BYTES];
    size_t seen_count, seen_next;
    uint8_t data[MEASUREMENT_PROBE_BYTES];
    size_t bytes;
    uint64_t sent[KINDS];
    uint64_t passed;
};

static bool forgeries_one_in(struct rng *rng, uint32_t n)
{
    return rng_below(rng, n) == 0;
}

static const uint8_t *any_seen(struct attacker *attacker)
{
    return attacker->seen[rng_below(&attacker->rng, (uint32_t)attacker->seen_count)];
}

/* A probe that would be taken but for its tag: chance's, of a guessed key, or none. */
static void forge(struct attacker *attacker, const struct measurement *measurement)
{
    struct rng *rng = &attacker->rng;
    uint32_t seq = measurement->sent + rng_below(rng, 1000) - 500;
    struct wire_probe probe = {
        .length_log2 = 1,
        .position = seq % 2,
        .flags = WIRE_TIME | WIRE_DEPARTURE | WIRE_AUTH,
        .stream = forgeries_one_in(rng, 2) ? 0x5eed5eed : (uint32_t)rng_next(rng),
        .seq = seq,
        .train = seq / 2,
        .sent_ns = (uint64_t)measurement->now_ns + rng_below(rng, 1000000),
        .departure_train = seq / 2 - 1,
        .departure_span_ns = (uint32_t)rng_next(rng),
    };

    for (size_t i = TAG_AT; i < MEASUREMENT_PROBE_BYTES; i++)
        attacker->data[i] = (uint8_t)rng_next(rng);
    wire_encode(&probe, attacker->data, MEASUREMENT_PROBE_BYTES);
    if (forgeries_one_in(rng, 2))
        auth_tag(&attacker->guess, &here, attacker->data, probe.flags);
}

/* At least one bit differs. */
static void forgeries_mutate(struct attacker *attacker)
{
    struct rng *rng = &attacker->rng;
    uint32_t first = rng_below(rng, 8 * MEASUREMENT_PROBE_BYTES);

    attacker->data[first / 8] ^= (uint8_t)(1U << first % 8);
    while (forgeries_one_in(rng, 2)) {
        uint32_t bit = rng_below(rng, 8 * MEASUREMENT_PROBE_BYTES);

        if (bit != first)
            attacker->data[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
}

/* The head of one and the tag of another. */
static void splice(struct attacker *attacker)
{
    const uint8_t *other = any_seen(attacker);

    if (memcmp(other, attacker->data, TAG_AT) == 0)
        attacker->data[TAG_AT] ^= 1;
    else
        memcpy(attacker->data + TAG_AT, other + TAG_AT, WIRE_AUTH_BYTES);
}

/* As the same sender would have sent it with the same key, in another run. */
static void forgeries_age(struct attacker *attacker)
{
    struct wire_probe probe;

    wire_decode(&probe, attacker->data, MEASUREMENT_PROBE_BYTES);
    probe.stream ^= 1 + rng_below(&attacker->rng, 100);
    probe.sent_ns -= HOUR_NS;
    wire_encode(&probe, attacker->data, MEASUREMENT_PROBE_BYTES);
    auth_tag(&key, &here, attacker->data, probe.flags);
}

/* As the same sender sends it to another receiver with the same key. */
static void misdirect(struct attacker *attacker)
{
    struct auth_destination elsewhere = here;
    struct wire_probe probe;

    elsewhere.bytes[rng_below(&attacker->rng, AUTH_DESTINATION_BYTES)] ^= 1;
    wire_decode(&probe, attacker->data, MEASUREMENT_PROBE_BYTES);
    auth_tag(&key, &elsewhere, attacker->data, probe.flags);
}

static void forgeries_make(struct attacker *attacker, const struct measurement *measurement, enum kind kind)
{
    memcpy(attacker->data, any_seen(attacker), MEASUREMENT_PROBE_BYTES);
    attacker->bytes = MEASUREMENT_PROBE_BYTES;
    if (kind == FORGED)
        forge(attacker, measurement);
    else if (kind == MUTATED)
        forgeries_mutate(attacker);
    else if (kind == TRUNCATED)
        attacker->bytes = rng_below(&attacker->rng, MEASUREMENT_PROBE_BYTES);
    else if (kind == SPLICED)
        splice(attacker);
    else if (kind == STRIPPED)
        attacker->data[FLAGS_AT] &= (uint8_t)~WIRE_AUTH;
    else if (kind == MISDIRECTED)
        misdirect(attacker);
    else if (kind == REPLAYED_OLD)
        forgeries_age(attacker);
}

/* PPREC_OK: a copy within the window, from the measurement's own place; it counts as a
 * duplicate, which measurement_end() checks, and is nothing more. */
static void forgeries_attack(struct attacker *attacker, struct measurement *measurement)
{
    enum kind kind = (enum kind)rng_below(&attacker->rng, KINDS);
    unsigned place = rng_below(&attacker->rng, MEASUREMENT_SOURCES);
    int status;

    forgeries_make(attacker, measurement, kind);
    status = measurement_attack(measurement, place, attacker->data, attacker->bytes,
                                attacker->bytes + rng_below(&attacker->rng, 1400));
    attacker->sent[kind]++;
    if (status == PPREC_OK && kind == REPLAYED && place == 0)
        measurement->copies++;
    else if (status == PPREC_OK)
        attacker->passed++;
}

static void let_send(struct attacker *attacker, struct measurement *measurement)
{
    measurement_send(measurement);
    memcpy(attacker->seen[attacker->seen_next++ % SEEN_MAX], measurement->packet, MEASUREMENT_PROBE_BYTES);
    if (attacker->seen_count < SEEN_MAX)
        attacker->seen_count++;
}

static void forgeries_report(const struct attacker *attacker, const struct measurement *measurement,
                             uint64_t count)
{
    uint64_t counted = pprec_foreign(measurement->pprec) + measurement->copies;

    printf("forgeries:");
    for (int i = 0; i < KINDS; i++)
        printf(" %" PRIu64 " %s,", attacker->sent[i], kinds[i]);
    printf(" beside %" PRIu32 " packets measured\nforgeries: %" PRIu64 " foreign, %" PRIu64 " duplicate",
           measurement->sent, pprec_foreign(measurement->pprec), measurement->copies);
    for (int i = 0; i < PPREC_REASONS; i++) {
        uint64_t refused = pprec_refused(measurement->pprec, (enum pprec_reason)i);

        counted += refused;
        printf(", %" PRIu64 " %s", refused, pprec_reason_name((enum pprec_reason)i));
    }
    printf("; %" PRIu64 " of %" PRIu64 " accepted\n", attacker->passed, count);
    if (attacker->passed > 0 || counted != count || pprec_streams(measurement->pprec) != 1)
        abort();
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : COUNT_DEFAULT;
    static struct attacker attacker;
    struct measurement measurement;
    struct error error;

    if (auth_init(&error) < 0) {
        printf("SKIPPED: forgeries: %s\n", error.text);
        return EXIT_SUCCESS;
    }
    attacker.rng = rng_start("forgeries");
    auth_set_destination(&here, 4, exact_destination.address, exact_destination.port);
    measurement_start(&measurement, &key);
    let_send(&attacker, &measurement);
    for (uint64_t i = 0; i < count; i++) {
        if (forgeries_one_in(&attacker.rng, FORGERIES_A_PACKET))
            let_send(&attacker, &measurement);
        forgeries_attack(&attacker, &measurement);
    }
    forgeries_report(&attacker, &measurement, count);
    measurement_end(&measurement);
    return EXIT_SUCCESS;
}

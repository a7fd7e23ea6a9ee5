/* SPDX-License-Identifier: BSD-3-Clause */
/* What is made of a run: captures, samples, scores, rivals. */
#include "common/wire.h"
#include "filters/dispersion.h"
#include "tests/sim/capture.h"
#include "tests/sim/cases.h"
#include "tests/sim/rivals.h"
#include "tests/sim/samples.h"
#include "tests/sim/score.h"
#include "tests/sim/units.h"
#include "tests/unit/sim_fixture.h"

#include <math.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Captures --- */

static void check_record(const struct pcap_pkthdr *header, const unsigned char *frame,
                         const struct pprec_arrival *arrival)
{
    struct wire_probe probe;

    ck_assert_int_eq(header->ts.tv_sec * INT64_C(1000000000) + header->ts.tv_usec, arrival->received.ns);
    ck_assert_uint_eq(header->len, arrival->payload_bytes + 42);
    ck_assert_uint_le(header->caplen, 96);
    ck_assert_int_eq(wire_decode(&probe, frame + 42, header->caplen - 42), WIRE_OK);
    ck_assert_uint_eq(probe.seq, arrival->seq);
    ck_assert_uint_eq(probe.train, arrival->train);
    ck_assert_uint_eq(probe.position, arrival->position);
    ck_assert_uint_eq(1U << probe.length_log2, arrival->train_length);
    ck_assert_uint_eq(probe.sent_ns, (uint64_t)arrival->sent_ns);
    if (arrival->departure_span_ns != PPREC_UNKNOWN_NS)
        ck_assert_int_eq(probe.departure_span_ns, arrival->departure_span_ns);
}

START_TEST(capture_reads_back)
{
    struct sim_config config = sim_fixture_plain(20, 8, 1000, 10000000);
    char text[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *header;
    const unsigned char *frame;
    FILE *file = tmpfile();
    size_t records = 0;
    struct sim_run run;
    pcap_t *pcap;
    int copy;

    ck_assert_ptr_nonnull(file);
    copy = dup(fileno(file));
    config.receiver.noise_ns = 2000;
    sim_run_init(&run, &config, 1);
    ck_assert_int_eq(sim_capture_write(&run, false, file), 0);
    file = fdopen(copy, "rb");
    rewind(file);
    pcap = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, text);
    ck_assert_ptr_nonnull(pcap);
    while (pcap_next_ex(pcap, &header, &frame) == 1)
        check_record(header, frame, &run.arrivals[records++]);
    ck_assert_uint_eq(records, run.arrival_count);
    pcap_close(pcap);
    sim_run_fini(&run);
}
END_TEST

/* --- Samples, determinism --- */

START_TEST(samples_mark_what_follows)
{
    struct sim_config config = sim_fixture_plain(500, 8, 1000, 10000000);
    struct sim_samples samples;
    struct sim_run run;

    config.receiver.loss = 0.1;
    config.receiver.duplicate = 0.1;
    config.receiver.duplicate_delay_ns = 5000000;
    sim_run_init(&run, &config, sim_fixture_seed("samples_mark_what_follows"));
    sim_samples_init(&samples, &run);
    for (size_t i = 0; i < samples.count; i++) {
        const struct sample *sample = &samples.item[i];
        if (sample->train + 1 < run.train_count)
            ck_assert_int_eq(sample->departure_span_ns, run.trains[sample->train].span_ns);
        else
            ck_assert_int_eq(sample->departure_span_ns, SAMPLE_UNKNOWN_NS);
        ck_assert_int_eq(sample->packets[0].offset_ns, 0);
        ck_assert(!sample->packets[0].follows);
        for (unsigned j = 1; j < sample->received; j++)
            if (sample->packets[j].follows)
                ck_assert_uint_eq(sample->packets[j].position, sample->packets[j - 1].position + 1);
    }
    sim_samples_fini(&samples);
    sim_run_fini(&run);
}
END_TEST

struct following {
    const struct sim_samples *samples;
    size_t next;
    unsigned untold;
};

static void compare_train(void *user, const struct pprec_train *train)
{
    struct following *following = user;
    struct sample sample = following->samples->item[following->next++];

    /* The library does not wait for ever to be told. */
    if (train->departure_span_ns == PPREC_UNKNOWN_NS)
        sample.departure_span_ns = SAMPLE_UNKNOWN_NS;
    following->untold += train->departure_span_ns == PPREC_UNKNOWN_NS;
    dispersion_measure(&sample);
    ck_assert_uint_eq(train->train, sample.train);
    ck_assert_uint_eq(train->received, sample.received);
    ck_assert_int_eq(train->time_ns, sample.time_ns);
    ck_assert_int_eq(train->departure_span_ns, sample.departure_span_ns);
    ck_assert_int_eq(train->dispersion_ns, sample.gaps ? sample.span_ns : PPREC_UNKNOWN_NS);
    ck_assert_int_eq((int)train->verdict, (int)sample.verdict);
}

/* The short way to the filters and the library's own are one. */
static void check_same_as_library(const struct sim_run *run, const struct sim_samples *samples)
{
    struct following following = {.samples = samples};
    struct pprec_config library_config;
    struct pprec *pprec;

    pprec_config_init(&library_config);
    library_config.filter = "median"; /* refines no verdict */
    library_config.user = &following;
    library_config.on_train = compare_train;
    ck_assert_int_eq(pprec_new(&pprec, &library_config), PPREC_OK);
    for (size_t i = 0; i < run->arrival_count; i++)
        ck_assert_int_ge(pprec_push(pprec, &run->arrivals[i]), 0);
    pprec_finish(pprec);
    ck_assert_uint_eq(following.next, samples->count);
    /* One Poisson pause in twenty is longer than the library waits. */
    ck_assert_uint_le(following.untold, 3 + samples->count / 4);
    pprec_free(pprec);
}

static void check_case(const char *name, uint64_t seed)
{
    struct sim_config config;
    struct sim_samples samples;
    struct sim_run run;

    sim_case_config(sim_case_find(name), seed, &config);
    sim_run_init(&run, &config, seed);
    sim_samples_init(&samples, &run);
    check_same_as_library(&run, &samples);
    sim_samples_fini(&samples);
    sim_run_fini(&run);
}

/* 4 overtakes 1, 2 and 3: these come one right after the other, but what held the first of
 * them may have held all. Only 6 and 7 follow what nothing overtook. */
START_TEST(nothing_follows_what_was_overtaken)
{
    static const unsigned order[] = {0, 4, 1, 2, 3, 5, 6, 7};
    struct sim_config config = sim_fixture_plain(1, 8, 1000, 10000000);
    struct sim_samples samples;
    struct sim_run run, sorted;

    sim_run_init(&run, &config, 1);
    sim_run_init(&sorted, &config, 1);
    for (size_t i = 0; i < 8; i++) {
        run.arrivals[i] = sorted.arrivals[order[i]];
        run.arrivals[i].received = sorted.arrivals[i].received;
        run.stamped[i] = sorted.stamped[order[i]];
    }
    sim_samples_init(&samples, &run);
    for (unsigned i = 0; i < 8; i++)
        ck_assert_int_eq(samples.item[0].packets[i].follows, i >= 6);
    check_same_as_library(&run, &samples);
    sim_samples_fini(&samples);
    sim_run_fini(&sorted);
    sim_run_fini(&run);
}
END_TEST

START_TEST(samples_are_those_of_the_library)
{
    uint64_t seed = sim_fixture_seed("samples_are_those_of_the_library");

    check_case("loss", seed);
    check_case("disorder", seed);
    check_case("coalesce-60us", seed);
    check_case("idle-1M", seed);
    check_case("step", seed);
}
END_TEST

START_TEST(same_seed_same_run)
{
    struct sim_config config = sim_fixture_plain(50, 8, 1000, 10000000);
    struct sim_run a, b, c;

    sim_fixture_cross(&config, SIM_POISSON, SIM_MIX_IMIX, 8e6);
    config.receiver.noise_ns = 2000;
    config.receiver.loss = 0.01;
    sim_run_init(&a, &config, 5);
    sim_run_init(&b, &config, 5);
    sim_run_init(&c, &config, 6);
    ck_assert_uint_eq(a.arrival_count, b.arrival_count);
    ck_assert_mem_eq(a.stamped, b.stamped, a.arrival_count * sizeof(*a.stamped));
    ck_assert_mem_ne(a.stamped, c.stamped, 50 * sizeof(*a.stamped));
    sim_run_fini(&a);
    sim_run_fini(&b);
    sim_run_fini(&c);
}
END_TEST

/* --- Cases, rivals, scores --- */

START_TEST(cases_have_names_of_their_own)
{
    for (unsigned i = 0; i < sim_case_count; i++)
        ck_assert_ptr_eq(sim_case_find(sim_cases[i].name), &sim_cases[i]);
    ck_assert_ptr_null(sim_case_find("nonsense"));
}
END_TEST

/* The report takes a family for one stretch of the table, all of it known or none. */
START_TEST(sim_judge_families_stand_together)
{
    for (unsigned i = 0; i < sim_case_count; i++)
        for (unsigned j = i + 1; j < sim_case_count; j++) {
            const struct sim_case *a = &sim_cases[i], *b = &sim_cases[j];
            if (!a->family || !b->family || strcmp(a->family, b->family) != 0)
                continue;
            ck_assert_ptr_nonnull(sim_cases[j - 1].family);
            ck_assert_str_eq(sim_cases[j - 1].family, b->family);
            ck_assert_int_eq(a->unknowable, b->unknowable);
        }
}
END_TEST

/* Every case runs, and its trains arrive: at least half of them, and in a path
 * that can be measured. */
START_TEST(cases_make_sense)
{
    uint64_t seed = sim_fixture_seed("cases_make_sense");

    for (unsigned i = 0; i < sim_case_count; i++) {
        struct sim_config config;
        struct sim_samples samples;
        struct sim_run run;
        sim_case_config(&sim_cases[i], seed, &config);
        sim_run_init(&run, &config, seed);
        sim_samples_init(&samples, &run);
        ck_assert_uint_ge(samples.count, sim_cases[i].trains / 2);
        ck_assert_double_ge(sim_case_truth_bps(&config), 50e3);
        for (unsigned h = 0; h < config.path.hops; h++)
            ck_assert_double_lt(sim_path_load(&config.path, h), 0.95);
        sim_samples_fini(&samples);
        sim_run_fini(&run);
    }
}
END_TEST

/* The case's path alone, without others, limits of queues or chance. */
static void bare_path(struct sim_path_config *path)
{
    path->traffics = 0;
    for (unsigned h = 0; h < path->hops; h++) {
        struct sim_hop_config *hop = &path->hop[h];
        int64_t mean_ns = (hop->access_least_ns + hop->access_most_ns) / 2;
        hop->queue_packets = 0;
        hop->queue_bytes = 0;
        hop->change_at_ns = 0; /* it has changed */
        hop->vary_ns = 0;
        hop->access_least_ns = hop->access_most_ns = mean_ns;
    }
}

/* What the second half of a train of very many packets of the case's size gets. */
static double long_train_bps(const struct sim_config *of)
{
    const uint32_t bytes = of->sender.pattern[0].bytes;
    struct sim_config config = sim_fixture_plain(1, 32768, bytes, 1);
    const size_t half = 16384;
    double took_s, bits = 8.0 * (double)half * bytes;
    struct sim_run run;

    config.path = of->path;
    bare_path(&config.path);
    sim_run_init(&run, &config, 1);
    took_s = (double)(run.probes[2 * half - 1].arrived_ps - run.probes[half - 1].arrived_ps) * 1e-12;
    sim_run_fini(&run);
    return bits / took_s;
}

/* Others that never pause take their share, a policer its toll: neither is a rate of the
 * path's. */
static bool gets_all(const struct sim_path_config *path)
{
    for (unsigned h = 0; h < path->hops; h++)
        switch (path->hop[h].shaper) {
        case SIM_SHAPER_TURNS:
        case SIM_SHAPER_FAIR:
        case SIM_SHAPER_POLICER: return false;
        default: break;
        }
    return true;
}

/* Within 1 %: of a tick of 10 ms in a second and more. */
START_TEST(truth_is_what_a_long_train_gets)
{
    uint64_t seed = sim_fixture_seed("truth_is_what_a_long_train_gets");

    for (unsigned i = 0; i < sim_case_count; i++) {
        struct sim_config config;
        double truth_bps;
        sim_case_config(&sim_cases[i], seed, &config);
        if (!gets_all(&config.path))
            continue;
        truth_bps = (double)sim_path_capacity_bps(&config.path, INT64_MAX / SIM_PS_PER_NS);
        ck_assert_msg(fabs(long_train_bps(&config) / truth_bps - 1) < 0.01, "%s: %g, not %g",
                      sim_cases[i].name, long_train_bps(&config), truth_bps);
    }
}
END_TEST

/* On an idle path every rule of the field is right: within 2 %, for single pairs
 * carry 2 us of noise in 1 ms. */
START_TEST(rivals_agree_on_an_idle_path)
{
    struct sim_config config = sim_fixture_plain(40, 8, 1000, 8000000);
    struct sim_samples samples;
    struct sim_run run;

    config.sender.rate_bps = 100000000;
    config.receiver.noise_ns = 2000;
    sim_run_init(&run, &config, sim_fixture_seed("rivals_agree_on_an_idle_path"));
    sim_samples_init(&samples, &run);
    for (unsigned i = 0; rival_table[i]; i++) {
        void *state = malloc(rival_table[i]->state_bytes(256));
        struct estimate estimate;
        rival_table[i]->init(state, 256);
        for (size_t j = 0; j < samples.count; j++)
            rival_table[i]->push(state, &samples.item[j]);
        rival_table[i]->estimate(state, &estimate);
        ck_assert_msg(estimate.state == STATE_CONVERGED, "%s", rival_table[i]->name);
        ck_assert_msg(fabs(estimate.capacity_bps / 8e6 - 1) < 0.02, "%s: %g", rival_table[i]->name,
                      estimate.capacity_bps);
        free(state);
    }
    sim_samples_fini(&samples);
    sim_run_fini(&run);
}
END_TEST

static struct verdict_on_run result(enum estimate_state state, double capacity_bps)
{
    return (struct verdict_on_run){
        .estimate = {.state = state,
                     .capacity_bps = capacity_bps,
                     .low_bps = 0.99 * capacity_bps,
                     .high_bps = 1.01 * capacity_bps},
        .truth_bps = 100,
        .trains = 10,
    };
}

START_TEST(score_counts)
{
    const struct sim_case row = {.tolerance = 0.02, .share = 0.5};
    struct verdict_on_run results[] = {
        result(STATE_CONVERGED, 100), result(STATE_SHAPED, 101.5),   result(STATE_CONVERGED, 94),
        result(STATE_TENTATIVE, 50),  result(STATE_INSUFFICIENT, 0),
    };
    struct score score;

    results[0].decided_after = 5;
    results[1].decided_after = 3;
    results[2].decided_after = 9;
    score_runs(results, 5, &score);
    ck_assert_uint_eq(score.decided, 3);
    ck_assert_uint_eq(score.wrong, 1);
    ck_assert_uint_eq(score.covered, 1);
    ck_assert_double_eq_tol(score.error_p90, 0.06, 1e-9);
    ck_assert_double_eq_tol(score.error_all_p90, 1, 1e-9);
    ck_assert_uint_eq(score.decided_after_p50, 5);
    ck_assert_uint_eq(score.trains, 50);
    ck_assert(!score_passes(&score, &row));
    score_runs(results, 2, &score);
    ck_assert(score_passes(&score, &row));
}
END_TEST

START_TEST(policer_that_is_none_is_wrong)
{
    struct verdict_on_run policed = result(STATE_POLICED, 100);

    ck_assert(score_wrong(&policed));
    policed.policer = true;
    ck_assert(!score_wrong(&policed));
}
END_TEST

TCase *sim_judge_tcase(void)
{
    TCase *tcase = tcase_create("captures, samples, scores");

    tcase_add_test(tcase, capture_reads_back);
    tcase_add_test(tcase, samples_mark_what_follows);
    tcase_add_test(tcase, nothing_follows_what_was_overtaken);
    tcase_add_test(tcase, samples_are_those_of_the_library);
    tcase_add_test(tcase, same_seed_same_run);
    tcase_add_test(tcase, cases_have_names_of_their_own);
    tcase_add_test(tcase, sim_judge_families_stand_together);
    tcase_add_test(tcase, cases_make_sense);
    tcase_add_test(tcase, truth_is_what_a_long_train_gets);
    tcase_add_test(tcase, rivals_agree_on_an_idle_path);
    tcase_add_test(tcase, score_counts);
    tcase_add_test(tcase, policer_that_is_none_is_wrong);
    return tcase;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What a handle refuses, and the words of the library. */
#include "pprec/pprec.h"
#include "tests/unit/ask.h"
#include "tests/unit/suites.h"

#include <string.h>

/* --- Configuration --- */

static void handle_layer(struct pprec_config *config)
{
    config->layer = "l3";
}

static void no_layer(struct pprec_config *config)
{
    config->layer = NULL;
}

static void handle_filter(struct pprec_config *config)
{
    config->filter = "moon";
}

static void no_filter(struct pprec_config *config)
{
    config->filter = NULL;
}

static void no_window(struct pprec_config *config)
{
    config->window = 0;
}

static void large_window(struct pprec_config *config)
{
    config->window = 65537;
}

static void length_3(struct pprec_config *config)
{
    config->train_length = 3;
}

static void length_1(struct pprec_config *config)
{
    config->train_length = 1;
}

static void length_512(struct pprec_config *config)
{
    config->train_length = 512;
}

static void classic(struct pprec_config *config)
{
    config->classic = 1;
}

static void no_streams(struct pprec_config *config)
{
    config->streams_max = 0;
}

static void handle_streams(struct pprec_config *config)
{
    config->streams_max = 1048577;
}

static void zeroed(struct pprec_config *config)
{
    memset(config, 0, sizeof *config);
}

static const struct {
    void (*spoil)(struct pprec_config *config);
    const char *text; /* that the error must hold */
} spoilt[] = {
    {handle_layer, "l3"},
    {no_layer, "layer 'NULL': want udp, ip"},
    {handle_filter, "'moon': want one of adaptive, "},
    {no_filter, "filter 'NULL': want one of adaptive, "},
    {no_window, "0"},
    {large_window, "65537"},
    {length_3, "3"},
    {length_1, "1"},
    {length_512, "512"},
    {classic, "train length"},
    {no_streams, "0"},
    {handle_streams, "1048577"},
    {zeroed, "pprec_config_init"},
};

START_TEST(bad_configurations_are_named)
{
    struct pprec_config config;
    struct pprec *pprec = NULL;

    pprec_config_init(&config);
    spoilt[_i].spoil(&config);
    ck_assert_int_eq(pprec_new(&pprec, &config), PPREC_EINVAL);
    ck_assert_msg(strstr(pprec_error(pprec), spoilt[_i].text) != NULL, "%s", pprec_error(pprec));
    ck_assert_ptr_null(strchr(pprec_error(pprec), '\n'));
    pprec_free(pprec);
}
END_TEST

/* --- Sources --- */

static void no_ip(struct pprec_socket_options *options)
{
    options->ip = 5;
}

static void no_stamps(struct pprec_socket_options *options)
{
    options->timestamps = (enum pprec_timestamps)99;
}

static void no_buffer(struct pprec_socket_options *options)
{
    options->buffer_bytes = -1;
}

static const struct {
    void (*spoil)(struct pprec_socket_options *options); /* NULL: there are none */
    const char *text;
} spoilt_sockets[] = {
    {NULL, "pprec_socket_options_init"},
    {no_ip, "ip 5: want 4, 6"},
    {no_stamps, "timestamps 99 of a socket: want kernel"},
    {no_buffer, "buffer_bytes -1: want 1 or more"},
};

START_TEST(a_handle_has_to_be_stored_somewhere)
{
    struct pprec_config config;

    pprec_config_init(&config);
    ck_assert_int_eq(pprec_new(NULL, &config), PPREC_EINVAL);
    ck_assert_int_eq(pprec_new(NULL, NULL), PPREC_EINVAL);
}
END_TEST

START_TEST(bad_options_of_a_socket_are_named)
{
    struct pprec_socket_options options;
    struct pprec *pprec = NULL;

    ck_assert_int_eq(pprec_new(&pprec, NULL), PPREC_OK);
    pprec_socket_options_init(&options);
    if (spoilt_sockets[_i].spoil != NULL)
        spoilt_sockets[_i].spoil(&options);
    ck_assert_int_eq(pprec_listen(pprec, spoilt_sockets[_i].spoil != NULL ? &options : NULL), PPREC_EINVAL);
    ck_assert_msg(strstr(pprec_error(pprec), spoilt_sockets[_i].text) != NULL, "%s", pprec_error(pprec));
    ck_assert_int_eq(pprec_fd(pprec), -1);
    pprec_free(pprec);
}
END_TEST

static const char *const some_files[] = {"some.pcap", NULL};

static const struct {
    struct pprec_capture_options options;
    const char *text;
} spoilt_captures[] = {
    {{.files = some_files, .snap_bytes = 262145, .buffer_bytes = 1}, "snap_bytes 262145: want 1 to 262144"},
    {{.files = some_files, .snap_bytes = 1, .buffer_bytes = -1}, "buffer_bytes -1: want 1 or more"},
    {{.files = some_files, .snap_bytes = 1, .buffer_bytes = 1, .timestamps = (enum pprec_timestamps)99},
     "timestamps 99 of a capture: want hardware"},
};

START_TEST(bad_options_of_a_capture_are_named)
{
    struct pprec_capture_options options = spoilt_captures[_i].options;
    struct pprec *pprec = NULL;

    options.struct_bytes = sizeof options;
    ck_assert_int_eq(pprec_new(&pprec, NULL), PPREC_OK);
    ck_assert_int_eq(pprec_open_capture(pprec, &options), PPREC_EINVAL);
    ck_assert_msg(strstr(pprec_error(pprec), spoilt_captures[_i].text) != NULL, "%s", pprec_error(pprec));
    ck_assert_int_eq(pprec_open_capture(pprec, NULL), PPREC_EINVAL);
    ck_assert_ptr_nonnull(strstr(pprec_error(pprec), "pprec_capture_options_init"));
    pprec_free(pprec);
}
END_TEST

START_TEST(the_defaults_are_good)
{
    struct pprec_config config;
    struct pprec *pprec = NULL;

    pprec_config_init(&config);
    ck_assert_int_eq(pprec_new(&pprec, &config), PPREC_OK);
    ck_assert_str_eq(pprec_error(pprec), "");
    ck_assert_uint_eq(pprec_streams(pprec), 0);
    ck_assert_int_eq(pprec_fd(pprec), -1);
    pprec_finish(pprec);
    pprec_free(pprec);
    pprec_free(NULL);
}
END_TEST

START_TEST(without_a_socket_there_is_nothing_to_dispatch)
{
    struct pprec_config config;
    struct pprec *pprec = NULL;

    pprec_config_init(&config);
    ck_assert_int_eq(pprec_new(&pprec, &config), PPREC_OK);
    ck_assert_int_eq(pprec_dispatch(pprec, 0), PPREC_EINVAL);
    ck_assert_str_ne(pprec_error(pprec), "");
    pprec_free(pprec);
}
END_TEST

/* Of no use, and no crash either, whatever the handle knows. */
START_TEST(null_is_no_packet_and_no_source)
{
    const struct pprec_endpoint source = {.address = {192, 0, 2, 1}, .port = 5004, .ip = 4};
    const struct pprec_stamp received = {.ns = 1, .clock = PPREC_CLOCK_REALTIME};
    struct pprec_arrival arrival;
    struct pprec_capacity capacity;
    struct pprec_available available;
    struct pprec_summary summary;
    struct pprec *pprec = NULL;

    ck_assert_int_eq(pprec_new(&pprec, NULL), PPREC_OK);
    pprec_arrival_init(&arrival);
    arrival.source = source;
    arrival.received = received;
    arrival.train_length = 2;
    arrival.payload_bytes = 1000;
    ck_assert_int_eq(pprec_push(pprec, &arrival), PPREC_OK);

    ck_assert_int_eq(pprec_push(pprec, NULL), PPREC_EINVAL);
    ck_assert_int_eq(pprec_push_sized(pprec, NULL, 8), PPREC_EINVAL);
    ck_assert_int_eq(pprec_push_all(pprec, NULL, 5), PPREC_EINVAL);
    ck_assert_int_eq(pprec_push_all(pprec, NULL, 0), PPREC_OK);
    ck_assert_int_eq(pprec_push_datagram(pprec, NULL, NULL, "x", 1, 1, received), PPREC_EINVAL);
    ck_assert_int_eq(pprec_push_datagram(pprec, &source, NULL, NULL, 54, 54, received), PPREC_EINVAL);
    ck_assert_int_eq(pprec_push_rtp(pprec, NULL, "x", 1, 1, received), PPREC_EINVAL);
    ck_assert_int_eq(pprec_push_rtp(pprec, &source, NULL, 12, 12, received), PPREC_EINVAL);
    ck_assert_int_eq(pprec_push_srt(pprec, &source, NULL, 16, 16, received), PPREC_EINVAL);
    ck_assert_str_eq(pprec_error(pprec), "NULL: want a packet, and where it came from");
    ck_assert_uint_eq(pprec_foreign(pprec), 8);

    ck_assert_int_eq(pprec_estimate(pprec, NULL, 0, &capacity), PPREC_EINVAL);
    ck_assert_int_eq(pprec_get_available(pprec, NULL, 0, &available), PPREC_EINVAL);
    ck_assert_int_eq(pprec_get_summary(pprec, NULL, 0, &summary), PPREC_EINVAL);
    ck_assert_int_eq(pprec_path_estimate(pprec, NULL, NULL, &capacity), PPREC_EINVAL);
    ck_assert_int_eq(pprec_reset_stream(pprec, NULL, 0), PPREC_EINVAL);
    ck_assert_int_eq(pprec_estimate(pprec, &source, 0, &capacity), PPREC_OK);
    pprec_free(pprec);
}
END_TEST

START_TEST(no_configuration_is_the_defaults)
{
    struct pprec *pprec = NULL, *other = NULL;
    struct pprec_config config;

    pprec_config_init(&config);
    ck_assert_int_eq(pprec_new(&pprec, NULL), PPREC_OK);
    ck_assert_int_eq(pprec_new(&other, &config), PPREC_OK);
    ck_assert_uint_eq(pprec_memory_bytes(pprec), pprec_memory_bytes(other));
    ck_assert_int_eq(pprec_free(pprec), PPREC_OK);
    ck_assert_int_eq(pprec_free(other), PPREC_OK);
    ck_assert_int_eq(pprec_free(NULL), PPREC_OK);
}
END_TEST

/* No callbacks: nobody is called, and the figures are there to be polled. */
START_TEST(callbacks_may_be_missing)
{
    struct pprec_arrival arrival = {
        .source = {.ip = 4},
        .train_length = 2,
        .payload_bytes = 954,
        .received = {0, PPREC_CLOCK_OTHER, PPREC_TIMESTAMPS_PCAP},
        .sent_ns = PPREC_UNKNOWN_NS,
        .departure_span_ns = PPREC_UNKNOWN_NS,
        .departed_ns = PPREC_UNKNOWN_NS,
    };
    struct pprec_config config;
    struct pprec_summary summary;
    struct pprec *pprec = NULL;

    pprec_config_init(&config);
    config.streams_max = 1;
    ck_assert_int_eq(pprec_new(&pprec, &config), PPREC_OK);
    ck_assert_int_eq(pprec_push(pprec, &arrival), PPREC_OK);
    arrival.seq = arrival.position = 1;
    arrival.received.ns = 800000;
    ck_assert_int_eq(pprec_push(pprec, &arrival), PPREC_OK);
    ck_assert_int_eq(ask_summary(pprec, 0, &summary), PPREC_OK);
    ck_assert_uint_eq(summary.counts.usable, 1);
    arrival.stream++; /* pushes the first out */
    arrival.received.ns += 3000000000;
    ck_assert_int_eq(pprec_push(pprec, &arrival), PPREC_OK);
    pprec_finish(pprec);
    pprec_free(pprec);
}
END_TEST

/* --- Words, spelled out --- */

START_TEST(verdicts_are_spelt)
{
    static const char *const words[] = {"ok",      "compressed", "expanded",
                                        "partial", "reordered",  "sender_limited",
                                        "batched", "late",       "foreign_size"};

    for (int i = 0; i <= PPREC_VERDICT_FOREIGN_SIZE; i++)
        ck_assert_str_eq(pprec_verdict_name((enum pprec_verdict)i), words[i]);
    ck_assert_str_eq(pprec_verdict_name((enum pprec_verdict)99), "unknown");
}
END_TEST

START_TEST(states_are_spelt)
{
    static const char *const words[] = {"insufficient",   "tentative", "converged", "shaped", "ambiguous",
                                        "sender_limited", "fair",      "policed",   "varying"};

    for (int i = 0; i <= PPREC_STATE_VARYING; i++)
        ck_assert_str_eq(pprec_state_name((enum pprec_state)i), words[i]);
    ck_assert_str_eq(pprec_state_name((enum pprec_state)99), "unknown");
}
END_TEST

START_TEST(timestamps_are_spelt)
{
    static const char *const words[] = {"none", "hardware", "kernel", "pcap", "user"};

    for (int i = 0; i <= PPREC_TIMESTAMPS_USER; i++)
        ck_assert_str_eq(pprec_timestamps_name((enum pprec_timestamps)i), words[i]);
}
END_TEST

START_TEST(filters_are_listed)
{
    size_t count = 0;

    while (pprec_filter_name(count) != NULL)
        ck_assert_ptr_nonnull(pprec_filter_usage(count++));
    ck_assert_uint_ge(count, 3);
    ck_assert_ptr_null(pprec_filter_usage(count));
    ck_assert_ptr_null(pprec_filter_name(count + 1));
    ck_assert_ptr_null(pprec_filter_name(count + 1000));
}
END_TEST

Suite *handle_suite(void)
{
    Suite *suite = suite_create("handle");
    TCase *life = tcase_create("life");
    TCase *words = tcase_create("words");

    tcase_add_loop_test(life, bad_configurations_are_named, 0, sizeof spoilt / sizeof spoilt[0]);
    tcase_add_test(life, a_handle_has_to_be_stored_somewhere);
    tcase_add_loop_test(life, bad_options_of_a_socket_are_named, 0,
                        sizeof spoilt_sockets / sizeof spoilt_sockets[0]);
    tcase_add_loop_test(life, bad_options_of_a_capture_are_named, 0,
                        sizeof spoilt_captures / sizeof spoilt_captures[0]);
    tcase_add_test(life, the_defaults_are_good);
    tcase_add_test(life, without_a_socket_there_is_nothing_to_dispatch);
    tcase_add_test(life, null_is_no_packet_and_no_source);
    tcase_add_test(life, no_configuration_is_the_defaults);
    tcase_add_test(life, callbacks_may_be_missing);
    tcase_add_test(words, verdicts_are_spelt);
    tcase_add_test(words, states_are_spelt);
    tcase_add_test(words, timestamps_are_spelt);
    tcase_add_test(words, filters_are_listed);
    suite_add_tcase(suite, life);
    suite_add_tcase(suite, words);
    return suite;
}

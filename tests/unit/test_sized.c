/* SPDX-License-Identifier: BSD-3-Clause */
/* Configurations from programs that were compiled with another version of the header. */
#include "pprec/pprec.h"
#include "tests/unit/suites.h"

#include <stddef.h>
#include <string.h>

static struct pprec *pprec;

static void sized_set_up(void)
{
    pprec = NULL;
}

static void sized_tear_down(void)
{
    pprec_free(pprec);
}

/* A program that knows the fields up to and with filter. */
START_TEST(an_older_program)
{
    struct {
        struct pprec_config config;
        char beyond[8];
    } room;
    size_t old_bytes = offsetof(struct pprec_config, window);

    memset(&room, 0x5a, sizeof room);
    pprec_config_init_sized(&room.config, old_bytes);
    ck_assert_uint_eq(room.config.struct_bytes, old_bytes);
    ck_assert_str_eq(room.config.filter, "adaptive");
    for (size_t i = old_bytes; i < sizeof room; i++)
        ck_assert_int_eq(((const char *)&room)[i], 0x5a);
    room.config.filter = "mean";
    ck_assert_int_eq(pprec_new(&pprec, &room.config), PPREC_OK);
}
END_TEST

struct newer {
    struct pprec_config config;
    uint64_t unheard_of;
};

START_TEST(a_newer_program)
{
    struct newer newer;

    memset(&newer, 0x5a, sizeof newer);
    pprec_config_init_sized(&newer.config, sizeof newer);
    ck_assert_uint_eq(newer.config.struct_bytes, sizeof newer);
    ck_assert_uint_eq(newer.unheard_of, 0);
    ck_assert_int_eq(pprec_new(&pprec, &newer.config), PPREC_OK);
}
END_TEST

START_TEST(a_newer_program_that_wants_what_is_not_there)
{
    struct newer newer;

    pprec_config_init_sized(&newer.config, sizeof newer);
    newer.unheard_of = 1;
    ck_assert_int_eq(pprec_new(&pprec, &newer.config), PPREC_EINVAL);
    ck_assert_ptr_nonnull(strstr(pprec_error(pprec), "pprec_config_init"));
}
END_TEST

static const size_t no_sizes[] = {0, 1, sizeof(size_t), 1 << 20, SIZE_MAX};

START_TEST(sizes_that_none_has)
{
    struct pprec_config config;

    pprec_config_init(&config);
    config.struct_bytes = no_sizes[_i];
    ck_assert_int_eq(pprec_new(&pprec, &config), PPREC_EINVAL);
}
END_TEST

START_TEST(options_of_a_socket_too)
{
    struct pprec_config config;
    struct pprec_socket_options options;

    pprec_config_init(&config);
    ck_assert_int_eq(pprec_new(&pprec, &config), PPREC_OK);
    memset(&options, 0, sizeof options);
    ck_assert_int_eq(pprec_listen(pprec, &options), PPREC_EINVAL);
    memset(&options, 0x5a, sizeof options);
    pprec_socket_options_init_sized(&options, offsetof(struct pprec_socket_options, share_port));
    ck_assert_int_eq(pprec_listen(pprec, &options), PPREC_OK);
}
END_TEST

Suite *sized_suite(void)
{
    Suite *suite = suite_create("sized");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, sized_set_up, sized_tear_down);
    tcase_add_test(all, an_older_program);
    tcase_add_test(all, a_newer_program);
    tcase_add_test(all, a_newer_program_that_wants_what_is_not_there);
    tcase_add_loop_test(all, sizes_that_none_has, 0, sizeof no_sizes / sizeof no_sizes[0]);
    tcase_add_test(all, options_of_a_socket_too);
    suite_add_tcase(suite, all);
    return suite;
}

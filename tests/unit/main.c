/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs every suite; CK_RUN_SUITE in the environment picks one. */
#include "tests/unit/suites.h"

#include <stdio.h>
#include <stdlib.h>

#define SUITE_ROW(name) name##_suite,

static Suite *(*const suites[])(void) = {SUITES(SUITE_ROW)};

int main(void)
{
    SRunner *runner;
    int failed;

    setenv("CK_DEFAULT_TIMEOUT", "60", 0); /* s, in place of 4: machines are busy, and sanitizers slow */
    runner = srunner_create(NULL);
    for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
        srunner_add_suite(runner, suites[i]());
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    if (srunner_ntests_run(runner) == 0) {
        fputs("no such suite: want one of tests/unit/suites.h\n", stderr);
        failed = 1;
    }
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

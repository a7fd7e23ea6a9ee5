/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs every suite; CK_RUN_SUITE in the environment picks one. */
#include "tests/unit/suites.h"

#include <stdlib.h>

#define SUITE_ROW(name) name##_suite,

static Suite *(*const suites[])(void) = {SUITES(SUITE_ROW)};

int main(void)
{
    SRunner *runner = srunner_create(NULL);
    int failed;

    for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
        srunner_add_suite(runner, suites[i]());
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

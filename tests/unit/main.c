/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs every suite; CK_RUN_SUITE in the environment picks one. */
#include "tests/unit/suites.h"

#include <stdlib.h>

int main(void)
{
    SRunner *runner = srunner_create(serial_suite());
    int failed;

    srunner_add_suite(runner, wire_suite());
    srunner_add_suite(runner, layer_suite());
    srunner_add_suite(runner, stamp_suite());
    srunner_add_suite(runner, filters_adaptive_suite());
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* One suite a module, each in the file test_NAME.c. */
#ifndef TESTS_UNIT_SUITES_H
#define TESTS_UNIT_SUITES_H

#include <check.h>

Suite *serial_suite(void);
Suite *stamp_suite(void);
Suite *layer_suite(void);
Suite *wire_suite(void);
Suite *filters_adaptive_suite(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* One suite a module, each in the file test_NAME.c. */
#ifndef TESTS_UNIT_SUITES_H
#define TESTS_UNIT_SUITES_H

#include <check.h>

Suite *serial_suite(void);
Suite *stamp_suite(void);
Suite *layer_suite(void);
Suite *wire_suite(void);
Suite *dispersion_suite(void);
Suite *ranked_suite(void);
Suite *rates_suite(void);
Suite *filters_suite(void);
Suite *assembler_suite(void);
Suite *waiting_suite(void);
Suite *streams_suite(void);
Suite *option_suite(void);
Suite *address_suite(void);
Suite *transmit_suite(void);
Suite *plan_suite(void);
Suite *sender_suite(void);
Suite *datagram_suite(void);
Suite *figures_suite(void);
Suite *handle_suite(void);
Suite *model_suite(void);
Suite *dissect_suite(void);
Suite *capture_suite(void);
Suite *group_suite(void);
Suite *recognise_suite(void);
Suite *allocation_suite(void);
Suite *log_suite(void);
Suite *format_suite(void);
Suite *sim_suite(void);
Suite *sized_suite(void);
Suite *results_suite(void);
Suite *memory_suite(void);
Suite *receive_suite(void);
Suite *socket_suite(void);
Suite *filters_adaptive_suite(void);
Suite *filters_doubt_suite(void);
Suite *filters_ticks_suite(void);
Suite *filters_access_suite(void);
Suite *filters_stages_suite(void);
Suite *layers_suite(void);
Suite *media_suite(void);
Suite *threads_suite(void);
Suite *strays_suite(void);
Suite *line_suite(void);
Suite *notify_suite(void);
Suite *clocks_suite(void);
Suite *control_suite(void);
Suite *tally_suite(void);
Suite *metrics_suite(void);
Suite *view_suite(void);
Suite *auth_suite(void);
Suite *guard_suite(void);
Suite *prefix_suite(void);
Suite *words_suite(void);
Suite *ranking_suite(void);
Suite *doubt_suite(void);
Suite *relay_suite(void);

#endif

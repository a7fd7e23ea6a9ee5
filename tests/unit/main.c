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
    srunner_add_suite(runner, dispersion_suite());
    srunner_add_suite(runner, ranked_suite());
    srunner_add_suite(runner, rates_suite());
    srunner_add_suite(runner, filters_suite());
    srunner_add_suite(runner, finite_suite());
    srunner_add_suite(runner, confine_suite());
    srunner_add_suite(runner, assembler_suite());
    srunner_add_suite(runner, waiting_suite());
    srunner_add_suite(runner, streams_suite());
    srunner_add_suite(runner, option_suite());
    srunner_add_suite(runner, address_suite());
    srunner_add_suite(runner, transmit_suite());
    srunner_add_suite(runner, plan_suite());
    srunner_add_suite(runner, ladder_suite());
    srunner_add_suite(runner, pattern_suite());
    srunner_add_suite(runner, sender_suite());
    srunner_add_suite(runner, datagram_suite());
    srunner_add_suite(runner, figures_suite());
    srunner_add_suite(runner, handle_suite());
    srunner_add_suite(runner, hops_suite());
    srunner_add_suite(runner, endpoint_suite());
    srunner_add_suite(runner, keyed_hash_suite());
    srunner_add_suite(runner, model_suite());
    srunner_add_suite(runner, dissect_suite());
    srunner_add_suite(runner, capture_suite());
    srunner_add_suite(runner, group_suite());
    srunner_add_suite(runner, recognise_suite());
    srunner_add_suite(runner, allocation_suite());
    srunner_add_suite(runner, log_suite());
    srunner_add_suite(runner, format_suite());
    srunner_add_suite(runner, sim_suite());
    srunner_add_suite(runner, sized_suite());
    srunner_add_suite(runner, results_suite());
    srunner_add_suite(runner, memory_suite());
    srunner_add_suite(runner, receive_suite());
    srunner_add_suite(runner, socket_suite());
    srunner_add_suite(runner, filters_adaptive_suite());
    srunner_add_suite(runner, filters_doubt_suite());
    srunner_add_suite(runner, available_suite());
    srunner_add_suite(runner, filters_ticks_suite());
    srunner_add_suite(runner, filters_access_suite());
    srunner_add_suite(runner, filters_change_suite());
    srunner_add_suite(runner, filters_stages_suite());
    srunner_add_suite(runner, layers_suite());
    srunner_add_suite(runner, controller_suite());
    srunner_add_suite(runner, media_suite());
    srunner_add_suite(runner, video_suite());
    srunner_add_suite(runner, message_suite());
    srunner_add_suite(runner, intervals_suite());
    srunner_add_suite(runner, follow_suite());
    srunner_add_suite(runner, nested_suite());
    srunner_add_suite(runner, thresholds_suite());
    srunner_add_suite(runner, threads_suite());
    srunner_add_suite(runner, strays_suite());
    srunner_add_suite(runner, line_suite());
    srunner_add_suite(runner, notify_suite());
    srunner_add_suite(runner, clocks_suite());
    srunner_add_suite(runner, control_suite());
    srunner_add_suite(runner, tally_suite());
    srunner_add_suite(runner, metrics_suite());
    srunner_add_suite(runner, view_suite());
    srunner_add_suite(runner, auth_suite());
    srunner_add_suite(runner, guard_suite());
    srunner_add_suite(runner, unsent_suite());
    srunner_add_suite(runner, replays_suite());
    srunner_add_suite(runner, state_suite());
    srunner_add_suite(runner, prefix_suite());
    srunner_add_suite(runner, words_suite());
    srunner_add_suite(runner, ranking_suite());
    srunner_add_suite(runner, doubt_suite());
    srunner_add_suite(runner, relay_suite());
    srunner_add_suite(runner, output_suite());
    srunner_add_suite(runner, sheets_suite());
    srunner_add_suite(runner, stamped_suite());
    srunner_add_suite(runner, ration_suite());
    srunner_add_suite(runner, queueing_suite());
    srunner_add_suite(runner, congestion_suite());
    srunner_add_suite(runner, free_suite());
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

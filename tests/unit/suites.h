/* SPDX-License-Identifier: BSD-3-Clause */
/* One suite per module, each in the file test_NAME.c; they run in this order. */
#ifndef TESTS_UNIT_SUITES_H
#define TESTS_UNIT_SUITES_H

#include <check.h>

/* clang-format off */
#define SUITES(X) \
    X(serial) X(wire) X(layer) X(stamp) X(dispersion) X(ranked) X(rates) X(filters) X(finite) \
    X(confine) X(assembler) X(waiting) X(streams) X(option) X(address) X(transmit) X(plan) X(ladder) \
    X(pattern) X(sender) X(datagram) X(figures) X(handle) X(hops) X(endpoint) X(keyed_hash) X(model) \
    X(dissect) X(capture) X(group) X(recognise) X(allocation) X(log) X(format) X(sim) X(sized) \
    X(results) X(memory) X(receive) X(socket) X(filters_adaptive) X(filters_doubt) X(available) \
    X(filters_ticks) X(filters_comb) X(filters_between) X(filters_stamps) X(filters_access) X(filters_change) \
    X(filters_gather) X(filters_propose) X(filters_turns) X(filters_deny) X(filters_weigh) X(filters_decide) \
    X(layers) X(controller) \
    X(heads) X(media) X(video) X(message) X(intervals) X(follow) X(nested) X(thresholds) X(threads) X(strays) \
    X(line) X(notify) X(clocks) X(control) X(tally) X(metrics) X(view) X(auth) X(guard) X(unsent) \
    X(replays) X(state) X(prefix) X(words) X(ranking) X(doubt) X(relay) X(output) X(sheets) \
    X(stamped) X(ration) X(queueing) X(congestion) X(free) X(tight) X(descriptors) X(as_left) X(tunnels) X(sent)
/* clang-format on */

#define SUITE_DECLARE(name) Suite *name##_suite(void);
SUITES(SUITE_DECLARE)

#endif

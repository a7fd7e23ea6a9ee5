/* SPDX-License-Identifier: BSD-3-Clause */
/* Families of runs: each function draws one, within what its case says. The
 * number of trains is set before. */
#ifndef TESTS_SIM_FAMILIES_H
#define TESTS_SIM_FAMILIES_H

#include "case.h"

#define MBPS 1e6
#define GBPS 1e9

typedef void sim_builder(const struct sim_case *row, struct sim_rng *rng, struct sim_config *config);

/* The table of goals. */
sim_builder sim_build_idle;
sim_builder sim_build_loaded;
sim_builder sim_build_twice;
sim_builder sim_build_after;
sim_builder sim_build_hops;
sim_builder sim_build_pareto;
sim_builder sim_build_sizes;
sim_builder sim_build_bucket;
sim_builder sim_build_tick;
sim_builder sim_build_coalescing;
sim_builder sim_build_loss;
sim_builder sim_build_disorder;
sim_builder sim_build_skew;
sim_builder sim_build_step;
sim_builder sim_build_change;
sim_builder sim_build_reroute;
sim_builder sim_build_through;
sim_builder sim_build_slow_sender;
sim_builder sim_build_busy_sender;
sim_builder sim_build_tiny;
sim_builder sim_build_classic;
sim_builder sim_build_tcp;
sim_builder sim_build_paper;
sim_builder sim_build_any;

/* Stamps and clocks. */
sim_builder sim_build_coarse;
sim_builder sim_build_shifted;
sim_builder sim_build_jittery;
sim_builder sim_build_throttle;
sim_builder sim_build_held;
sim_builder sim_build_wander;
sim_builder sim_build_slew;
sim_builder sim_build_rerouted;

/* A first measurement, without options. */
sim_builder sim_build_first;
sim_builder sim_build_first_bucket;
sim_builder sim_build_first_busy;
sim_builder sim_build_first_tick;

/* Shapers. */
sim_builder sim_build_tick_drawn;
sim_builder sim_build_bucket_shown;
sim_builder sim_build_bucket_blind;
sim_builder sim_build_bucket_shallow;
sim_builder sim_build_bucket_frame;
sim_builder sim_build_turns;
sim_builder sim_build_parallel;
sim_builder sim_build_batches;

/* Links that people have. */
sim_builder sim_build_multicast;
sim_builder sim_build_multicast_coarse;
sim_builder sim_build_single_frames;
sim_builder sim_build_aggregates_few;
sim_builder sim_build_aggregates_wired;
sim_builder sim_build_gate;
sim_builder sim_build_gate_long;
sim_builder sim_build_gate_seldom;
sim_builder sim_build_grants_few;
sim_builder sim_build_grants_before;
sim_builder sim_build_bonded_before;
sim_builder sim_build_gate_loaded;
sim_builder sim_build_grants;
sim_builder sim_build_grants_expecting;
sim_builder sim_build_cycles;
sim_builder sim_build_tti;
sim_builder sim_build_lte_radio;
sim_builder sim_build_nr_radio;
sim_builder sim_build_overtaken;
sim_builder sim_build_tti_behind;
sim_builder sim_build_grants_loaded;
sim_builder sim_build_cycles_loaded;
sim_builder sim_build_tti_loaded;
sim_builder sim_build_varied_turns;
sim_builder sim_build_varied_busy;
sim_builder sim_build_multicast_busy;
sim_builder sim_build_bonded;
sim_builder sim_build_fair;
sim_builder sim_build_fair_resting;
sim_builder sim_build_fair_sparse;
sim_builder sim_build_fair_bucket;
sim_builder sim_build_fair_short;
sim_builder sim_build_drr;
sim_builder sim_build_drr_others;
sim_builder sim_build_wfq_weights;
sim_builder sim_build_fair_slots;
sim_builder sim_build_fair_slow;
sim_builder sim_build_fair_coarse;
sim_builder sim_build_fair_small;
sim_builder sim_build_fair_busy;
sim_builder sim_build_fair_held;
sim_builder sim_build_fair_behind;
sim_builder sim_build_fair_after;
sim_builder sim_build_fair_idle;
sim_builder sim_build_fair_waits;
sim_builder sim_build_cake;
sim_builder sim_build_varied;
sim_builder sim_build_late_first;
sim_builder sim_build_full_queue;

/* What operators set. */
sim_builder sim_build_docsis;
sim_builder sim_build_docsis_late;
sim_builder sim_build_behind;
sim_builder sim_build_constant_bucket;
sim_builder sim_build_constant_beyond;
sim_builder sim_build_bucket_turns;
sim_builder sim_build_bucket_turns_before;
sim_builder sim_build_constant_grants;
sim_builder sim_build_constant_tti;
sim_builder sim_build_constant_bonded;
sim_builder sim_build_two_shapers;
sim_builder sim_build_policer;
sim_builder sim_build_short_queue;
sim_builder sim_build_bucket_tail;
sim_builder sim_build_bucket_coarse;
sim_builder sim_build_bucket_ticks;
sim_builder sim_build_bucket_ticked;
sim_builder sim_build_bucket_second_late;
sim_builder sim_build_bucket_mix;
sim_builder sim_build_bucket_uneven;
sim_builder sim_build_bucket_end;
sim_builder sim_build_bucket_over;

/* What is promised. */
sim_builder sim_build_promised_fair;
sim_builder sim_build_promised_fifo;
sim_builder sim_build_promised_policer;
sim_builder sim_build_promised_queue;
sim_builder sim_build_promised_ticks;
sim_builder sim_build_promised_tcp;

/* Anything. */
sim_builder sim_build_random;

/* Cross traffic. */
sim_builder sim_build_two_narrow;
sim_builder sim_build_constant;
sim_builder sim_build_constant_joins;
sim_builder sim_build_twice_small;
sim_builder sim_build_fluid;
sim_builder sim_build_after_bursts;
sim_builder sim_build_after_transfers;
sim_builder sim_build_chain;
sim_builder sim_build_quiet;
sim_builder sim_build_episode;

/* Senders. */
sim_builder sim_build_handed;
sim_builder sim_build_untold;
sim_builder sim_build_noisy_departure;
sim_builder sim_build_short_head;
sim_builder sim_build_descheduled;

#endif

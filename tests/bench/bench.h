/* SPDX-License-Identifier: BSD-3-Clause */
/* What `make bench` measures with: one program, a verb a tool. Each prints one
 * JSON object on standard output and exits 0; bad usage exits 2. */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include "common/option.h"

enum { BENCH_PAYLOAD_BYTES = 64, BENCH_PAYLOAD_MAX_BYTES = 1472 };

int bench_blast(int argc, char **argv);   /* loads a path with probes */
int bench_receive(int argc, char **argv); /* bare loops to compare with */
int bench_push(int argc, char **argv);    /* the library without a socket */
int bench_streams(int argc, char **argv); /* one stream and many of them */
int bench_depart(int argc, char **argv);  /* gaps of trains sent by sendto() */
int bench_arrive(int argc, char **argv);  /* gaps of trains as they come in */
int bench_cpu(int argc, char **argv);     /* processor time of another process */

/* Reads argv into options. True to go on; false with the exit status set when
 * help was asked for or the usage was bad. */
bool bench_options(const struct option_program *program, int argc, char **argv, void *options, int *status);

/* Prints the text as the program's complaint; returns the exit status of bad usage. */
int bench_refuse(const char *text);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What libFuzzer calls, and replay.c and datagrams.c without it. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#endif

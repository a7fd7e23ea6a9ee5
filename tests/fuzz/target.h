/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry point of clang's libFuzzer, and of fuzz_datagram for single files. */
#ifndef TESTS_FUZZ_TARGET_H
#define TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#endif

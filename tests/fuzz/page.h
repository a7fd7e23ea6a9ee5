/* SPDX-License-Identifier: BSD-3-Clause */
/* What whoever reads Prometheus's text format, version 0.0.4, relies on: families of HELP, TYPE
 * and their samples, none twice; labels that are closed and escaped; every figure finite, of
 * counters and histograms none below 0, and buckets that add up. */
#ifndef TESTS_FUZZ_PAGE_H
#define TESTS_FUZZ_PAGE_H

/* Aborts and shows the line that breaks it. */
void page_check(const char *page);

#endif

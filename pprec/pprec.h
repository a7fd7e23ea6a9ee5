/* SPDX-License-Identifier: BSD-3-Clause */
/* All of libpprec: capacity of a network path from packet pairs and trains. core.h alone is
 * enough for who pushes packets; docs/library.md is the guide. */
#ifndef PPREC_PPREC_H
#define PPREC_PPREC_H

#include "core.h"
#include "media.h"
#include "source.h"

#endif

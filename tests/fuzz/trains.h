/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of trains of one stream, made from an input's bytes. For each train
 *
 *   u8 low three bits: log2 of its length less one, 2 to 256; 0x08: packets may be lost;
 *      0x10: no send time; 0x20: no departure; 0x40: sizes differ; 0x80: at an absurd time,
 *      by the low two bits of the next, and 0x04 of it: sent as absurdly, to the other side
 *   u8 time since the train before; u8 delay; u8 departure span, odd: told packet by packet,
 *      too; u8 bytes of a packet
 *      a delay whose low three bits are 5: of trains of 4 and more the inner packets have a hop limit,
 *      by the departure span, and die where it is below 6; 0x08 of the delay: the markers are as
 *      large as they are; 0x10: the train ends early, 0x20: and goes on behind that, as none does
 *   then a byte a packet, 16 at most, the last of which counts for the rest: the gap before
 *      it, the highest value: it is lost
 *
 * Times and sizes are an exponent and a mantissa, from 0 ns on.
 */
#ifndef TESTS_FUZZ_TRAINS_H
#define TESTS_FUZZ_TRAINS_H

#include "pprec/pprec.h"

#include <stddef.h>
#include <stdint.h>

/* Gives push every arrival of the run, and what it is to push to. */
void trains_run(const uint8_t *data, size_t bytes,
                void (*push)(void *to, const struct pprec_arrival *arrival), void *to);

#endif

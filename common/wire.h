/* SPDX-License-Identifier: BSD-3-Clause */
/* The probe header, version 1, and the paper's classic format.
 *
 * Version 1, network byte order; 18 bytes, so that a 64-byte Ethernet frame
 * still carries it:
 *
 *   byte 0               1               2               3
 *       +-------+-------+-------+-------+-------+-------+---------------+
 *     0 |   'P' (0x50)  |   'P' (0x50)  | ver=1 | log2  |   position    |
 *       +-------+-------+-------+-------+-------+-------+---------------+
 *     4 |                           stream id                           |
 *       +---------------------------------------------------------------+
 *     8 |                 packet sequence number, from 0                |
 *       +---------------------------------------------------------------+
 *    12 |                     train number, from 0                      |
 *       +-------------------------------+-------------------------------+
 *    16 |             flags             |  extensions, in flag order... |
 *       +-------------------------------+-------------------------------+
 *
 *   log2: of the train length, 1 to 8; position: 0 to length - 1.
 *   What the sender's kernel refuses ends its train and uses no sequence number: a train whose
 *   number is left out where sequence numbers go on was not sent, and one that the next begins
 *   in the midst of was sent up to there. Neither is lost.
 *
 *   0x0001 TIME       u64 when the train was handed to the kernel,
 *                     CLOCK_REALTIME, ns; the same in each of its packets
 *   0x0002 DEPARTURE  u32 number of an earlier train, u32 its first-to-last
 *                     departure time in ns, 0xffffffff when over 4.29 s
 *   0x0008 REACH      u8 hop limit of the train's inner packets (its load), u8 hop limit of its
 *                     first and last packet (its markers), u16 payload bytes of an inner packet:
 *                     the inner ones are to die on the way. The same in each of its packets.
 *                     A train may end early: behind its first packet one that is smaller than
 *                     an inner one is its last, wherever it stands; sequence numbers go on there
 *   0x0004 AUTH       16 bytes of keyed BLAKE2b-128 over where the packet is sent to (16 bytes
 *                     of address, IPv4 as ::ffff:a.b.c.d, u16 port) and all bytes before it;
 *                     requires TIME
 *
 *   Extensions stand in this order: AUTH, which covers all others, is the last.
 *
 *   What follows is padding that does not compress.
 *
 * Classic, the paper's own (section 5): a train length agreed on beforehand,
 * and a packet whose number is a multiple of it is the first of its train:
 *
 *       +---------------+-----------------------------------------------+
 *     0 | number mod 256|                  padding ...                  |
 *       +---------------+-----------------------------------------------+
 */
#ifndef COMMON_WIRE_H
#define COMMON_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WIRE_HEADER_BYTES = 18,
    WIRE_TIME_BYTES = 8,
    WIRE_DEPARTURE_BYTES = 8,
    WIRE_REACH_BYTES = 4,
    WIRE_AUTH_BYTES = 16,
    WIRE_MOST_BYTES = 54, /* header and every extension */
    WIRE_LOG2_MIN = 1,
    WIRE_LOG2_MAX = 8,
    WIRE_TRAIN_MAX = 256,
    WIRE_CLASSIC_BYTES = 1
};

enum { WIRE_TIME = 0x0001, WIRE_DEPARTURE = 0x0002, WIRE_AUTH = 0x0004, WIRE_REACH = 0x0008 };

#define WIRE_SPAN_OVER UINT32_MAX /* a departure span that does not fit */

struct wire_probe {
    uint8_t length_log2;
    uint8_t position;
    uint16_t flags;
    uint32_t stream;
    uint32_t seq;
    uint32_t train;
    uint64_t sent_ns;           /* with WIRE_TIME */
    uint32_t departure_train;   /* with WIRE_DEPARTURE */
    uint32_t departure_span_ns; /* with WIRE_DEPARTURE */
    uint8_t reach_load_hops;    /* with WIRE_REACH; none of the three is 0 then */
    uint8_t reach_marker_hops;
    uint16_t reach_load_bytes; /* of an inner packet's payload */
};

/* Why a datagram is no probe of ours. */
enum wire_error {
    WIRE_OK = 0,
    WIRE_ESHORT = -1,    /* ends before the header or an announced extension */
    WIRE_EMAGIC = -2,    /* does not start with PP */
    WIRE_EVERSION = -3,  /* another version */
    WIRE_ELENGTH = -4,   /* train length outside 2 to 256 */
    WIRE_EPOSITION = -5, /* position outside the train */
    WIRE_EFLAGS = -6,    /* an unknown flag, or AUTH without TIME */
    WIRE_EREACH = -7     /* REACH with a hop limit of 0, in a train without inner packets, or of
                            inner packets that could not hold this header */
};

/* Bytes that the header takes with these flags. */
size_t wire_header_bytes(uint16_t flags);

/* Writes header and extensions (AUTH's tag is left to its caller) and returns
 * their size, or 0 when room_bytes is too small. */
size_t wire_encode(const struct wire_probe *probe, uint8_t *room, size_t room_bytes);

/* Whether a datagram begins like a probe: magic and version, of which more may have been cut off. */
bool wire_begins(const uint8_t *data, size_t data_bytes);

/* Reads a probe from the first bytes of a datagram: data_bytes are at hand.
 * Fields of absent extensions are 0. On error *probe is not to be used. */
enum wire_error wire_decode(struct wire_probe *probe, const uint8_t *data, size_t data_bytes);

#endif

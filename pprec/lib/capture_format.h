/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of a capture in pcap or pcapng (draft-ietf-opsawg-pcap, -pcapng), of either byte order,
 * one at a time and where they stand in the input: nothing is copied. */
#ifndef PPREC_LIB_CAPTURE_FORMAT_H
#define PPREC_LIB_CAPTURE_FORMAT_H

#include "common/error.h"
#include "pprec/lib/capture_input.h"
#include "pprec/lib/link.h"

#include <stdbool.h>
#include <stdint.h>

/* Interfaces of one section of pcapng that packets may be of. */
enum { FORMAT_INTERFACES = 256, FORMAT_MAGIC_BYTES = 4 };

/* What the packets of an interface have in common. */
struct capture_interface {
    int dlt;                      /* as pcap_datalink() says */
    const struct link_type *link; /* NULL: not supported */
    int64_t offset_s;             /* to be added to all times */
    uint64_t units;               /* of time in a second; 0: 2 to the ... */
    uint8_t units_log2;
};

struct capture_record {
    const struct capture_interface *interface;
    bool timed;           /* it has a time that can be */
    int64_t time_ns;      /* since 1970 */
    uint32_t bytes;       /* of the packet, and ... */
    uint32_t at_hand;     /* ... of those captured, in frame */
    const uint8_t *frame; /* valid until the next record is asked for */
};

struct capture_format {
    struct capture_input *input;
    bool blocks; /* pcapng */
    bool big_endian;
    uint8_t record_bytes; /* pcap: of a record's header */
    uint8_t minor;        /* pcap: of the version 2 */
    uint32_t unit_ns;     /* pcap: of fractions */
    uint64_t tail_bytes;  /* behind the last record, to be skipped */
    uint64_t good_bytes;  /* up to the end of the last whole record */
    bool damaged;         /* nothing more can be read: */
    struct error damage;
    unsigned interfaces;
    struct capture_interface interface[FORMAT_INTERFACES];
};

/* Whether a file that begins with these bytes can be a capture. */
bool format_begins(const uint8_t *magic);

/* Reads up to the first packet. -1, with the error's text set, for what is no capture, or has no
 * link type that is supported. */
int format_open(struct capture_format *format, struct capture_input *input, struct error *error);

/* The next record. 1; 0 at the end; -1 for damage, with the error's text set, again and again. */
int format_next(struct capture_format *format, struct capture_record *record, struct error *error);

#endif

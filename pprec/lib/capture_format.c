/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture_format.h"

#include "common/stamp.h"
#include "pprec/lib/bytes.h"

#include <pcap/pcap.h>
#include <string.h>

enum {
    FILE_BYTES = 24,
    RECORD_BYTES = 16,
    RECORD_MODIFIED_BYTES = 24, /* of a kernel of 1999: interface, protocol, type */
    FRAME_MOST_BYTES = 1 << 18, /* as libpcap has it */
    LINK_TYPE_BITS = 0x03ffffff /* above stands the length of the FCS */
};

#define MAGIC_MICRO 0xa1b2c3d4U
#define MAGIC_NANO 0xa1b23c4dU
#define MAGIC_MODIFIED 0xa1b2cd34U

/* Seconds beyond this are nonsense, and would overflow in nanoseconds. */
#define SECONDS_MOST (INT64_C(1) << 32)

#define UNITS_NANO ((uint64_t)STAMP_NS_PER_S)

static inline uint32_t swapped(uint32_t word)
{
    return word >> 24 | (word >> 8 & 0xff00) | (word << 8 & 0xff0000) | word << 24;
}

/* Both orders are one load: what swaps bytes is one instruction. */
static inline uint32_t u32(const struct capture_format *format, const uint8_t *at)
{
    uint32_t big = bytes_u32(at);

    return format->big_endian ? big : swapped(big);
}

static uint16_t u16(const struct capture_format *format, const uint8_t *at)
{
    return format->big_endian ? bytes_u16(at) : (uint16_t)(at[0] | at[1] << 8);
}

/* Files number a few link types otherwise than systems do. */
static int dlt_of(uint32_t link_type)
{
    enum { LINK_TYPE_RAW = 101 };

    return link_type == LINK_TYPE_RAW ? DLT_RAW : (int)link_type;
}

static int no_more(const struct capture_format *format, const char *what, struct error *error)
{
    const char *why = input_fault(format->input);

    if (format->input->failed != 0)
        return error_set(error, "%s", why);
    return why != NULL ? error_set(error, "the data of %s: %s", format->input->way->name, why)
                       : error_set(error, "it ends inside %s", what);
}

/* --- pcap --- */

static int open_pcap(struct capture_format *format, struct error *error)
{
    const uint8_t *at = input_want(format->input, FILE_BYTES);
    struct capture_interface *interface = &format->interface[0];
    uint32_t magic;

    if (at == NULL)
        return no_more(format, "the header of the file", error);
    magic = bytes_u32(at);
    format->big_endian = magic == MAGIC_MICRO || magic == MAGIC_NANO || magic == MAGIC_MODIFIED;
    magic = u32(format, at);
    if (u16(format, at + 4) != 2 || u16(format, at + 6) > 4)
        return error_set(error, "version %u.%u of pcap is not known", u16(format, at + 4),
                         u16(format, at + 6));
    format->minor = (uint8_t)u16(format, at + 6);
    format->record_bytes = magic == MAGIC_MODIFIED ? RECORD_MODIFIED_BYTES : RECORD_BYTES;
    format->unit_ns = magic == MAGIC_NANO ? 1 : STAMP_NS_PER_US;
    interface->dlt = dlt_of(u32(format, at + 20) & LINK_TYPE_BITS);
    interface->link = link_find(interface->dlt);
    format->interfaces = 1;
    input_take(format->input, FILE_BYTES);
    return 0;
}

/* Before version 2.3 the lengths stood in the other order; in 2.3 they stand in either. */
static bool lengths_turned(const struct capture_format *format, uint32_t at_hand, uint32_t bytes)
{
    return format->minor < 3 || (format->minor == 3 && at_hand > bytes);
}

static void read_pcap_record(const struct capture_format *format, const uint8_t *at,
                             struct capture_record *record)
{
    uint32_t fraction = u32(format, at + 4);

    record->interface = &format->interface[0];
    record->timed = (int64_t)fraction * format->unit_ns < STAMP_NS_PER_S;
    record->time_ns = (int64_t)u32(format, at) * STAMP_NS_PER_S + (int64_t)fraction * format->unit_ns;
    record->at_hand = u32(format, at + 8);
    record->bytes = u32(format, at + 12);
    if (format->minor < 4 && lengths_turned(format, record->at_hand, record->bytes)) {
        record->at_hand = record->bytes;
        record->bytes = u32(format, at + 8);
    }
}

static int next_pcap(struct capture_format *format, struct capture_record *record, struct error *error)
{
    const uint8_t *at = input_peek(format->input, format->record_bytes);
    size_t bytes;

    if (at == NULL)
        return input_ready(format->input) == 0 && input_fault(format->input) == NULL
            ? 0
            : no_more(format, "the header of a record", error);
    read_pcap_record(format, at, record);
    if (record->at_hand > FRAME_MOST_BYTES)
        return error_set(error, "a record of %u bytes, of %d at most", record->at_hand, FRAME_MOST_BYTES);
    bytes = format->record_bytes + (size_t)record->at_hand;
    at = input_peek(format->input, bytes);
    if (at == NULL)
        return no_more(format, "a record", error);
    record->frame = at + format->record_bytes;
    input_take(format->input, bytes);
    return 1;
}

/* --- pcapng --- */

enum {
    BLOCK_HEAD_BYTES = 8, /* type and length */
    BLOCK_TAIL_BYTES = 4, /* the length again */
    BLOCK_LEAST_BYTES = BLOCK_HEAD_BYTES + BLOCK_TAIL_BYTES,
    SECTION_BYTES = 16, /* of the rest of its header */
    INTERFACE_BYTES = 8,
    OPTIONS_MOST_BYTES = 64 << 10, /* what stands behind is left unread */
    PACKET_BYTES = 20,
    PACKET_SIMPLE_BYTES = 4
};

#define BLOCK_SECTION 0x0a0d0d0aU /* the same in either byte order */
#define BYTE_ORDER_MAGIC 0x1a2b3c4dU

enum { BLOCK_INTERFACE = 1, BLOCK_PACKET_OLD = 2, BLOCK_PACKET_SIMPLE = 3, BLOCK_PACKET = 6 };

enum { OPTION_END = 0, OPTION_RESOLUTION = 9, OPTION_OFFSET = 14, UNITS_DEFAULT = 1000000 };

struct block {
    uint32_t type, bytes;
    const uint8_t *body; /* as much as was wanted of it */
    size_t body_bytes;   /* all of it */
};

/* So that other sections may follow, with the other byte order. */
static int enter_section(struct capture_format *format, const uint8_t *body, struct error *error)
{
    uint32_t magic = bytes_u32(body);

    format->big_endian = magic == BYTE_ORDER_MAGIC;
    if (!format->big_endian && swapped(magic) != BYTE_ORDER_MAGIC)
        return error_set(error, "a section of no byte order");
    if (u16(format, body + 4) != 1)
        return error_set(error, "version %u.%u of pcapng is not known", u16(format, body + 4),
                         u16(format, body + 6));
    format->interfaces = 0;
    return 0;
}

static uint64_t power_of_ten(unsigned exponent)
{
    uint64_t power = 1;

    while (exponent-- > 0)
        power *= 10;
    return power;
}

static int read_resolution(struct capture_interface *interface, uint8_t value, struct error *error)
{
    unsigned exponent = value & 0x7f;

    if (exponent > (value & 0x80 ? 63U : 19U))
        return error_set(error, "times in steps of %s to the -%u", value & 0x80 ? "2" : "10", exponent);
    interface->units = value & 0x80 ? 0 : power_of_ten(exponent);
    interface->units_log2 = (uint8_t)(value & 0x80 ? exponent : 0);
    return 0;
}

static int read_interface_options(const struct capture_format *format, const uint8_t *at, size_t bytes,
                                  struct capture_interface *interface, struct error *error)
{
    while (bytes >= 4) {
        uint16_t code = u16(format, at), length = u16(format, at + 2);
        size_t padded = ((size_t)length + 3) & ~(size_t)3;

        if (code == OPTION_END || padded > bytes - 4)
            return 0;
        if (code == OPTION_RESOLUTION && length == 1 && read_resolution(interface, at[4], error) < 0)
            return -1;
        if (code == OPTION_OFFSET && length == 8) {
            uint32_t first = u32(format, at + 4), second = u32(format, at + 8);

            interface->offset_s = (int64_t)(format->big_endian ? (uint64_t)first << 32 | second
                                                               : (uint64_t)second << 32 | first);
        }
        at += 4 + padded;
        bytes -= 4 + padded;
    }
    return 0;
}

static int add_interface(struct capture_format *format, const uint8_t *body, size_t bytes,
                         struct error *error)
{
    struct capture_interface *interface = &format->interface[format->interfaces];

    if (format->interfaces == FORMAT_INTERFACES)
        return error_set(error, "more than %d interfaces", FORMAT_INTERFACES);
    *interface = (struct capture_interface){.dlt = dlt_of(u16(format, body)), .units = UNITS_DEFAULT};
    interface->link = link_find(interface->dlt);
    format->interfaces++;
    return read_interface_options(format, body + INTERFACE_BYTES, bytes - INTERFACE_BYTES, interface, error);
}

/* Fractions of more than 34 bits are finer than a nanosecond. */
static int64_t fraction_ns(const struct capture_interface *interface, uint64_t fraction)
{
    unsigned log2 = interface->units_log2;

    if (interface->units > UNITS_NANO)
        return (int64_t)(fraction / (interface->units / UNITS_NANO));
    if (interface->units > 0)
        return (int64_t)(fraction * (UNITS_NANO / interface->units));
    if (log2 > 34) {
        fraction >>= log2 - 34;
        log2 = 34;
    }
    return (int64_t)(fraction * UNITS_NANO >> log2);
}

static void capture_format_read_time(struct capture_record *record, uint64_t time)
{
    const struct capture_interface *interface = record->interface;
    uint64_t units = interface->units > 0 ? interface->units : UINT64_C(1) << interface->units_log2;
    uint64_t whole_s = time / units;
    int64_t offset_s = interface->offset_s;

    if (whole_s >= (uint64_t)SECONDS_MOST || offset_s <= -SECONDS_MOST || offset_s >= SECONDS_MOST
        || (int64_t)whole_s + offset_s >= SECONDS_MOST)
        return;
    record->timed = true;
    record->time_ns = ((int64_t)whole_s + offset_s) * STAMP_NS_PER_S + fraction_ns(interface, time % units);
}

/* How many bytes of the body stand before the packet; 0: the block has no packet. */
static size_t packet_head(uint32_t type)
{
    return type == BLOCK_PACKET || type == BLOCK_PACKET_OLD ? PACKET_BYTES
        : type == BLOCK_PACKET_SIMPLE                       ? PACKET_SIMPLE_BYTES
                                                            : 0;
}

/* Type, length and as much of the body as every block of the type has. */
static int open_block(struct capture_format *format, struct block *block, struct error *error)
{
    const uint8_t *at = input_peek(format->input, BLOCK_LEAST_BYTES);
    size_t least;

    if (at == NULL)
        return input_ready(format->input) == 0 && input_fault(format->input) == NULL
            ? 0
            : no_more(format, "the header of a block", error);
    block->type = u32(format, at);
    if (block->type == BLOCK_SECTION) /* its byte order is told behind its length */
        format->big_endian = bytes_u32(at + BLOCK_HEAD_BYTES) == BYTE_ORDER_MAGIC;
    block->bytes = u32(format, at + 4);
    least = block->type == BLOCK_SECTION ? SECTION_BYTES
        : block->type == BLOCK_INTERFACE ? INTERFACE_BYTES
                                         : packet_head(block->type);
    if (block->bytes < BLOCK_LEAST_BYTES + least || block->bytes % 4 != 0)
        return error_set(error, "a block of type %u and %u bytes", block->type, block->bytes);
    block->body_bytes = block->bytes - BLOCK_LEAST_BYTES;
    return 1;
}

/* So much of the body is at hand then. */
static int want_body(struct capture_format *format, struct block *block, size_t bytes, struct error *error)
{
    const uint8_t *at = input_peek(format->input, BLOCK_HEAD_BYTES + bytes);

    if (at == NULL)
        return no_more(format, "a block", error);
    block->body = at + BLOCK_HEAD_BYTES;
    return 0;
}

/* The rest, and its length once more. */
static int close_block(struct capture_format *format, const struct block *block, struct error *error)
{
    const uint8_t *at;

    if (!input_skip(format->input, block->bytes - BLOCK_TAIL_BYTES)
        || (at = input_peek(format->input, BLOCK_TAIL_BYTES)) == NULL)
        return no_more(format, "a block", error);
    if (u32(format, at) != block->bytes)
        return error_set(error, "a block whose two lengths differ, %u and %u", block->bytes, u32(format, at));
    input_take(format->input, BLOCK_TAIL_BYTES);
    return 0;
}

static int read_packet_head(struct capture_format *format, const struct block *block,
                            struct capture_record *record, struct error *error)
{
    const uint8_t *body = block->body;
    uint32_t number = block->type == BLOCK_PACKET_SIMPLE ? 0
        : block->type == BLOCK_PACKET                    ? u32(format, body)
                                                         : u16(format, body);

    if (number >= format->interfaces)
        return error_set(error, "a packet of interface %u, of %u", number, format->interfaces);
    *record = (struct capture_record){.interface = &format->interface[number]};
    if (block->type == BLOCK_PACKET_SIMPLE) { /* without a time, and padded to its block's end */
        record->bytes = u32(format, body);
        record->at_hand = record->bytes < block->body_bytes - PACKET_SIMPLE_BYTES
            ? record->bytes
            : (uint32_t)(block->body_bytes - PACKET_SIMPLE_BYTES);
    } else {
        capture_format_read_time(record, (uint64_t)u32(format, body + 4) << 32 | u32(format, body + 8));
        record->at_hand = u32(format, body + 12);
        record->bytes = u32(format, body + 16);
    }
    if (record->at_hand > FRAME_MOST_BYTES || record->at_hand > block->body_bytes - packet_head(block->type))
        return error_set(error, "a packet of %u bytes in a block of %u", record->at_hand, block->bytes);
    return 0;
}

/* Options and the second length follow the packet, which must stay where it is until the next one. */
static int read_packet(struct capture_format *format, struct block *block, struct capture_record *record,
                       struct error *error)
{
    size_t head = packet_head(block->type), whole = block->bytes;
    const uint8_t *at;

    if (want_body(format, block, head, error) < 0 || read_packet_head(format, block, record, error) < 0)
        return -1;
    if (want_body(format, block, head + record->at_hand, error) < 0)
        return -1;
    if (whole > INPUT_MOST_BYTES) { /* who has written that much about one packet? */
        record->frame = block->body + head;
        format->tail_bytes = whole;
        return 1;
    }
    at = input_peek(format->input, whole);
    if (at == NULL)
        return no_more(format, "a block", error);
    if (u32(format, at + whole - BLOCK_TAIL_BYTES) != block->bytes)
        return error_set(error, "a block whose two lengths differ, %u and %u", block->bytes,
                         u32(format, at + whole - BLOCK_TAIL_BYTES));
    record->frame = at + BLOCK_HEAD_BYTES + head;
    input_take(format->input, whole);
    return 1;
}

/* Any block but a packet. */
static int read_other(struct capture_format *format, struct block *block, struct error *error)
{
    size_t wanted = block->body_bytes < OPTIONS_MOST_BYTES ? block->body_bytes : OPTIONS_MOST_BYTES;
    bool matters = block->type == BLOCK_SECTION || block->type == BLOCK_INTERFACE;

    if (matters && want_body(format, block, wanted, error) < 0)
        return -1;
    if (block->type == BLOCK_SECTION && enter_section(format, block->body, error) < 0)
        return -1;
    if (block->type == BLOCK_INTERFACE && add_interface(format, block->body, wanted, error) < 0)
        return -1;
    return close_block(format, block, error);
}

static int skip_tail(struct capture_format *format, struct error *error)
{
    uint64_t bytes = format->tail_bytes;

    format->tail_bytes = 0;
    return input_skip(format->input, bytes) ? 0 : no_more(format, "a block", error);
}

/* Up to the next packet, whose block is open then. */
static int find_packet(struct capture_format *format, struct block *block, struct error *error)
{
    int status;

    if (format->tail_bytes > 0 && skip_tail(format, error) < 0)
        return -1;
    while ((status = open_block(format, block, error)) > 0 && packet_head(block->type) == 0) {
        if (read_other(format, block, error) < 0)
            return -1;
        format->good_bytes = input_offset(format->input);
    }
    return status;
}

static int next_block(struct capture_format *format, struct capture_record *record, struct error *error)
{
    struct block block;
    int status = find_packet(format, &block, error);

    return status > 0 ? read_packet(format, &block, record, error) : status;
}

/* --- Both --- */

bool format_begins(const uint8_t *magic)
{
    uint32_t word = bytes_u32(magic), other = swapped(word);

    return word == BLOCK_SECTION || word == MAGIC_MICRO || other == MAGIC_MICRO || word == MAGIC_NANO
        || other == MAGIC_NANO || word == MAGIC_MODIFIED || other == MAGIC_MODIFIED;
}

static int check_links(const struct capture_format *format, struct error *error)
{
    const char *name;
    int dlt = format->interface[0].dlt;

    for (unsigned i = 0; i < format->interfaces; i++)
        if (format->interface[i].link != NULL)
            return 0;
    if (format->interfaces == 0)
        return 0;
    name = pcap_datalink_val_to_name(dlt);
    return error_set(error, "link type %d (%s) is not supported", dlt, name != NULL ? name : "unknown");
}

/* A section's header must be whole; a fault behind it is damage. */
static int open_blocks(struct capture_format *format, struct error *error)
{
    struct block block;

    if (open_block(format, &block, error) <= 0 || read_other(format, &block, error) < 0)
        return error->text[0] != '\0' ? -1 : error_set(error, "it ends inside its first block");
    format->good_bytes = input_offset(format->input);
    format->damaged = find_packet(format, &block, &format->damage) < 0;
    return 0;
}

int format_open(struct capture_format *format, struct capture_input *input, struct error *error)
{
    const uint8_t *magic = input_want(input, FORMAT_MAGIC_BYTES);
    int status;

    memset(format, 0, offsetof(struct capture_format, interface));
    format->input = input;
    error->text[0] = '\0';
    if (magic == NULL && input_fault(input) != NULL)
        return no_more(format, "", error);
    if (magic == NULL || !format_begins(magic))
        return error_set(error, "%s; want pcap or pcapng",
                         magic == NULL ? "too short for a capture" : "no capture's format");
    format->blocks = bytes_u32(magic) == BLOCK_SECTION;
    status = format->blocks ? open_blocks(format, error) : open_pcap(format, error);
    if (status == 0 && !format->blocks)
        format->good_bytes = input_offset(input);
    return status == 0 ? check_links(format, error) : -1;
}

int format_next(struct capture_format *format, struct capture_record *record, struct error *error)
{
    int status;

    if (format->damaged) {
        *error = format->damage;
        return -1;
    }
    status = format->blocks ? next_block(format, record, error) : next_pcap(format, record, error);
    if (status > 0)
        format->good_bytes = input_offset(format->input);
    if (status < 0) {
        format->damaged = true;
        format->damage = *error;
    }
    return status;
}

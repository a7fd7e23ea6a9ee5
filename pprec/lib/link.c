/* SPDX-License-Identifier: BSD-3-Clause */
#include "link.h"

#include "bytes.h"

#include <pcap/dlt.h>

enum {
    TYPE_IPV4 = 0x0800,
    TYPE_IPV6 = 0x86dd,
    TYPE_VLAN = 0x8100,          /* IEEE 802.1Q */
    TYPE_PROVIDER = 0x88a8,      /* IEEE 802.1ad, QinQ */
    TYPE_QINQ_OLD = 0x9100,      /* QinQ before the standard */
    TYPE_PPPOE = 0x8864,         /* a session, RFC 2516 */
    TYPE_MPLS = 0x8847,          /* RFC 3032 */
    TYPE_MPLS_UPSTREAM = 0x8848, /* RFC 5332 */
    TYPE_LEAST = 0x0600,         /* below: a length, and LLC follows (IEEE 802.3) */
    PPP_IPV4 = 0x0021,
    PPP_IPV6 = 0x0057
};

static bool link_skip(struct link_frame *frame, size_t bytes)
{
    if (frame->bytes < bytes)
        return false;
    frame->at += bytes;
    frame->bytes -= bytes;
    return true;
}

/* The 16 bits at an offset; 0, which is no type of ours, past the end. */
static uint16_t peek(const struct link_frame *frame, size_t offset)
{
    return frame->bytes >= offset + 2 ? bytes_u16(frame->at + offset) : 0;
}

static bool is_tag(uint16_t type)
{
    return type == TYPE_VLAN || type == TYPE_PROVIDER || type == TYPE_QINQ_OLD;
}

static enum link_result enter_raw(struct link_frame *frame)
{
    return frame->bytes > 0 ? LINK_IP : LINK_CUT;
}

/* RFC 1662: address ff and control 03 may be left out, and the protocol's first
 * byte too when it is 0; the last byte of a protocol is odd, the first even. */
static enum link_result enter_ppp(struct link_frame *frame)
{
    uint16_t protocol;

    if (peek(frame, 0) == 0xff03)
        link_skip(frame, 2);
    if (frame->bytes < 2)
        return LINK_CUT;
    protocol = frame->at[0] & 1 ? frame->at[0] : peek(frame, 0);
    link_skip(frame, frame->at[0] & 1 ? 1 : 2);
    return protocol == PPP_IPV4 || protocol == PPP_IPV6 ? LINK_IP : LINK_OTHER;
}

/* Version 1, type 1, code 0 for data, session, length, then PPP. IP tells its own length. */
static enum link_result enter_pppoe(struct link_frame *frame)
{
    uint16_t kind = peek(frame, 0);

    if (!link_skip(frame, 6))
        return LINK_CUT;
    return kind == 0x1100 ? enter_ppp(frame) : LINK_OTHER;
}

/* Labels of 4 bytes; the last one has the lowest bit of its third. None says what
 * follows: IP is known by its version, as in raw captures. */
static enum link_result enter_mpls(struct link_frame *frame)
{
    bool last = false;

    while (!last) {
        last = peek(frame, 2) & 0x0100;
        if (!link_skip(frame, 4))
            return LINK_CUT;
    }
    return enter_raw(frame);
}

/* The frame stands behind its type. */
static enum link_result enter_type(struct link_frame *frame, uint16_t type)
{
    while (is_tag(type)) {
        type = peek(frame, 2);
        if (!link_skip(frame, 4))
            return LINK_CUT;
    }
    if (type == TYPE_PPPOE)
        return enter_pppoe(frame);
    if (type == TYPE_MPLS || type == TYPE_MPLS_UPSTREAM)
        return enter_mpls(frame);
    return type == TYPE_IPV4 || type == TYPE_IPV6 ? LINK_IP : LINK_OTHER;
}

/* RFC 1042: aa aa 03, no organisation, then a type. */
static enum link_result enter_llc(struct link_frame *frame)
{
    uint16_t type = peek(frame, 6);

    if (frame->bytes < 8)
        return LINK_CUT;
    if (peek(frame, 0) != 0xaaaa || peek(frame, 2) != 0x0300 || peek(frame, 4) != 0)
        return LINK_OTHER;
    link_skip(frame, 8);
    return enter_type(frame, type);
}

static enum link_result enter_ethernet(struct link_frame *frame)
{
    uint16_t type = peek(frame, 12);

    if (!link_skip(frame, 14))
        return LINK_CUT;
    return type < TYPE_LEAST ? enter_llc(frame) : enter_type(frame, type);
}

/* Linux cooked capture: 16 bytes, the type last. */
static enum link_result enter_sll(struct link_frame *frame)
{
    uint16_t type = peek(frame, 14);

    return link_skip(frame, 16) ? enter_type(frame, type) : LINK_CUT;
}

/* Version 2: 20 bytes, the type first. */
static enum link_result enter_sll2(struct link_frame *frame)
{
    uint16_t type = peek(frame, 0);

    return link_skip(frame, 20) ? enter_type(frame, type) : LINK_CUT;
}

/* A 32-bit address family, in the byte order of the host that captured. AF_INET
 * is 2 everywhere, AF_INET6 is 10 (Linux), 24, 28 or 30. All are below 256, so
 * only one of the bytes is not 0. */
static enum link_result enter_null(struct link_frame *frame)
{
    unsigned family;

    if (frame->bytes < 4)
        return LINK_CUT;
    family = (unsigned)(frame->at[0] | frame->at[3]);
    if (frame->at[1] != 0 || frame->at[2] != 0)
        return LINK_OTHER;
    link_skip(frame, 4);
    return family == 2 || family == 10 || family == 24 || family == 28 || family == 30 ? LINK_IP : LINK_OTHER;
}

/* IEEE 802.11, data frames that are not encrypted. padded: to 4 bytes. */
static enum link_result enter_80211(struct link_frame *frame, bool padded)
{
    size_t header = 24;
    uint8_t kind, flags;

    if (frame->bytes < header)
        return LINK_CUT;
    kind = frame->at[0];
    flags = frame->at[1];
    if ((kind & 0x0c) != 0x08 || (kind & 0x40) || (flags & 0x40))
        return LINK_OTHER; /* no data frame, no data in it, or encrypted */
    if ((flags & 0x03) == 0x03)
        header += 6; /* a fourth address: between access points */
    if (kind & 0x80)
        header += flags & 0x80 ? 6 : 2; /* QoS control, HT control */
    if (padded)
        header = (header + 3) & ~(size_t)3;
    return link_skip(frame, header) ? enter_llc(frame) : LINK_CUT;
}

static enum link_result enter_wlan(struct link_frame *frame)
{
    return enter_80211(frame, false);
}

/* Whether radiotap's flags field, after the time of 8 bytes if there is one, says
 * that the 802.11 header is padded. */
static bool radiotap_padded(const struct link_frame *frame, size_t header)
{
    size_t at = 4;
    bool has_time = frame->at[4] & 0x01, has_flags = frame->at[4] & 0x02;

    while (at + 4 <= header && frame->at[at + 3] & 0x80)
        at += 4; /* a further word of what is present */
    at += 4;
    if (has_time)
        at = ((at + 7) & ~(size_t)7) + 8;
    return has_flags && at < header && frame->at[at] & 0x20;
}

/* Radiotap is little-endian: version 0, padding, length, what is present. */
static enum link_result enter_radiotap(struct link_frame *frame)
{
    size_t header;
    bool padded;

    if (frame->bytes < 8)
        return LINK_CUT;
    header = (size_t)(frame->at[2] | frame->at[3] << 8);
    if (frame->at[0] != 0 || header < 8)
        return LINK_OTHER;
    if (frame->bytes < header)
        return LINK_CUT;
    padded = radiotap_padded(frame, header);
    link_skip(frame, header);
    return enter_80211(frame, padded);
}

static const struct link_type types[] = {
    {DLT_EN10MB, enter_ethernet}, {DLT_LINUX_SLL, enter_sll},   {DLT_LINUX_SLL2, enter_sll2},
    {DLT_RAW, enter_raw},         {DLT_IPV4, enter_raw},        {DLT_IPV6, enter_raw},
    {DLT_NULL, enter_null},       {DLT_LOOP, enter_null},       {DLT_PPP, enter_ppp},
    {DLT_PPP_SERIAL, enter_ppp},  {DLT_IEEE802_11, enter_wlan}, {DLT_IEEE802_11_RADIO, enter_radiotap},
};

const struct link_type *link_find(int dlt)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].dlt == dlt)
            return &types[i];
    return NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The dissector against packets written by hand from RFC 791, 8200, 768 and 9293.
 * What is in front of IP stands in captures, tests/vectors/same-*. */
#include "pprec/lib/dissect.h"
#include "tests/unit/random.h"
#include "tests/unit/suites.h"

#include <pcap/dlt.h>
#include <stdlib.h>
#include <string.h>

/* 192.0.2.1 to 198.51.100.9 */
#define ADDRESSES 192, 0, 2, 1, 198, 51, 100, 9

/* Ports 40000 and 9000, 12 bytes: a payload of 4; no checksum. */
#define UDP 0x9c, 0x40, 0x23, 0x28, 0, 12, 0, 0, 0xca, 0xfe, 0xba, 0xbe

/* Sequence number 0x01020304, header of 24 bytes with an option, ACK and PSH. */
#define TCP 0x01, 0xbb, 0xc0, 0x00, 1, 2, 3, 4, 9, 9, 9, 9, 0x60, 0x18, 1, 0, 0, 0, 0, 0, 2, 4, 5, 0xb4

/* 2001:db8::1 to 2001:db8::9 */
#define ADDRESSES6                                                                                           \
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
        0, 0, 9

static const uint8_t udp4[] = {0x45, 0, 0, 32, 0, 7, 0, 0, 61, 17, 0, 0, ADDRESSES, UDP};
static const uint8_t udp6[] = {0x60, 0, 0, 0, 0, 12, 17, 62, ADDRESSES6, UDP};

static enum dissect_result dissect_enter(struct packet *packet, const uint8_t *bytes, size_t count)
{
    return dissect(packet, link_find(DLT_RAW), bytes, count);
}

#define ENTER(packet, bytes) dissect_enter(packet, bytes, sizeof bytes)

START_TEST(udp_over_ipv4)
{
    struct packet packet;

    ck_assert_int_eq(ENTER(&packet, udp4), DISSECT_OK);
    ck_assert_uint_eq(packet.protocol, PACKET_UDP);
    ck_assert_uint_eq(packet.arrival.source.ip, 4);
    ck_assert_mem_eq(packet.arrival.source.address, ((uint8_t[16]){192, 0, 2, 1}), 16);
    ck_assert_mem_eq(packet.arrival.destination.address, ((uint8_t[16]){198, 51, 100, 9}), 16);
    ck_assert_uint_eq(packet.arrival.source.port, 40000);
    ck_assert_uint_eq(packet.arrival.destination.port, 9000);
    ck_assert_uint_eq(packet.arrival.header_bytes, 28);
    ck_assert_uint_eq(packet.arrival.payload_bytes, 4);
    ck_assert_uint_eq(packet.data_bytes, 4);
    ck_assert_ptr_eq(packet.data, udp4 + 28);
    ck_assert_uint_eq(packet.arrival.hops_left, 61);
}
END_TEST

START_TEST(udp_over_ipv6)
{
    struct packet packet;

    ck_assert_int_eq(ENTER(&packet, udp6), DISSECT_OK);
    ck_assert_uint_eq(packet.arrival.source.ip, 6);
    ck_assert_mem_eq(packet.arrival.source.address, udp6 + 8, 16);
    ck_assert_mem_eq(packet.arrival.destination.address, udp6 + 24, 16);
    ck_assert_uint_eq(packet.arrival.destination.port, 9000);
    ck_assert_uint_eq(packet.arrival.header_bytes, 48);
    ck_assert_uint_eq(packet.arrival.payload_bytes, 4);
    ck_assert_uint_eq(packet.arrival.hops_left, 62);
}
END_TEST

/* 1000 bytes of payload that were not captured, nor were the options. */
START_TEST(tcp_cut_behind_its_header)
{
    static const uint8_t bytes[] = {0x45, 0, 0x04, 0x14, 0, 7, 0x40, 0, 64, 6, 0, 0, ADDRESSES, TCP};
    struct packet packet;

    for (size_t kept = 40; kept <= sizeof bytes; kept++) {
        ck_assert_int_eq(dissect_enter(&packet, bytes, kept), DISSECT_OK);
        ck_assert_uint_eq(packet.tcp_seq, 0x01020304);
        ck_assert_uint_eq(packet.tcp_flags, 0x18);
        ck_assert_uint_eq(packet.arrival.header_bytes, 44);
        ck_assert_uint_eq(packet.arrival.payload_bytes, 1000);
        ck_assert_uint_eq(packet.data_bytes, 0);
    }
    ck_assert_int_eq(dissect_enter(&packet, bytes, 39), DISSECT_CUT);
}
END_TEST

START_TEST(every_cut_before_the_payload)
{
    struct packet packet;

    for (size_t kept = 0; kept < 28; kept++)
        ck_assert_int_eq(dissect_enter(&packet, udp4, kept), DISSECT_CUT);
    for (size_t kept = 0; kept < 48; kept++)
        ck_assert_int_eq(dissect_enter(&packet, udp6, kept), DISSECT_CUT);
}
END_TEST

/* What Ethernet pads a short frame with is no payload. */
START_TEST(padding_is_no_payload)
{
    uint8_t bytes[sizeof udp4 + 14] = {0};
    struct packet packet;

    memcpy(bytes, udp4, sizeof udp4);
    ck_assert_int_eq(ENTER(&packet, bytes), DISSECT_OK);
    ck_assert_uint_eq(packet.arrival.payload_bytes, 4);
    ck_assert_uint_eq(packet.data_bytes, 4);
}
END_TEST

static const struct {
    const char *what;
    size_t at;
    uint8_t value;
    enum dissect_result want;
} changes[] = {
    {"version 5", 0, 0x55, DISSECT_OTHER},
    {"header of 16 bytes", 0, 0x44, DISSECT_BAD},
    {"total length below the header", 3, 19, DISSECT_BAD},
    {"total length below the UDP header", 3, 27, DISSECT_BAD},
    {"more fragments", 6, 0x20, DISSECT_FRAGMENT},
    {"fragment offset", 7, 1, DISSECT_FRAGMENT},
    {"don't fragment", 6, 0x40, DISSECT_OK},
    {"ICMP", 9, 1, DISSECT_OTHER},
    {"UDP length 7", 25, 7, DISSECT_BAD},
    {"UDP length past the packet", 25, 13, DISSECT_BAD},
    {"UDP length short of the packet", 25, 9, DISSECT_OK},
};

START_TEST(one_byte_changed)
{
    uint8_t bytes[sizeof udp4];
    struct packet packet;

    memcpy(bytes, udp4, sizeof bytes);
    bytes[changes[_i].at] = changes[_i].value;
    ck_assert_msg(ENTER(&packet, bytes) == changes[_i].want, "%s", changes[_i].what);
}
END_TEST

START_TEST(ipv6_fragment)
{
    static const uint8_t first[] = {0x60, 0, 0, 0, 0, 20, 44, 64, ADDRESSES6, 17, 0, 0, 1, 0, 0, 0, 9, UDP};
    static const uint8_t later[] = {0x60, 0, 0, 0, 0, 20, 44, 64, ADDRESSES6, 17, 0, 0, 8, 0, 0, 0, 9, UDP};
    static const uint8_t atomic[] = {0x60, 0, 0, 0, 0, 20, 44, 64, ADDRESSES6, 17, 0, 0, 0, 0, 0, 0, 9, UDP};
    struct packet packet;

    ck_assert_int_eq(ENTER(&packet, first), DISSECT_FRAGMENT);
    ck_assert_int_eq(ENTER(&packet, later), DISSECT_FRAGMENT);
    ck_assert_int_eq(ENTER(&packet, atomic), DISSECT_OK);
    ck_assert_uint_eq(packet.arrival.header_bytes, 56);
    ck_assert_uint_eq(packet.arrival.payload_bytes, 4);
}
END_TEST

/* Hop-by-hop of 16 bytes, routing of 8, destination options of 8. */
START_TEST(ipv6_extensions)
{
    static const uint8_t bytes[] = {0x60, 0, 0, 0, 0, 44, 0, 64, ADDRESSES6, 43, 1, 0,  0, 0,
                                    0,    0, 0, 0, 0, 0,  0, 0,  0,          0,  0, 60, 0, 0,
                                    0,    0, 0, 0, 0, 17, 0, 0,  0,          0,  0, 0,  0, UDP};
    struct packet packet;

    ck_assert_int_eq(ENTER(&packet, bytes), DISSECT_OK);
    ck_assert_uint_eq(packet.arrival.header_bytes, 80);
    ck_assert_uint_eq(packet.arrival.payload_bytes, 4);
    for (size_t kept = 0; kept < 80; kept++)
        ck_assert_int_eq(dissect_enter(&packet, bytes, kept), DISSECT_CUT);
}
END_TEST

/* Whatever the bytes, what is told lies within them. Memory of the exact size, so
 * that a sanitizer sees a step beyond. */
START_TEST(dissect_any_bytes)
{
    static const int dlts[] = {DLT_EN10MB, DLT_LINUX_SLL,  DLT_LINUX_SLL2,      DLT_RAW, DLT_NULL, DLT_LOOP,
                               DLT_PPP,    DLT_IEEE802_11, DLT_IEEE802_11_RADIO};
    struct rng rng = rng_start("any_bytes");
    unsigned taken = 0;

    for (int i = 0; i < 200000; i++) {
        size_t count = (size_t)rng_below(&rng, 120);
        uint8_t *bytes = malloc(count + 1);
        struct packet packet;

        for (size_t at = 0; at < count; at++)
            bytes[at] = (uint8_t)rng_next(&rng);
        if (count >= sizeof udp4) /* else few would get anywhere */
            memcpy(bytes, udp4, rng_below(&rng, sizeof udp4));
        if (dissect(&packet, link_find(dlts[rng_below(&rng, 9)]), bytes, count) == DISSECT_OK) {
            taken++;
            ck_assert_uint_le(packet.data_bytes, packet.arrival.payload_bytes);
            ck_assert(packet.data >= bytes);
            ck_assert(packet.data + packet.data_bytes <= bytes + count);
        }
        free(bytes);
    }
    ck_assert_uint_gt(taken, 100);
}
END_TEST

START_TEST(link_types)
{
    ck_assert_ptr_nonnull(link_find(DLT_EN10MB));
    ck_assert_ptr_null(link_find(DLT_USER0));
}
END_TEST

Suite *dissect_suite(void)
{
    Suite *suite = suite_create("dissect");
    TCase *packets = tcase_create("packets");

    tcase_add_test(packets, udp_over_ipv4);
    tcase_add_test(packets, udp_over_ipv6);
    tcase_add_test(packets, tcp_cut_behind_its_header);
    tcase_add_test(packets, every_cut_before_the_payload);
    tcase_add_test(packets, padding_is_no_payload);
    tcase_add_loop_test(packets, one_byte_changed, 0, sizeof changes / sizeof changes[0]);
    tcase_add_test(packets, ipv6_fragment);
    tcase_add_test(packets, ipv6_extensions);
    tcase_add_test(packets, dissect_any_bytes);
    tcase_add_test(packets, link_types);
    suite_add_tcase(suite, packets);
    return suite;
}

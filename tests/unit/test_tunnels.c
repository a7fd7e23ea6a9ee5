/* SPDX-License-Identifier: BSD-3-Clause */
/* Tunnels that captures are of: which one, and what is said of them. */
#include "pprec/lib/tunnels.h"
#include "pprec/cmd/finish.h"
#include "tests/unit/suites.h"

START_TEST(tunnels_by_protocol_and_port)
{
    ck_assert_int_eq(tunnel_of_protocol(4), PPREC_TUNNEL_IP);
    ck_assert_int_eq(tunnel_of_protocol(41), PPREC_TUNNEL_IP);
    ck_assert_int_eq(tunnel_of_protocol(47), PPREC_TUNNEL_GRE);
    ck_assert_int_eq(tunnel_of_protocol(50), PPREC_TUNNEL_IPSEC);
    ck_assert_int_eq(tunnel_of_protocol(115), PPREC_TUNNEL_L2TP);
    ck_assert_int_eq(tunnel_of_protocol(1), PPREC_TUNNELS); /* ICMP */
    ck_assert_int_eq(tunnel_of_ports(40000, 4789), PPREC_TUNNEL_VXLAN);
    ck_assert_int_eq(tunnel_of_ports(40000, 8472), PPREC_TUNNEL_VXLAN);
    ck_assert_int_eq(tunnel_of_ports(40000, 6081), PPREC_TUNNEL_GENEVE);
    ck_assert_int_eq(tunnel_of_ports(51820, 40000), PPREC_TUNNEL_WIREGUARD);
    ck_assert_int_eq(tunnel_of_ports(4500, 4500), PPREC_TUNNEL_IPSEC);
    ck_assert_int_eq(tunnel_of_ports(2152, 2152), PPREC_TUNNEL_GTP);
    ck_assert_int_eq(tunnel_of_ports(1701, 1701), PPREC_TUNNEL_L2TP);
    ck_assert_int_eq(tunnel_of_ports(5004, 9000), PPREC_TUNNELS);
}
END_TEST

START_TEST(tunnels_are_told_by_kind)
{
    struct pprec_capture_counts counts = {.packets = 132};
    struct line line = {.bytes = 0};

    tunnel_count(&counts, PPREC_TUNNELS);
    finish_add_tunnels(&line, &counts);
    ck_assert_uint_eq(line.bytes, 0);
    tunnel_count(&counts, PPREC_TUNNEL_WIREGUARD);
    tunnel_count(&counts, PPREC_TUNNEL_GRE);
    tunnel_count(&counts, PPREC_TUNNEL_GRE);
    finish_add_tunnels(&line, &counts);
    ck_assert_str_eq(line.text,
                     "tunnels are not looked into: of 132 packets 2 were in GRE, 1 in WireGuard; capture "
                     "where they end, on the tunnel's own interface");
}
END_TEST

Suite *tunnels_suite(void)
{
    Suite *suite = suite_create("tunnels");
    TCase *cases = tcase_create("cases");

    tcase_add_test(cases, tunnels_by_protocol_and_port);
    tcase_add_test(cases, tunnels_are_told_by_kind);
    suite_add_tcase(suite, cases);
    return suite;
}

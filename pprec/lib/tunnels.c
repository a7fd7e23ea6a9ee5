/* SPDX-License-Identifier: BSD-3-Clause */
#include "tunnels.h"

/* IANA's protocol numbers. */
enum { IP_IPV4 = 4, IP_IPV6 = 41, IP_GRE = 47, IP_ESP = 50, IP_L2TP = 115 };

/* IANA's ports; Linux's own for VXLAN, and the one of WireGuard's pages. */
enum {
    UDP_L2TP = 1701,
    UDP_GTP = 2152,
    UDP_ESP = 4500,
    UDP_VXLAN = 4789,
    UDP_GENEVE = 6081,
    UDP_VXLAN_LINUX = 8472,
    UDP_WIREGUARD = 51820
};

enum pprec_tunnel tunnel_of_protocol(uint8_t protocol)
{
    switch (protocol) {
    case IP_IPV4:
    case IP_IPV6: return PPREC_TUNNEL_IP;
    case IP_GRE: return PPREC_TUNNEL_GRE;
    case IP_ESP: return PPREC_TUNNEL_IPSEC;
    case IP_L2TP: return PPREC_TUNNEL_L2TP;
    default: return PPREC_TUNNELS;
    }
}

static enum pprec_tunnel tunnel_of_port(uint16_t port)
{
    switch (port) {
    case UDP_L2TP: return PPREC_TUNNEL_L2TP;
    case UDP_GTP: return PPREC_TUNNEL_GTP;
    case UDP_ESP: return PPREC_TUNNEL_IPSEC;
    case UDP_VXLAN:
    case UDP_VXLAN_LINUX: return PPREC_TUNNEL_VXLAN;
    case UDP_GENEVE: return PPREC_TUNNEL_GENEVE;
    case UDP_WIREGUARD: return PPREC_TUNNEL_WIREGUARD;
    default: return PPREC_TUNNELS;
    }
}

enum pprec_tunnel tunnel_of_ports(uint16_t source, uint16_t destination)
{
    enum pprec_tunnel tunnel = tunnel_of_port(destination);

    return tunnel < PPREC_TUNNELS ? tunnel : tunnel_of_port(source);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The topology of the paper's figure 4, with FTP senders spread along it:
 *
 *   pair sender                                                 pair receiver
 *        |                                                            |
 *        R0 == V1,A1 == R1 == V2,A2 == R2 == V3,A3 == R3 == V4,A4 == R4
 *        |              |              |              |              |
 *     sender 0       sender 1       sender 2       sender 3       sender 4, receivers
 *
 * Every host has a link of its own to its router; all queues are drop-tail. */
#ifndef CHAIN_H
#define CHAIN_H

#include <array>
#include <cstdint>

#include <ns3/ipv4-address-helper.h>
#include <ns3/net-device.h>
#include <ns3/node-container.h>

constexpr uint32_t ROUTERS = 5;
constexpr uint32_t FTP_SENDERS = 5;

/* Where the FTP senders are: one on each router, or all on the first. */
enum class FtpPlace { SPREAD, END_TO_END };

struct ChainConfig {
    std::array<uint64_t, ROUTERS - 1> v_bps;
    uint32_t a_ms;
    uint64_t access_bps;
    uint32_t queue_packets;
    FtpPlace place;
};

struct Chain {
    ns3::Ptr<ns3::Node> pair_sender;
    ns3::Ptr<ns3::Node> pair_receiver;
    ns3::Ptr<ns3::NetDevice> pair_receiver_device;
    ns3::Ipv4Address pair_receiver_address;
    ns3::NodeContainer ftp_senders;
    ns3::NodeContainer ftp_receivers;
    std::array<ns3::Ipv4Address, FTP_SENDERS> ftp_receiver_addresses;
};

/* Builds nodes, links, addresses and routes. */
Chain chain_build(const ChainConfig &config);

#endif

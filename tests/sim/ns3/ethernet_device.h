/* SPDX-License-Identifier: GPL-2.0-only */
/* A point-to-point link whose packets are as long as Ethernet frames: header
 * and FCS, 18 bytes, and at least 64 in all. ns-3's own counts PPP's 2 bytes. */
#ifndef ETHERNET_DEVICE_H
#define ETHERNET_DEVICE_H

#include <cstdint>

#include <ns3/point-to-point-net-device.h>

constexpr uint32_t PPP_HEADER_BYTES = 2;
constexpr uint32_t ETHERNET_HEADER_BYTES = 14;
constexpr uint32_t ETHERNET_OVERHEAD_BYTES = 18; /* header and FCS */
constexpr uint32_t ETHERNET_FRAME_MIN_BYTES = 64;

class EthernetDevice : public ns3::PointToPointNetDevice {
  public:
    static ns3::TypeId GetTypeId();

    /* The padding goes on at the end; IP trims it at the other end. */
    bool Send(ns3::Ptr<ns3::Packet> packet, const ns3::Address &to, uint16_t protocol) override;
};

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes what a device receives as a capture: Ethernet framing without FCS,
 * nanoseconds, and only the first 96 bytes of each frame. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <cstdint>
#include <string>

#include <ns3/net-device.h>
#include <ns3/packet.h>
#include <ns3/pcap-file.h>

class Capture {
  public:
    /* clock_s: what the receiver's clock shows at time 0. */
    Capture(const std::string &path, ns3::Ptr<ns3::NetDevice> device, uint32_t clock_s);

    /* Whether it opened, and all has been written so far. */
    bool good() const;

  private:
    void received(ns3::Ptr<const ns3::Packet> packet);

    ns3::PcapFile file;
    uint32_t clock_s;
};

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
#include "capture.h"

#include <algorithm>
#include <array>

#include <ns3/callback.h>
#include <ns3/simulator.h>

#include "ethernet_device.h"

using namespace ns3;

namespace {

constexpr uint32_t SNAP_BYTES = 96;
constexpr uint32_t LINKTYPE_ETHERNET = 1;
constexpr int64_t NS_PER_S = 1000000000;

/* From one locally administered address to another, IPv4. */
constexpr std::array<uint8_t, ETHERNET_HEADER_BYTES> ethernet_header = {0x02, 0, 0, 0, 0, 2,    0x02,
                                                                        0,    0, 0, 0, 1, 0x08, 0x00};

/* The IP header's own total length: without the padding behind it. */
uint32_t ip_bytes(const uint8_t *ip)
{
    return static_cast<uint32_t>(ip[2] << 8 | ip[3]);
}

} // namespace

Capture::Capture(const std::string &path, Ptr<NetDevice> device, uint32_t clock) : clock_s(clock)
{
    file.Open(path, std::ios::out | std::ios::binary);
    file.Init(LINKTYPE_ETHERNET, SNAP_BYTES, 0, false, true);
    device->TraceConnectWithoutContext("MacRx", MakeCallback(&Capture::received, this));
}

/* Stamped when the frame's last bit is in. A PPP header is where the Ethernet
 * header is to be. */
void Capture::received(Ptr<const Packet> packet)
{
    constexpr uint32_t ip_room_bytes = SNAP_BYTES - ETHERNET_HEADER_BYTES;
    std::array<uint8_t, PPP_HEADER_BYTES + ip_room_bytes> ppp = {};
    std::array<uint8_t, SNAP_BYTES> frame = {};
    const int64_t now_ns = Simulator::Now().GetNanoSeconds();
    const uint8_t *ip = ppp.data() + PPP_HEADER_BYTES;

    packet->CopyData(ppp.data(), ppp.size());
    auto after = std::copy(ethernet_header.begin(), ethernet_header.end(), frame.begin());
    std::copy_n(ip, ip_room_bytes, after);
    file.Write(clock_s + static_cast<uint32_t>(now_ns / NS_PER_S), static_cast<uint32_t>(now_ns % NS_PER_S),
               frame.data(), ETHERNET_HEADER_BYTES + ip_bytes(ip));
}

bool Capture::good() const
{
    return !file.Fail();
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "ethernet_device.h"

#include <algorithm>

using namespace ns3;

NS_OBJECT_ENSURE_REGISTERED(EthernetDevice);

TypeId EthernetDevice::GetTypeId()
{
    static TypeId id =
        TypeId("EthernetDevice").SetParent<PointToPointNetDevice>().AddConstructor<EthernetDevice>();
    return id;
}

bool EthernetDevice::Send(Ptr<Packet> packet, const Address &to, uint16_t protocol)
{
    uint32_t bytes = packet->GetSize();
    uint32_t frame_bytes = std::max(bytes + ETHERNET_OVERHEAD_BYTES, ETHERNET_FRAME_MIN_BYTES);

    packet->AddPaddingAtEnd(frame_bytes - bytes - PPP_HEADER_BYTES);
    return PointToPointNetDevice::Send(packet, to, protocol);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "chain.h"

#include <ns3/abort.h>
#include <ns3/drop-tail-queue.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-global-routing-helper.h>
#include <ns3/net-device-container.h>
#include <ns3/point-to-point-channel.h>
#include <ns3/queue-disc.h>
#include <ns3/traffic-control-layer.h>

#include "ethernet_device.h"

using namespace ns3;

namespace {

constexpr uint32_t ACCESS_MS = 1;

static_assert(FTP_SENDERS <= ROUTERS, "each sender has a router of its own");

struct LinkConfig {
    uint64_t rate_bps;
    uint32_t delay_ms;
    uint32_t queue_packets;
};

struct Link {
    NetDeviceContainer devices;
    Ipv4InterfaceContainer interfaces;
};

Ptr<NetDevice> device_add(Ptr<Node> node, Ptr<PointToPointChannel> channel, const LinkConfig &config)
{
    Ptr<EthernetDevice> device = CreateObject<EthernetDevice>();
    Ptr<DropTailQueue<Packet>> queue = CreateObject<DropTailQueue<Packet>>();

    queue->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, config.queue_packets));
    device->SetAddress(Mac48Address::Allocate());
    device->SetDataRate(DataRate(config.rate_bps));
    device->SetQueue(queue);
    node->AddDevice(device);
    device->Attach(channel);
    return device;
}

/* Assigning addresses installs FqCoDel on devices that can push back. Ours, made
 * without a NetDeviceQueueInterface, cannot, so that the drop-tail queue is the
 * only one; another version of ns-3 may see that differently. */
void check_no_queue_disc(const NetDeviceContainer &devices)
{
    for (uint32_t i = 0; i < devices.GetN(); i++) {
        Ptr<NetDevice> device = devices.Get(i);
        Ptr<TrafficControlLayer> layer = device->GetNode()->GetObject<TrafficControlLayer>();

        NS_ABORT_MSG_IF(layer && layer->GetRootQueueDiscOnDevice(device),
                        "a queue disc stands before a drop-tail queue");
    }
}

Link link_add(Ptr<Node> from, Ptr<Node> to, const LinkConfig &config, Ipv4AddressHelper &addresses)
{
    Ptr<PointToPointChannel> channel = CreateObject<PointToPointChannel>();
    Link link;

    channel->SetAttribute("Delay", TimeValue(MilliSeconds(config.delay_ms)));
    link.devices.Add(device_add(from, channel, config));
    link.devices.Add(device_add(to, channel, config));
    link.interfaces = addresses.Assign(link.devices);
    addresses.NewNetwork();
    check_no_queue_disc(link.devices);
    return link;
}

} // namespace

Chain chain_build(const ChainConfig &config)
{
    const LinkConfig access = {config.access_bps, ACCESS_MS, config.queue_packets};
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    NodeContainer routers(ROUTERS);
    NodeContainer pair_hosts(2);
    Chain chain;

    chain.pair_sender = pair_hosts.Get(0);
    chain.pair_receiver = pair_hosts.Get(1);
    chain.ftp_senders.Create(FTP_SENDERS);
    chain.ftp_receivers.Create(FTP_SENDERS);
    InternetStackHelper().InstallAll();

    for (uint32_t i = 0; i + 1 < ROUTERS; i++)
        link_add(routers.Get(i), routers.Get(i + 1), {config.v_bps[i], config.a_ms, config.queue_packets},
                 addresses);
    link_add(chain.pair_sender, routers.Get(0), access, addresses);
    Link last = link_add(routers.Get(ROUTERS - 1), chain.pair_receiver, access, addresses);
    chain.pair_receiver_device = last.devices.Get(1);
    chain.pair_receiver_address = last.interfaces.GetAddress(1);

    for (uint32_t i = 0; i < FTP_SENDERS; i++) {
        uint32_t router = config.place == FtpPlace::SPREAD ? i : 0;

        link_add(chain.ftp_senders.Get(i), routers.Get(router), access, addresses);
        Link sink = link_add(routers.Get(ROUTERS - 1), chain.ftp_receivers.Get(i), access, addresses);
        chain.ftp_receiver_addresses[i] = sink.interfaces.GetAddress(1);
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    return chain;
}

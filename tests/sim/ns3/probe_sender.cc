/* SPDX-License-Identifier: GPL-2.0-only */
#include "probe_sender.h"

#include <vector>

#include <ns3/double.h>
#include <ns3/packet.h>
#include <ns3/simulator.h>
#include <ns3/udp-socket-factory.h>

#include "streams.h"

using namespace ns3;

namespace {

/* The jitter keeps probing from falling into step with the cross traffic. */
constexpr double JITTER = 0.1; /* of the interval, to either side */

constexpr uint16_t SOURCE_PORT = 40000;

Ptr<UniformRandomVariable> uniform(double min, double max, int64_t stream)
{
    Ptr<UniformRandomVariable> variable = CreateObject<UniformRandomVariable>();

    variable->SetAttribute("Min", DoubleValue(min));
    variable->SetAttribute("Max", DoubleValue(max));
    variable->SetStream(stream);
    return variable;
}

} // namespace

ProbeSender::ProbeSender(const ProbeConfig &given) : config(given), probe{}
{
    jitter = uniform(1 - JITTER, 1 + JITTER, STREAM_PROBE_INTERVAL);
    probe.length_log2 = config.train_log2;
    probe.stream = static_cast<uint32_t>(uniform(0, UINT32_MAX, STREAM_PROBE_ID)->GetValue());
    if (config.payload_bytes >= wire_header_bytes(WIRE_TIME))
        probe.flags = WIRE_TIME;
}

void ProbeSender::StartApplication()
{
    socket = Socket::CreateSocket(GetNode(), UdpSocketFactory::GetTypeId());
    socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), SOURCE_PORT));
    socket->Connect(config.to);
    send_train();
}

void ProbeSender::StopApplication()
{
    Simulator::Cancel(next);
    socket->Close();
}

void ProbeSender::send_train()
{
    if (probe.flags & WIRE_TIME)
        probe.sent_ns = config.clock_ns + static_cast<uint64_t>(Simulator::Now().GetNanoSeconds());
    for (uint32_t position = 0; position < 1U << config.train_log2; position++)
        send_packet(static_cast<uint8_t>(position));
    probe.train++;
    next =
        Simulator::Schedule(Seconds(config.interval_s * jitter->GetValue()), &ProbeSender::send_train, this);
}

void ProbeSender::send_packet(uint8_t position)
{
    std::vector<uint8_t> payload(config.payload_bytes);

    probe.position = position;
    wire_encode(&probe, payload.data(), payload.size());
    socket->Send(Create<Packet>(payload.data(), payload.size()));
    probe.seq++;
}

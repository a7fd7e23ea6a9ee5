/* SPDX-License-Identifier: GPL-2.0-only */
/* One run of the paper's section 4: a chain of routers, FTP over TCP as cross
 * traffic, packet pairs or trains over it, and a capture of what arrived. */
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include <ns3/boolean.h>
#include <ns3/bulk-send-helper.h>
#include <ns3/command-line.h>
#include <ns3/config.h>
#include <ns3/double.h>
#include <ns3/global-value.h>
#include <ns3/packet-sink-helper.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/tcp-congestion-ops.h>
#include <ns3/uinteger.h>

#include "capture.h"
#include "chain.h"
#include "ethernet_device.h"
#include "probe_sender.h"
#include "streams.h"

using namespace ns3;

namespace {

constexpr double PROBE_START_S = 0.5;
constexpr double TRAINS = 100; /* about: the intervals vary */
constexpr double DRAIN_S = 10; /* what waits in full queues at the end */
constexpr double FTP_START_MAX_S = 0.1;

constexpr uint16_t PROBE_PORT = 9000;
constexpr uint16_t FTP_PORT = 20;

constexpr uint32_t FRAME_MAX_BYTES = 1518;
constexpr uint32_t UDP_OVERHEAD_BYTES = ETHERNET_OVERHEAD_BYTES + 20 + 8;
constexpr uint32_t TCP_OVERHEAD_BYTES = ETHERNET_OVERHEAD_BYTES + 20 + 20;
constexpr uint32_t TCP_FRAME_BYTES = 1000;

/* The clocks of two hosts: 250 ms apart, the sender's ahead. */
constexpr uint32_t RECEIVER_CLOCK_S = 1700000000;
constexpr uint64_t SENDER_CLOCK_NS = 1700000000250000000;

struct Options {
    std::string v_kbps = "1000,2000,4000,8000";
    uint32_t a_ms = 1;
    uint32_t access_kbps = 10000;
    uint32_t queue_packets = 50;
    uint32_t flows = 20;
    std::string place = "spread";
    uint32_t frame_bytes = 1000;
    uint32_t train = 2;
    double interval_s = 0.5;
    uint32_t run = 1;
    std::string out = "scenario.pcap";
};

[[noreturn]] void refuse(const std::string &why)
{
    std::fprintf(stderr, "scenario: %s\n", why.c_str());
    std::exit(2);
}

Options options_read(int argc, char **argv)
{
    Options options;
    CommandLine line(__FILE__);

    line.AddValue("v", "rates V1,V2,V3,V4 between the routers, kbit/s", options.v_kbps);
    line.AddValue("a", "delay A of each link between the routers, ms", options.a_ms);
    line.AddValue("access", "rate of all other links, kbit/s", options.access_kbps);
    line.AddValue("queue", "room of each drop-tail queue, packets", options.queue_packets);
    line.AddValue("ftp", "FTP flows", options.flows);
    line.AddValue("place", "FTP senders: spread along the chain, or end (to end)", options.place);
    line.AddValue("size", "probe frames, bytes with Ethernet header and FCS", options.frame_bytes);
    line.AddValue("train", "packets in a train", options.train);
    line.AddValue("interval", "from train to train on average, s", options.interval_s);
    line.AddValue("run", "which run, the seed", options.run);
    line.AddValue("out", "the capture to write", options.out);
    line.Parse(argc, argv);
    return options;
}

ChainConfig chain_config(const Options &options)
{
    ChainConfig config = {};
    std::istringstream rates(options.v_kbps);
    char comma;

    for (uint64_t &v_bps : config.v_bps) {
        rates >> v_bps;
        if (rates.fail() || v_bps == 0)
            refuse("--v: four rates, please");
        v_bps *= 1000;
        rates >> comma;
    }
    if (options.place != "spread" && options.place != "end")
        refuse("--place: spread or end");
    config.a_ms = options.a_ms;
    config.access_bps = options.access_kbps * UINT64_C(1000);
    config.queue_packets = options.queue_packets;
    config.place = options.place == "end" ? FtpPlace::END_TO_END : FtpPlace::SPREAD;
    return config;
}

/* As ns-2's Agent/TCP/Newreno and TCPSink were by default, but for the header,
 * which the frame's 1000 bytes include: a window of 20 packets, an ACK for each
 * packet, no options. The send buffer keeps the window, because ns-3.37 crashes
 * when a receive buffer does. */
void tcp_defaults()
{
    constexpr uint32_t segment_bytes = TCP_FRAME_BYTES - TCP_OVERHEAD_BYTES;
    constexpr uint32_t window_packets = 20;

    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment_bytes));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(window_packets * segment_bytes));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::WindowScaling", BooleanValue(false));
}

/* Dealt out to the senders in turn, each starting at a time of its own. */
void ftp_install(const Chain &chain, uint32_t flows)
{
    Ptr<UniformRandomVariable> start_s = CreateObject<UniformRandomVariable>();
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), FTP_PORT));

    start_s->SetAttribute("Max", DoubleValue(FTP_START_MAX_S));
    start_s->SetStream(STREAM_FTP_START);
    sink.Install(chain.ftp_receivers);
    for (uint32_t i = 0; i < flows; i++) {
        uint32_t host = i % FTP_SENDERS;
        BulkSendHelper ftp("ns3::TcpSocketFactory",
                           InetSocketAddress(chain.ftp_receiver_addresses[host], FTP_PORT));

        ftp.SetAttribute("SendSize", UintegerValue(TCP_FRAME_BYTES - TCP_OVERHEAD_BYTES));
        ftp.Install(chain.ftp_senders.Get(host)).Start(Seconds(start_s->GetValue()));
    }
}

uint8_t train_log2(uint32_t train)
{
    for (uint8_t log2 = WIRE_LOG2_MIN; log2 <= WIRE_LOG2_MAX; log2++)
        if (train == 1U << log2)
            return log2;
    refuse("--train: a power of two, 2 to 256");
}

double probe_stop_s(const Options &options)
{
    return TRAINS * options.interval_s;
}

void probe_install(const Chain &chain, const Options &options)
{
    if (!(options.interval_s > 0))
        refuse("--interval: above 0");
    if (options.frame_bytes < UDP_OVERHEAD_BYTES + WIRE_HEADER_BYTES)
        refuse("--size: no room for the probe header");
    if (options.frame_bytes > FRAME_MAX_BYTES)
        refuse("--size: would be fragmented");
    const ProbeConfig config = {
        InetSocketAddress(chain.pair_receiver_address, PROBE_PORT),
        options.frame_bytes - UDP_OVERHEAD_BYTES,
        train_log2(options.train),
        options.interval_s,
        SENDER_CLOCK_NS,
    };
    PacketSinkHelper sink("ns3::UdpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), PROBE_PORT));
    Ptr<ProbeSender> sender = Create<ProbeSender>(config);

    /* Without a sink the receiver would answer with port unreachable. */
    sink.Install(chain.pair_receiver);
    chain.pair_sender->AddApplication(sender);
    sender->SetStartTime(Seconds(PROBE_START_S));
    sender->SetStopTime(Seconds(probe_stop_s(options)));
}

} // namespace

int main(int argc, char **argv)
{
    /* Before the command line, which may override any of ns-3's attributes. */
    tcp_defaults();
    const Options options = options_read(argc, argv);

    GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(options.run);

    const Chain chain = chain_build(chain_config(options));
    Capture capture(options.out, chain.pair_receiver_device, RECEIVER_CLOCK_S);
    if (!capture.good())
        refuse("cannot write " + options.out);
    ftp_install(chain, options.flows);
    probe_install(chain, options);

    Simulator::Stop(Seconds(probe_stop_s(options) + DRAIN_S));
    Simulator::Run();
    Simulator::Destroy();
    if (!capture.good())
        refuse("cannot write all of " + options.out);
    return 0;
}

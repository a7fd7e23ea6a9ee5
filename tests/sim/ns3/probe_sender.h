/* SPDX-License-Identifier: GPL-2.0-only */
/* Sends trains of probe packets, each back to back. */
#ifndef PROBE_SENDER_H
#define PROBE_SENDER_H

#include <cstdint>

#include <ns3/application.h>
#include <ns3/event-id.h>
#include <ns3/inet-socket-address.h>
#include <ns3/random-variable-stream.h>
#include <ns3/socket.h>

extern "C" {
#include "common/wire.h"
}

struct ProbeConfig {
    ns3::InetSocketAddress to;
    uint32_t payload_bytes;
    uint8_t train_log2;
    double interval_s; /* on average */
    uint64_t clock_ns; /* what the sender's clock shows at time 0 */
};

class ProbeSender : public ns3::Application {
  public:
    explicit ProbeSender(const ProbeConfig &config);

  private:
    void StartApplication() override;
    void StopApplication() override;

    void send_train();
    void send_packet(uint8_t position);

    ProbeConfig config;
    wire_probe probe;
    ns3::Ptr<ns3::Socket> socket;
    ns3::Ptr<ns3::UniformRandomVariable> jitter;
    ns3::EventId next;
};

#endif

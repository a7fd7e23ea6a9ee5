/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp.h"

#include "units.h"

#include <math.h>
#include <stdlib.h>

/* Linux's least timeout; RFC 6298 asks for 1 s, and nobody waits that long. */
#define TIMEOUT_LEAST_PS (SIM_PS_PER_S / 5)
#define TIMEOUT_FIRST_PS SIM_PS_PER_S
#define TIMEOUT_MOST_PS (60 * SIM_PS_PER_S)

enum { REPEATS_TO_RESEND = 3 };

void sim_tcp_init(struct sim_tcp *tcp, unsigned window_packets)
{
    uint32_t window = window_packets ? window_packets : 64;

    *tcp = (struct sim_tcp){
        .window = 2,
        .threshold = SIM_TCP_WINDOW_MAX,
        .window_max = window < SIM_TCP_WINDOW_MAX ? window : SIM_TCP_WINDOW_MAX,
        .timeout_ps = TIMEOUT_FIRST_PS,
        .deadline_ps = SIM_NEVER_PS,
    };
}

static double in_flight(const struct sim_tcp *tcp)
{
    return (double)(tcp->next - tcp->oldest);
}

bool sim_tcp_send(struct sim_tcp *tcp, int64_t now_ps, uint32_t *number)
{
    if (tcp->resend) {
        tcp->resend = false;
        tcp->timing = false; /* Karn: an answer could be to either copy */
        *number = tcp->oldest;
    } else if (in_flight(tcp) + 1 <= fmin(tcp->window, tcp->window_max)) {
        *number = tcp->next++;
        if (!tcp->timing) {
            tcp->timing = true;
            tcp->timed = *number;
            tcp->timed_ps = now_ps;
        }
    } else {
        return false;
    }
    if (tcp->deadline_ps == SIM_NEVER_PS)
        tcp->deadline_ps = now_ps + tcp->timeout_ps;
    return true;
}

uint32_t sim_tcp_receive(struct sim_tcp *tcp, uint32_t number)
{
    if (number - tcp->expected < SIM_TCP_WINDOW_MAX)
        tcp->held[number % SIM_TCP_WINDOW_MAX] = true;
    while (tcp->held[tcp->expected % SIM_TCP_WINDOW_MAX])
        tcp->held[tcp->expected++ % SIM_TCP_WINDOW_MAX] = false;
    return tcp->expected;
}

static void measure_round_trip(struct sim_tcp *tcp, int64_t took_ps)
{
    if (tcp->round_trip_ps == 0) {
        tcp->round_trip_ps = took_ps;
        tcp->variation_ps = took_ps / 2;
    } else {
        tcp->variation_ps += (llabs(tcp->round_trip_ps - took_ps) - tcp->variation_ps) / 4;
        tcp->round_trip_ps += (took_ps - tcp->round_trip_ps) / 8;
    }
    tcp->timeout_ps = sim_later(tcp->round_trip_ps + 4 * tcp->variation_ps, TIMEOUT_LEAST_PS);
}

static void tcp_halve(struct sim_tcp *tcp)
{
    tcp->threshold = fmax(in_flight(tcp) / 2, 2);
    tcp->recover = tcp->next;
}

static void repeated(struct sim_tcp *tcp)
{
    bool old_news = (int32_t)(tcp->oldest - tcp->recover) < 0;

    if (tcp->recovering) {
        tcp->window += 1;
    } else if (++tcp->repeated == REPEATS_TO_RESEND && !old_news) {
        tcp_halve(tcp);
        tcp->recovering = true;
        tcp->resend = true;
        tcp->window = tcp->threshold + REPEATS_TO_RESEND;
    }
}

/* RFC 6582, section 3.2, step 3. */
static void recovering_advanced(struct sim_tcp *tcp, uint32_t packets)
{
    if ((int32_t)(tcp->oldest - tcp->recover) >= 0) {
        tcp->recovering = false;
        tcp->window = tcp->threshold;
    } else {
        tcp->resend = true;
        tcp->window = fmax(tcp->window - packets + 1, 1);
    }
}

void sim_tcp_acknowledge(struct sim_tcp *tcp, uint32_t before, int64_t now_ps)
{
    uint32_t packets = before - tcp->oldest;

    if ((int32_t)packets < 0)
        return;
    if (packets == 0) {
        if (tcp->next != tcp->oldest)
            repeated(tcp);
        return;
    }
    if (tcp->timing && (int32_t)(before - tcp->timed) > 0) {
        measure_round_trip(tcp, now_ps - tcp->timed_ps);
        tcp->timing = false;
    }
    tcp->oldest = before;
    if ((int32_t)(tcp->next - before) < 0)
        tcp->next = before; /* after a timeout the receiver held more than was thought */
    tcp->repeated = 0;
    if (tcp->recovering)
        recovering_advanced(tcp, packets);
    else
        tcp->window += tcp->window < tcp->threshold ? 1 : 1 / tcp->window;
    tcp->deadline_ps = tcp->next == tcp->oldest ? SIM_NEVER_PS : now_ps + tcp->timeout_ps;
}

void sim_tcp_expire(struct sim_tcp *tcp, int64_t now_ps)
{
    tcp_halve(tcp);
    tcp->window = 1;
    tcp->next = tcp->oldest;
    tcp->recovering = false;
    tcp->resend = false;
    tcp->repeated = 0;
    tcp->timing = false;
    tcp->timeout_ps = tcp->timeout_ps * 2 < TIMEOUT_MOST_PS ? tcp->timeout_ps * 2 : TIMEOUT_MOST_PS;
    tcp->deadline_ps = now_ps + tcp->timeout_ps;
}

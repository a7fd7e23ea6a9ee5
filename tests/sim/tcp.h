/* SPDX-License-Identifier: BSD-3-Clause */
/* A bulk transfer as far as queues notice: window, NewReno's congestion control
 * (RFC 5681, RFC 6582), retransmission timer (RFC 6298). Numbers count packets.
 * No time passes in here, and nothing is sent: events.c does both. */
#ifndef TESTS_SIM_TCP_H
#define TESTS_SIM_TCP_H

#include <stdbool.h>
#include <stdint.h>

enum { SIM_TCP_WINDOW_MAX = 1024 };

struct sim_tcp {
    /* Sender. */
    uint32_t oldest;  /* not acknowledged yet */
    uint32_t next;    /* to send */
    uint32_t recover; /* recovery ends when this is acknowledged */
    double window;    /* congestion window */
    double threshold; /* slow start ends there */
    uint32_t window_max;
    unsigned repeated; /* acknowledgements that repeat oldest */
    bool recovering;
    bool resend; /* oldest, now */
    /* Retransmission timer. */
    int64_t round_trip_ps; /* smoothed; 0: none yet */
    int64_t variation_ps;
    int64_t timeout_ps;
    int64_t deadline_ps;
    uint32_t timed; /* this packet, sent then, is being timed */
    int64_t timed_ps;
    bool timing;
    /* Receiver. */
    uint32_t expected;
    bool held[SIM_TCP_WINDOW_MAX]; /* arrived ahead of expected */
};

void sim_tcp_init(struct sim_tcp *tcp, unsigned window_packets);

/* The packet to send at now_ps, if there is one that may go. */
bool sim_tcp_send(struct sim_tcp *tcp, int64_t now_ps, uint32_t *number);

/* The receiver got a packet; returns what it acknowledges: all before that. */
uint32_t sim_tcp_receive(struct sim_tcp *tcp, uint32_t number);

/* The sender hears so. */
void sim_tcp_acknowledge(struct sim_tcp *tcp, uint32_t before, int64_t now_ps);

/* deadline_ps is over. */
void sim_tcp_expire(struct sim_tcp *tcp, int64_t now_ps);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cross HOST PORT BPS SECONDS SEED KIND: UDP that takes BPS on average of a link on the way, counted
 * as Ethernet frames (IP + 18); ends after SECONDS or a signal.
 *   poisson  packets at exponential intervals; sizes as on the Internet: 40 % small, 20 % middling,
 *            40 % full
 *   cbr      full packets at equal intervals
 *   onoff    full packets at twice the mean rate for 60 ms on average, then for as long
 *            nothing; both exponential
 * cross hole PORT: a place where it goes to and is not answered.
 */
#include "common/stamp.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FRAME_BYTES = 46, FULL_BYTES = 1472, MIDDLE_BYTES = 548, SMALL_BYTES = 36, PEAK = 2 };

#define ON_S 0.06 /* mean */
#define LATE_NS (10 * STAMP_NS_PER_MS)

static uint64_t state;

/* splitmix64 (Steele, Lea and Flood 2014) */
static double cross_chance(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static double exponential(double mean)
{
    return -mean * log(1 - cross_chance());
}

/* --- When the next packet leaves: seconds after the one before, and its payload --- */

struct packet {
    double after_s;
    size_t bytes;
};

static double cross_time_of(size_t payload_bytes, double bps)
{
    return (double)(payload_bytes + FRAME_BYTES) * 8 / bps;
}

static struct packet next_poisson(double bps)
{
    static const double mean_bytes = 0.4 * SMALL_BYTES + 0.2 * MIDDLE_BYTES + 0.4 * FULL_BYTES;
    double which = cross_chance();

    return (struct packet){
        exponential((mean_bytes + FRAME_BYTES) * 8 / bps),
        which < 0.4       ? SMALL_BYTES
            : which < 0.6 ? MIDDLE_BYTES
                          : FULL_BYTES,
    };
}

static struct packet next_cbr(double bps)
{
    return (struct packet){cross_time_of(FULL_BYTES, bps), FULL_BYTES};
}

static struct packet next_onoff(double bps)
{
    static double left_s;
    double after_s = cross_time_of(FULL_BYTES, bps * PEAK);

    left_s -= after_s;
    if (left_s <= 0) {
        after_s += exponential(ON_S * (PEAK - 1));
        left_s = exponential(ON_S);
    }
    return (struct packet){after_s, FULL_BYTES};
}

static const struct kind {
    const char *name;
    struct packet (*next)(double bps);
} kinds[] = {{"poisson", next_poisson}, {"cbr", next_cbr}, {"onoff", next_onoff}};

static const struct kind *cross_find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

/* --- Sending --- */

static void sleep_until(int64_t at_ns)
{
    struct timespec at = {(time_t)(at_ns / STAMP_NS_PER_S), (long)(at_ns % STAMP_NS_PER_S)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0)
        continue;
}

/* By a schedule: what is late does not put off the rest. What a stall of this host has made very late is
 * left out: all at once it would be a burst that nobody asked for. */
static void cross_send_all(int fd, const struct kind *kind, double bps, double seconds)
{
    static const uint8_t payload[FULL_BYTES];
    int64_t begin_ns = stamp_now_ns(CLOCK_MONOTONIC);
    double at_s = 0;

    for (;;) {
        struct packet packet = kind->next(bps);

        at_s += packet.after_s;
        if (at_s > seconds)
            return;
        sleep_until(begin_ns + (int64_t)(at_s * 1e9));
        if (stamp_now_ns(CLOCK_MONOTONIC) - begin_ns - (int64_t)(at_s * 1e9) < LATE_NS)
            (void)!send(fd, payload, packet.bytes, 0); /* refused: as good as lost */
    }
}

static int open_to(const char *host, const char *port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    if (inet_pton(AF_INET, host, &to.sin_addr) != 1 || connect(fd, (struct sockaddr *)&to, sizeof to) < 0)
        return -1;
    return fd;
}

/* Its buffer fills up, and no ICMP goes back. */
static int be_hole(const char *port)
{
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&any, sizeof any) < 0) {
        perror("cross");
        return 1;
    }
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    const struct kind *kind = argc == 7 ? cross_find_kind(argv[6]) : NULL;
    int fd;

    if (argc == 3 && strcmp(argv[1], "hole") == 0)
        return be_hole(argv[2]);
    fd = kind != NULL ? open_to(argv[1], argv[2]) : -1;
    if (fd < 0 || atof(argv[3]) <= 0) {
        fputs("usage: cross IPV4 PORT BPS SECONDS SEED poisson|cbr|onoff\n       cross hole PORT\n", stderr);
        return 2;
    }
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    state = strtoull(argv[5], NULL, 10);
    cross_send_all(fd, kind, atof(argv[3]), atof(argv[4]));
    close(fd);
    return 0;
}

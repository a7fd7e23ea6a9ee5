/* SPDX-License-Identifier: BSD-3-Clause */
/* Trains of pptrans on UDP port 9000, in a loop of poll(2) and nothing else. */
#include <poll.h>
#include <pprec/pprec.h>
#include <stdio.h>
#include <time.h>

/* The kernel stamps packets when they come: reading them late costs no precision,
 * and reading them at once would disturb what is measured. */
enum { PATIENCE_NS = 4000000, TICK_MS = 100 };

static void poll_show(void *user, const struct pprec_train *train)
{
    (void)user;
    printf("%.3f Mbit/s %s\n", train->capacity.capacity_bps / 1e6, pprec_state_name(train->capacity.state));
    fflush(stdout);
}

static int poll_run(struct pprec *pprec)
{
    const struct timespec patience = {.tv_nsec = PATIENCE_NS};
    int got = 0;

    while (got >= 0) {
        struct pollfd readable = {.fd = pprec_fd(pprec), .events = POLLIN};

        if (poll(&readable, 1, TICK_MS) > 0)
            nanosleep(&patience, NULL);
        got = pprec_dispatch(pprec, 0); /* even without packets: time passes */
    }
    return got;
}

int main(void)
{
    struct pprec_config config;
    struct pprec_socket_options options;
    struct pprec *pprec;

    pprec_config_init(&config);
    config.on_train = poll_show;
    pprec_socket_options_init(&options);
    options.port = 9000;
    if (pprec_new(&pprec, &config) == PPREC_OK && pprec_listen(pprec, &options) == PPREC_OK)
        poll_run(pprec);
    fprintf(stderr, "%s\n", pprec_error(pprec));
    pprec_free(pprec);
    return 1;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle.h"

#include "common/auth.h"

#include <string.h>

static void handle_on_train(void *user, const struct pprec_train *train)
{
    report_put_train(user, train);
}

static void handle_on_estimate(void *user, const struct pprec_change *change)
{
    report_put_change(user, change);
}

static void handle_on_summary(void *user, const struct pprec_summary *summary)
{
    report_put_summary(user, summary);
}

static struct pprec_endpoint handle_endpoint_of(const struct address *address)
{
    struct pprec_endpoint endpoint = {.ip = (uint8_t)address_ip(address), .port = address_port(address)};

    if (address_ip(address) == LAYER_IPV6)
        memcpy(endpoint.address, &address->ipv6.sin6_addr, 16);
    else
        memcpy(endpoint.address, &address->ipv4.sin_addr, 4);
    return endpoint;
}

/* Where they are nobody's business they need not be told: that costs as much as a few packets. */
static bool wants_trains(const struct options *options)
{
    return !options->quiet || options->log != NULL || options->live || options->metrics != NULL
        || options->trains != 0 || options->train_length != 0;
}

int handle_make(struct pprec **pprec, const struct options *options, struct report *report,
                struct error *error)
{
    struct pprec_config config;
    struct auth_key key;
    int status;

    options_configure(options, &config);
    if (options->key_file != NULL) {
        if (auth_init(error) < 0 || auth_read_key(&key, options->key_file, error) < 0)
            return -1;
        config.key = key.bytes;
        if (options->sent_to.bytes > 0)
            config.sent_to = handle_endpoint_of(&options->sent_to);
    }
    config.user = report;
    config.on_summary = handle_on_summary;
    if (wants_trains(options)) {
        config.on_train = handle_on_train;
        config.on_estimate = handle_on_estimate;
    }
    status = pprec_new(pprec, &config);
    auth_forget_key(&key);
    return status < 0 ? error_set(error, "%s", pprec_error(*pprec)) : 0;
}

int handle_open_capture(struct pprec *pprec, const struct options *options, const char *const *files,
                        struct error *error)
{
    static const enum pprec_timestamps sources[] = {
        [OPTIONS_TIMESTAMPS_AUTO] = PPREC_TIMESTAMPS_NONE,
        [OPTIONS_TIMESTAMPS_KERNEL] = PPREC_TIMESTAMPS_KERNEL,
        [OPTIONS_TIMESTAMPS_HARDWARE] = PPREC_TIMESTAMPS_HARDWARE,
    };
    struct pprec_capture_options capture;
    int status;

    pprec_capture_options_init(&capture);
    capture.files = files;
    capture.interface_name = files == NULL ? options->capture : NULL;
    capture.filter = options->bpf;
    capture.port = (uint16_t)options->port;
    capture.timestamps = sources[options->timestamps];
    status = pprec_open_capture(pprec, &capture);
    if (status < 0)
        error_set(error, "%s", pprec_error(pprec));
    return status;
}

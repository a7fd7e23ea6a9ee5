/* SPDX-License-Identifier: BSD-3-Clause */
/* A program as it was written before pprec.h became three: of the names that are as they were,
 * each is here. It clears structs instead of asking for their init functions, and passes over
 * what functions return that once returned nothing. Prints the estimate of twenty pairs. */
#include <pprec/pprec.h>

#include <stdio.h>
#include <string.h>

struct seen {
    int trains, changes, summaries, packets;
};

static void on_train(void *user, const struct pprec_train *train)
{
    struct seen *seen = (struct seen *)user;
    struct pprec_packet packet;

    seen->trains += train->verdict == PPREC_VERDICT_OK && train->sent == 2 && train->received == 2
        && train->dispersion_ns == 800000 && train->departure_span_ns == PPREC_UNKNOWN_NS
        && train->delay_ns == PPREC_UNKNOWN_NS && train->rate_bps > 0
        && train->capacity.high_bps >= train->capacity.low_bps && train->size_bytes == 1000;
    for (uint32_t i = 0; pprec_train_packet(train, i, &packet) == PPREC_OK; i++)
        seen->packets += packet.bytes == 1000 && packet.position == i;
}

static void on_estimate(void *user, const struct pprec_change *change)
{
    ((struct seen *)user)->changes +=
        change->was.state != change->capacity.state && change->stream == 7 && change->source.ip == 4;
}

static void on_summary(void *user, const struct pprec_summary *summary)
{
    ((struct seen *)user)->summaries += summary->counts.packets == 40 && summary->kind == PPREC_KIND_PROBE
        && summary->foreign == 1 && summary->rate_p50_bps > 0;
}

static void arrival_of(struct pprec_arrival *arrival, uint32_t seq)
{
    memset(arrival, 0, sizeof *arrival);
    arrival->source.ip = 4;
    arrival->stream = 7;
    arrival->train = seq / 2;
    arrival->seq = seq;
    arrival->position = (uint16_t)(seq % 2);
    arrival->train_length = 2;
    arrival->payload_bytes = 1000 - 46;
    arrival->received.ns = seq / 2 * INT64_C(500000000) + seq % 2 * 800000;
    arrival->received.clock = PPREC_CLOCK_OTHER;
    arrival->received.source = PPREC_TIMESTAMPS_USER;
    arrival->sent_ns = PPREC_UNKNOWN_NS;
    arrival->departure_span_ns = PPREC_UNKNOWN_NS;
}

/* What is read by the library itself: nothing comes, and nobody waits. */
static int sources(void)
{
    const char *const files[] = {"/dev/null", NULL};
    struct pprec_capture_options capture;
    struct pprec_socket_options socket;
    struct pprec *pprec = NULL;
    struct pprec_config config;
    int good;

    pprec_config_init(&config);
    pprec_socket_options_init(&socket);
    pprec_capture_options_init(&capture);
    capture.files = files;
    good = pprec_new(&pprec, &config) == PPREC_OK && pprec_listen(pprec, &socket) == PPREC_OK
        && pprec_open_capture(pprec, &capture) == PPREC_EINVAL && pprec_fd(pprec) >= 0
        && pprec_buffer_bytes(pprec) > 0 && pprec_dispatch(pprec, 0) == 0
        && pprec_join(pprec, "192.0.2.1", NULL) == PPREC_EINVAL
        && pprec_leave(pprec, "239.1.2.3", NULL) == PPREC_EINVAL
        && pprec_source_timestamps(pprec) != PPREC_TIMESTAMPS_NONE && pprec_capture_bytes(pprec) == 0
        && pprec_dropped_here(pprec) == 0;
    pprec_free(pprec);
    return good;
}

static int words(void)
{
    char room[64];
    struct pprec_endpoint endpoint = {{192, 0, 2, 1}, 9000, 4};

    pprec_endpoint_text(&endpoint, room, sizeof room);
    return strcmp(room, "192.0.2.1:9000") == 0 && strcmp(pprec_version(), PPREC_VERSION) == 0
        && pprec_verdict_name(PPREC_VERDICT_OK) != NULL && pprec_filter_name(0) != NULL
        && pprec_filter_usage(0) != NULL && pprec_timestamps_name(PPREC_TIMESTAMPS_USER) != NULL
        && pprec_kind_name(PPREC_KIND_RTP) != NULL && pprec_reason_name(PPREC_REASON_ROOM) != NULL
        && pprec_why_name(PPREC_WHY_BATCHES) != NULL && pprec_why_text(PPREC_WHY_BATCHES) != NULL
        && pprec_advice_name(PPREC_ADVICE_WAIT) != NULL && pprec_advice_text(PPREC_ADVICE_WAIT) != NULL
        && !pprec_state_is_sure(PPREC_STATE_TENTATIVE);
}

int main(void)
{
    struct seen seen = {0, 0, 0, 0};
    struct pprec_stamp stamp = {0, PPREC_CLOCK_OTHER, PPREC_TIMESTAMPS_USER};
    struct pprec_arrival arrivals[2];
    struct pprec_capacity capacity;
    struct pprec *pprec = NULL;
    struct pprec_config config;

    pprec_config_init(&config);
    config.filter = "median";
    config.user = &seen;
    config.on_train = on_train;
    config.on_estimate = on_estimate;
    config.on_summary = on_summary;
    if (pprec_new(&pprec, &config) != PPREC_OK || !sources() || !words())
        return 1;
    arrival_of(&arrivals[0], 0);
    if (pprec_push_datagram(pprec, &arrivals[0].source, NULL, "junk", 4, 4, stamp) != PPREC_EFOREIGN)
        return 1;
    for (uint32_t seq = 0; seq < 40; seq += 2) {
        arrival_of(&arrivals[0], seq);
        arrival_of(&arrivals[1], seq + 1);
        if (seq == 0 ? pprec_push_all(pprec, arrivals, 2) < 0
                     : pprec_push(pprec, &arrivals[0]) < 0 || pprec_push(pprec, &arrivals[1]) < 0)
            printf("%s\n", pprec_error(pprec));
    }
    pprec_tick(pprec, pprec_time(pprec) + 1);
    pprec_finish(pprec);
    if (seen.trains != 20 || seen.packets != 40 || seen.changes != 1 || seen.summaries != 1
        || pprec_streams(pprec) != 1 || pprec_foreign(pprec) != 1
        || pprec_refused(pprec, PPREC_REASON_ROOM) != 0 || pprec_memory_bytes(pprec) == 0
        || pprec_replays_save(pprec, NULL, 0) != 0 || pprec_replays_restore(pprec, "", 0) != PPREC_EINVAL
        || pprec_estimate(pprec, &arrivals[0].source, 7, &capacity) != PPREC_OK)
        return 1;
    printf("%.1f Mbit/s %s\n", capacity.capacity_bps / 1e6, pprec_state_name(capacity.state));
    pprec_free(pprec);
    return 0;
}

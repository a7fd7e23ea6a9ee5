// SPDX-License-Identifier: BSD-3-Clause
// Every struct and every function from C++, without the keyword struct: none of them hides
// another. tests/abi/run sees to it that none is left out. Prints the estimate of twenty pairs.
#include <pprec/pprec.h>

#include <sys/socket.h>

#include <cstdio>
#include <cstring>

namespace {

struct Seen {
    int trains, packets, changes, summaries, nested;
    uint64_t arrived;
    pprec *handle;
};

void on_train(void *user, const pprec_train *train)
{
    Seen *seen = static_cast<Seen *>(user);
    pprec_packet packet;

    seen->trains++;
    for (uint32_t i = 0; pprec_train_packet(train, i, &packet) == PPREC_OK; i++)
        seen->packets++;
    seen->nested += pprec_free(seen->handle) == PPREC_ENESTED;
}

void on_estimate(void *user, const pprec_change *change)
{
    const pprec_capacity &now = change->capacity;
    const pprec_available &available = change->available;

    static_cast<Seen *>(user)->changes +=
        now.state != change->was.state && now.trains > 0 && available.state == PPREC_AVAILABLE_UNKNOWN;
}

void on_congestion(void *user, const pprec_congestion *congestion)
{
    static_cast<Seen *>(user)->arrived += congestion->packets + congestion->lost;
}

void on_summary(void *user, const pprec_summary *summary)
{
    const pprec_counts &counts = summary->counts;

    static_cast<Seen *>(user)->summaries += counts.trains == 20;
}

pprec_arrival arrival_of(uint32_t seq)
{
    pprec_arrival arrival;

    pprec_arrival_init(&arrival);
    arrival.source.ip = 4;
    arrival.stream = 7;
    arrival.train = seq / 2;
    arrival.seq = seq;
    arrival.position = static_cast<uint16_t>(seq % 2);
    arrival.train_length = 2;
    arrival.payload_bytes = 1000 - 46;
    arrival.received.ns = seq / 2 * INT64_C(500000000) + seq % 2 * 800000;
    arrival.received.clock = PPREC_CLOCK_OTHER;
    arrival.received.source = PPREC_TIMESTAMPS_USER;
    return arrival;
}

bool sources()
{
    const char *const files[] = {"/dev/null", nullptr};
    pprec_capture_options capture;
    pprec_socket_options socket;
    pprec_capture_counts counts;
    pprec *handle = nullptr;
    bool good;

    pprec_socket_options_init(&socket);
    pprec_capture_options_init(&capture);
    capture.files = files;
    good = pprec_new(&handle, nullptr) == PPREC_OK && pprec_listen(handle, &socket) == PPREC_OK
        && pprec_open_capture(handle, &capture) == PPREC_EINVAL && pprec_fd(handle) >= 0
        && pprec_stamp_enable(pprec_fd(handle)) == PPREC_OK && pprec_buffer_bytes(handle) > 0
        && pprec_dispatch(handle, 0) == 0 && pprec_join(handle, "192.0.2.1", nullptr) < 0
        && pprec_leave(handle, "239.1.2.3", nullptr) < 0 && pprec_capture_bytes(handle) == 0
        && pprec_capture_name(handle, 0) == nullptr && pprec_is_capture("absent") == PPREC_EIO
        && pprec_source_timestamps(handle) != PPREC_TIMESTAMPS_NONE && pprec_dropped_here(handle) == 0;
    pprec_get_capture_counts(handle, &counts);
    return pprec_free(handle) == PPREC_OK && good && counts.packets == 0;
}

bool words()
{
    pprec_endpoint endpoint = {{192, 0, 2, 1}, 9000, 4};
    char room[64];

    pprec_endpoint_text(&endpoint, room, sizeof room);
    return std::strcmp(room, "192.0.2.1:9000") == 0 && pprec_version() != nullptr
        && pprec_verdict_name(PPREC_VERDICT_OK) && pprec_filter_name(0) && pprec_filter_usage(0)
        && std::strcmp(pprec_available_state_name(PPREC_AVAILABLE_AT_LEAST), "at_least") == 0
        && std::strcmp(pprec_hop_state_name(PPREC_HOP_AT_LEAST), "at_least") == 0
        && pprec_tight_why_name(PPREC_TIGHT_WHY_NEAR) && pprec_tight_why_text(PPREC_TIGHT_WHY_NEAR)
        && pprec_hops_why_name(PPREC_HOPS_WHY_NEAR) && pprec_hops_why_text(PPREC_HOPS_WHY_NEAR)
        && pprec_timestamps_name(PPREC_TIMESTAMPS_USER) && pprec_kind_name(PPREC_KIND_RTP)
        && pprec_reason_name(PPREC_REASON_ROOM) && pprec_why_name(PPREC_WHY_BATCHES)
        && pprec_why_text(PPREC_WHY_BATCHES) && pprec_advice_name(PPREC_ADVICE_WAIT)
        && pprec_advice_text(PPREC_ADVICE_WAIT) && !pprec_state_is_sure(PPREC_STATE_TENTATIVE);
}

bool media(pprec *handle)
{
    msghdr message = msghdr();
    pprec_stamp stamp = pprec_stamp_of(&message);
    pprec_endpoint source = pprec_endpoint();

    source.ip = 4;
    return stamp.source == PPREC_TIMESTAMPS_USER
        && pprec_push_rtp(handle, &source, "x", 1, 1, stamp) == PPREC_EFOREIGN
        && pprec_push_srt(handle, &source, "x", 1, 1, stamp) == PPREC_EFOREIGN;
}

bool results(pprec *handle, pprec_capacity *capacity)
{
    pprec_cursor cursor = pprec_cursor();
    pprec_endpoint source;
    pprec_summary summary, interval;
    pprec_totals totals;
    pprec_capacity path;
    pprec_available available;
    pprec_hops_summary hops;
    pprec_hop hop[1];
    uint32_t stream;

    pprec_get_totals(handle, &totals);
    return pprec_streams(handle) == 1 && pprec_stream_at(handle, 0, &source, &stream) == PPREC_OK
        && stream == 7 && pprec_get_summary(handle, &source, stream, &summary) == PPREC_OK
        && pprec_get_interval(handle, &source, stream, &cursor, &interval) == PPREC_OK
        && summary.counts.trains == 20 && interval.counts.trains == 20 && totals.counts.trains == 20
        && pprec_time(handle) != PPREC_UNKNOWN_NS && pprec_foreign(handle) == 3
        && pprec_refused(handle, PPREC_REASON_ROOM) == 0 && pprec_memory_bytes(handle) > 0
        && pprec_replays_save(handle, nullptr, 0) == 0 && pprec_replays_restore(handle, "", 0) == PPREC_EINVAL
        && pprec_estimate(handle, &source, stream, capacity) == PPREC_OK
        && pprec_get_available(handle, &source, stream, &available) == PPREC_OK
        && available.queue_ns == PPREC_UNKNOWN_NS && available.newest_ns == PPREC_UNKNOWN_NS
        && pprec_get_hops(handle, &source, stream, hop, 1, &hops) == PPREC_OK && hops.hops_told == 0
        && pprec_path_estimate(handle, &source, nullptr, &path) == PPREC_OK && path.trains == capacity->trains
        && pprec_reset_stream(handle, &source, stream) == PPREC_OK;
}

} // namespace

int main()
{
    Seen seen = Seen();
    pprec_config config;
    pprec_capacity capacity;
    pprec_stamp stamp = {0, PPREC_CLOCK_OTHER, PPREC_TIMESTAMPS_USER};

    pprec_config_init(&config);
    config.filter = "median";
    config.user = &seen;
    config.on_train = on_train;
    config.on_estimate = on_estimate;
    config.on_summary = on_summary;
    config.on_congestion = on_congestion;
    if (pprec_new(&seen.handle, &config) < 0 || !sources() || !words() || !media(seen.handle))
        return 1;
    for (uint32_t seq = 0; seq < 40; seq += 2) {
        pprec_arrival arrivals[2] = {arrival_of(seq), arrival_of(seq + 1)};

        if (seq == 0 ? pprec_push_all(seen.handle, arrivals, 2) < 0
                     : pprec_push(seen.handle, &arrivals[0]) < 0 || pprec_push(seen.handle, &arrivals[1]) < 0)
            std::printf("%s\n", pprec_error(seen.handle));
    }
    pprec_arrival any = arrival_of(0);
    if (pprec_push_datagram(seen.handle, &any.source, nullptr, "junk", 4, 4, stamp) >= 0
        || pprec_tick(seen.handle, pprec_time(seen.handle) + 1) < 0 || pprec_finish(seen.handle) < 0)
        return 1;
    if (seen.trains != 20 || seen.packets != 40 || seen.changes != 1 || seen.summaries != 1
        || seen.nested != 20 || seen.arrived != 40 || !results(seen.handle, &capacity))
        return 1;
    std::printf("%.1f Mbit/s %s\n", capacity.capacity_bps / 1e6, pprec_state_name(capacity.state));
    return pprec_free(seen.handle);
}

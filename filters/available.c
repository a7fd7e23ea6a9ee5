/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/available.md explains it. */
#include "filters/available.h"

#include "filters/available_idle.h"
#include "filters/available_train.h"
#include "filters/available_weigh.h"
#include "filters/noise.h"

#include <math.h>

/* Trains that are kept, for each of the window: half of them are paced. */
enum { ROOM = 2 };

/* Its memory: this, the trains, then what is worked with. */
struct available {
    struct epoch epoch;
    struct available_trains trains;
    int64_t newest_ns;
    int64_t divisor_ns, sent_divisor_ns; /* of all stamps of arrivals, of all send times */
    double *at_s, *delay_ns, *sorted;    /* [room] each */
    uint32_t *hull;
    bool *counts;
};

static unsigned room_of(unsigned window)
{
    return ROOM * (window ? window : 1);
}

size_t available_bytes(unsigned window)
{
    size_t each = sizeof(struct available_train) + 3 * sizeof(double) + sizeof(uint32_t) + sizeof(bool);

    return sizeof(struct available) + room_of(window) * each;
}

void available_init(void *state, unsigned window)
{
    struct available *available = state;
    unsigned room = room_of(window);

    *available =
        (struct available){.trains = {.ring = (struct available_train *)(available + 1), .room = room}};
    available->at_s = (double *)(available->trains.ring + room);
    available->delay_ns = available->at_s + room;
    available->sorted = available->delay_ns + room;
    available->hull = (uint32_t *)(available->sorted + room);
    available->counts = (bool *)(available->hull + room);
}

/* --- Taking trains --- */

static void note_tick(int64_t *divisor_ns, int64_t time_ns)
{
    if (time_ns > 0)
        *divisor_ns = noise_divisor(*divisor_ns, time_ns);
}

static void available_append(struct available *available, const struct available_train *train)
{
    struct available_trains *trains = &available->trains;

    if (trains->count == trains->room) {
        trains->oldest = trains->oldest + 1 == trains->room ? 0 : trains->oldest + 1;
        trains->count--;
    }
    *available_train_at(trains, trains->count++) = *train;
}

void available_push(void *state, const struct sample *sample)
{
    struct available *available = state;
    struct available_train train;

    if (sample->received == 0 || sample->sent < 2 || sample->verdict == VERDICT_LATE)
        return;
    available->newest_ns = sample->time_ns;
    note_tick(&available->divisor_ns, sample->time_ns);
    note_tick(&available->sent_divisor_ns, sample->sent_ns);
    train = available_train_read(&available->epoch, sample);
    available_append(available, &train);
}

/* --- The window of time --- */

static void drop_oldest(struct available_trains *trains, unsigned count)
{
    trains->oldest = (trains->oldest + count) % trains->room;
    trains->count -= count;
}

/* Also what came before a clock was set, or a sender was started anew. */
static void keep_since(struct available_trains *trains, double from_s)
{
    unsigned old = 0;

    while (old < trains->count && !(available_train_at(trains, old)->at_s >= from_s))
        old++;
    drop_oldest(trains, old);
}

static struct available_trains recent(const struct available *available)
{
    struct available_trains trains = available->trains;

    if (trains.count > 0)
        keep_since(&trains, available_train_at(&trains, trains.count - 1)->at_s - SAMPLE_HORIZON_S);
    return trains;
}

/* --- First packets --- */

/* A train that left this soon after the one before waited for it to leave. */
#define FORCED_S 50e-6

static bool by_chance(const struct available_trains *trains, unsigned i)
{
    const struct available_train *before;

    if (i == 0)
        return true;
    before = available_train_at(trains, i - 1);
    return isnan((double)before->span_ns)
        || available_train_at(trains, i)->at_s > before->at_s + (double)before->span_ns * 1e-9 + FORCED_S;
}

/* The size that most first packets have. */
static uint32_t commonest_bytes(const struct available_trains *trains)
{
    struct majority most = {0, 0};

    for (unsigned i = 0; i < trains->count; i++)
        majority_add(&most, available_train_at(trains, i)->first_bytes);
    return most.value;
}

/* A host takes longer to hand over a longer train at once, and its first packet is late by that: one of 64 packets, in
 * messages of many segments, leaves 25 to 60 us after its time. They count where there are hardly any others. */
enum { HANDED_MOST = 16 };

/* Those whose delays can be compared: of one clock, and of one size, or, where sizes are many, of
 * whatever size. */
struct alike {
    uint32_t least_bytes, most_bytes;
    uint16_t segment;
    uint16_t most_sent; /* of those that count */
    bool sized;
};

static bool is_alike(const struct alike *alike, const struct available_train *train)
{
    return !isnan(train->delay_ns) && train->segment == alike->segment
        && train->first_bytes >= alike->least_bytes && train->first_bytes <= alike->most_bytes;
}

static bool enough(const struct available_trains *trains, const struct alike *alike)
{
    unsigned count = 0;

    for (unsigned i = 0; i < trains->count; i++) {
        const struct available_train *train = available_train_at(trains, i);
        count += is_alike(alike, train) && train->sent <= alike->most_sent;
    }
    return count >= IDLE_LEAST;
}

static struct alike find_alike(const struct available_trains *trains)
{
    uint32_t bytes = commonest_bytes(trains);
    uint16_t segment = available_train_at(trains, trains->count - 1)->segment;
    struct alike choices[] = {{bytes, bytes, segment, HANDED_MOST, true},
                              {bytes, bytes, segment, UINT16_MAX, true},
                              {0, UINT32_MAX, segment, UINT16_MAX, false}};
    unsigned choice = 0;

    while (choice < 2 && !enough(trains, &choices[choice]))
        choice++;
    return choices[choice];
}

static struct idle_delays load_delays(const struct available *available,
                                      const struct available_trains *trains, const struct alike *alike)
{
    struct idle_delays delays = {.at_s = available->at_s,
                                 .delay_ns = available->delay_ns,
                                 .counts = available->counts,
                                 .hull = available->hull,
                                 .sorted = available->sorted};

    for (unsigned i = 0; i < trains->count; i++) {
        const struct available_train *train = available_train_at(trains, i);

        if (!is_alike(alike, train))
            continue;
        available->at_s[delays.count] = train->at_s;
        available->delay_ns[delays.count] = train->delay_ns;
        available->counts[delays.count++] = by_chance(trains, i) && train->sent <= alike->most_sent;
    }
    return delays;
}

/* The narrowest floor that is looked at is what stamps of a quiet host scatter by; half a full
 * frame is a wait. */
#define WIDTH_MOST_BITS 6000

static struct idle_width width_of(const struct available *available, double capacity_bps)
{
    int64_t tick_ns = available->divisor_ns > available->sent_divisor_ns ? available->divisor_ns
                                                                         : available->sent_divisor_ns;

    if (!(capacity_bps > 0))
        return (struct idle_width){0, 0};
    return (struct idle_width){fmax(noise_prior().stamp_ns, (double)tick_ns),
                               WIDTH_MOST_BITS * 1e9 / capacity_bps};
}

/* Leaves of trains what came since the load changed. */
static struct idle available_read_idle(const struct available *available, struct available_trains *trains,
                                       double capacity_bps)
{
    struct alike alike = find_alike(trains);
    struct idle_delays delays = load_delays(available, trains, &alike);
    struct idle_width width = width_of(available, alike.sized ? capacity_bps : 0);
    struct idle idle = {.queue_ns = -1, .queue_p95_ns = -1};
    unsigned since;

    if (!idle_level(&delays))
        return idle;
    idle = idle_read(&delays, 0, width);
    since = idle_since(&delays, idle.width_ns);
    if (since == 0)
        return idle;
    keep_since(trains, delays.at_s[since]);
    return idle_read(&delays, since, width);
}

/* --- Queue and buffer --- */

/* The longest queue is one: it held this many full frames. */
enum { QUEUE_LEAST = 4, FRAME_BYTES = 1500 };

/* Absurd send times make a queue that is longer than 64 bits tell. */
static int64_t available_ns_of(double ns)
{
    return ns < (double)INT64_MAX ? (int64_t)ns : INT64_MAX;
}

/* A train that finds no room in a queue loses packets where it has raised it to its highest, and nowhere else. What is
 * lost at random is so near the highest by chance: that is the share of it in what the train raised. */
#define NEAR (1.0 / 8)
enum { NEAR_FRAMES = 2 };

/* The queue was as long as this share of the longest. */
#define FULL 0.7

/* That so many of the trains that lost are like that, if all is lost at random. */
#define CHANCE_MOST 1e-3

/* What a train that lost multiplies a bound of that by: its own chance, and 2, because any of them may be the ones. */
static double chance_of(const struct available_train *train, double first_ns, double full_ns, double frame_ns)
{
    double top_ns = (double)train->top_ns, shed_ns = (double)train->shed_ns;
    double near_ns = fmax(NEAR * top_ns, NEAR_FRAMES * frame_ns);

    if (top_ns - shed_ns > near_ns || first_ns + shed_ns < full_ns)
        return 2;
    return fmin(2 * near_ns / top_ns, 1);
}

static bool is_full(const struct available *available, const struct available_trains *trains,
                    const struct alike *alike, double most_ns, double frame_ns)
{
    unsigned count = 0;
    double chance = 1;

    for (unsigned i = 0; i < trains->count; i++) {
        const struct available_train *train = available_train_at(trains, i);
        double first_ns;

        if (!is_alike(alike, train))
            continue;
        first_ns = available->delay_ns[count++];
        if (isfinite(train->shed_ns))
            chance *= chance_of(train, first_ns, FULL * most_ns, frame_ns);
    }
    return chance < CHANCE_MOST;
}

/* The longest wait that two trains met: a host that stood still for once delays one of them by more than any queue. */
static double longest_wait_ns(const struct available *available, const struct available_trains *trains,
                              const struct alike *alike)
{
    unsigned count = 0;
    double most_ns = 0, next_ns = 0;

    for (unsigned i = 0; i < trains->count; i++) {
        const struct available_train *train = available_train_at(trains, i);
        double wait_ns;

        if (!is_alike(alike, train))
            continue;
        wait_ns = available->delay_ns[count++] + (double)train->top_ns;
        next_ns = fmax(next_ns, fmin(most_ns, wait_ns));
        most_ns = fmax(most_ns, wait_ns);
    }
    return next_ns;
}

/* At which rate a queue was emptied that only a bound of the capacity is known of, nobody can say. */
static void tell_queue(const struct available *available, const struct available_readings *all,
                       const struct estimate *capacity, struct available_estimate *result)
{
    struct available_trains trains = recent(available);
    struct alike alike = find_alike(&trains);
    double most_ns = longest_wait_ns(available, &trains, &alike);

    result->queue_ns = available_ns_of(all->idle.queue_ns);
    result->queue_p95_ns = available_ns_of(all->idle.queue_p95_ns);
    if (capacity->state == STATE_SENDER_LIMITED
        || !(most_ns * all->capacity_bps > QUEUE_LEAST * 8e9 * FRAME_BYTES))
        return;
    result->buffer_bytes = most_ns * all->capacity_bps / 8e9;
    result->buffer_full = capacity->state != STATE_POLICED /* its bucket was empty */
        && is_full(available, &trains, &alike, most_ns, 8e9 * FRAME_BYTES / all->capacity_bps);
}

static void tell_lossless(const struct available_trains *trains, struct available_estimate *result)
{
    for (unsigned i = 0; i < trains->count; i++) {
        unsigned packets = available_train_lossless(available_train_at(trains, i));

        if (packets > 1 && packets > result->lossless_train)
            result->lossless_train = packets;
    }
}

void available_estimate(const void *state, const struct estimate *capacity, struct available_estimate *result)
{
    const struct available *available = state;
    struct available_readings all = {.trains = recent(available)};

    *result = (struct available_estimate){
        .queue_ns = SAMPLE_UNKNOWN_NS, .queue_p95_ns = SAMPLE_UNKNOWN_NS, .newest_ns = available->newest_ns};
    if (available->trains.count == 0)
        return;
    all.idle = available_read_idle(available, &all.trains, capacity->capacity_bps);
    if (capacity->capacity_bps > 0)
        available_read(&all, capacity);
    result->trains = all.trains.count;
    tell_lossless(&all.trains, result);
    if (all.idle.queue_ns >= 0)
        tell_queue(available, &all, capacity, result);
    if (capacity->capacity_bps > 0)
        available_weigh(&all, capacity, result);
}

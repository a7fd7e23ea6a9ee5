/* SPDX-License-Identifier: BSD-3-Clause */
/* What a packet costs the library when it is one of many streams', beside what it
 * costs when there is one stream alone: in turn, in one run. */
#include "common/stamp.h"
#include "pprec/pprec.h"
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND_PACKETS = 256, PAYLOAD_BYTES = 954, SHUFFLE_SEED = 1, STAGGER_TRAINS = 97 };

/* Between the trains of a stream, as pptrans sends them. */
#define SPACING_NS (500 * STAMP_NS_PER_MS)

/* Gaps of packets, uniform in between: every train has a rate of its own. */
enum { GAP_LEAST_NS = 1000, GAP_RANGE_SHIFT = 22 }; /* 32 bits less that: 1024 ns */

enum order { BY_TRAIN, BY_PACKET };

struct streams_options {
    uint32_t streams;
    uint32_t length_log2;
    uint32_t warm_trains;
    uint32_t rounds;
    int order; /* enum order */
    bool together;
    const char *filter;
};

#define AT(field) .offset = offsetof(struct streams_options, field)

static const char *const orders[] = {"train", "packet", NULL};

static const struct option_row rows[] = {
    {.name = "streams",
     .letter = 's',
     .metavar = "STREAMS",
     .kind = &option_unsigned,
     AT(streams),
     .min = 2,
     .max = 1 << 20,
     .help = "how many, beside one"},
    {.name = "length",
     .letter = 'n',
     .metavar = "LOG2",
     .kind = &option_unsigned,
     AT(length_log2),
     .min = 1,
     .max = 8,
     .help = "packets per train, as a power of two"},
    {.name = "order",
     .metavar = "train|packet",
     .kind = &option_word,
     AT(order),
     .words = orders,
     .help = "what comes of a stream before the next one's turn"},
    {.name = "warm",
     .metavar = "TRAINS",
     .kind = &option_unsigned,
     AT(warm_trains),
     .min = 1,
     .max = 100000,
     .help = "trains of each stream that are not measured: they fill its window"},
    {.name = "rounds",
     .metavar = "ROUNDS",
     .kind = &option_unsigned,
     AT(rounds),
     .min = 1,
     .max = 1000,
     .help = "measurements; each has a train of every stream"},
    {.name = "together",
     .kind = &option_flag,
     AT(together),
     .help = "push as many at once as a receiver reads at once"},
    {.name = "filter", .metavar = "NAME", .kind = &option_text, AT(filter), .help = "the library's"},
    {.kind = NULL},
};

static const struct option_program program = {
    .name = "bench streams",
    .version = "",
    .usage = "[options]",
    .about = "Pushes packets of one stream and of many into libpprec, in turn, and prints the\n"
             "time of one packet and the median ratio.\n",
    .rows = rows,
};

/* One handle and what it gets. */
struct feed {
    struct pprec *pprec;
    uint32_t *senders; /* in the order of their turns */
    uint32_t streams;
    uint32_t length;
    uint32_t random;
    enum order order;
    bool together;
    uint64_t next; /* packet of all streams */
    uint64_t trains;
    struct pprec_arrival arrivals[ROUND_PACKETS];
};

/* Numerical Recipes' quick generator; its low bits repeat too soon. */
static uint32_t streams_draw(uint32_t *random)
{
    return *random = *random * 1664525 + 1013904223;
}

/* Addresses from anywhere, in an order that is not that of their streams in memory. */
static void shuffle(uint32_t *senders, uint32_t count)
{
    uint32_t random = SHUFFLE_SEED;

    for (uint32_t i = 0; i < count; i++)
        senders[i] = i * UINT32_C(2654435761); /* odd: no two alike */
    for (uint32_t i = count - 1; i > 0; i--) {
        uint32_t other = streams_draw(&random) % (i + 1), held = senders[i];

        senders[i] = senders[other];
        senders[other] = held;
    }
}

static struct pprec_arrival streams_arrival_of(struct feed *feed, uint64_t number)
{
    uint64_t sweep = (uint64_t)feed->streams * feed->length;
    uint64_t in_sweep = number % sweep;
    uint32_t train = (uint32_t)(number / sweep);
    bool by_train = feed->order == BY_TRAIN;
    uint32_t turn = (uint32_t)(by_train ? in_sweep / feed->length : in_sweep % feed->streams);
    uint32_t position = (uint32_t)(by_train ? in_sweep % feed->length : in_sweep / feed->streams);
    int64_t gap_ns = GAP_LEAST_NS + (streams_draw(&feed->random) >> GAP_RANGE_SHIFT);
    int64_t jitter_ns = by_train ? 0 : GAP_LEAST_NS * gap_ns;
    int64_t turn_ns = train * SPACING_NS + turn * (SPACING_NS / feed->streams);
    struct pprec_arrival arrival = {
        .source = {.port = 9000, .ip = 4},
        .train = train,
        .seq = train * feed->length + position,
        .position = (uint16_t)position,
        .train_length = (uint16_t)feed->length,
        .payload_bytes = PAYLOAD_BYTES,
        .received = {.clock = PPREC_CLOCK_REALTIME, .source = PPREC_TIMESTAMPS_KERNEL},
        .sent_ns = turn_ns,
        .departure_train = train - 1,
        .departure_span_ns = GAP_LEAST_NS / 10,
        .departed_ns = PPREC_UNKNOWN_NS,
    };

    memcpy(arrival.source.address, &feed->senders[turn], sizeof turn);
    arrival.received.ns =
        turn_ns + STAMP_NS_PER_MS + position * (by_train ? gap_ns : SPACING_NS / feed->length) + jitter_ns;
    return arrival;
}

/* Streams begin one after the other, so that their filters do not all work out an
 * estimate after the same train. */
static bool begun(const struct feed *feed, const struct pprec_arrival *arrival)
{
    uint32_t sender;

    memcpy(&sender, arrival->source.address, sizeof sender);
    return feed->streams == 1 || arrival->train >= sender % STAGGER_TRAINS;
}

/* Returns the time it took, without that of making them. */
static int64_t streams_push(struct feed *feed, uint64_t packets)
{
    int64_t spent_ns = 0;

    for (uint64_t done = 0; done < packets;) {
        uint64_t left = packets - done;
        unsigned turns = left < ROUND_PACKETS ? (unsigned)left : ROUND_PACKETS, count = 0;
        int64_t start_ns;

        for (unsigned i = 0; i < turns; i++) {
            feed->arrivals[count] = streams_arrival_of(feed, feed->next++);
            count += begun(feed, &feed->arrivals[count]);
        }
        start_ns = stamp_now_ns(CLOCK_THREAD_CPUTIME_ID);
        if (feed->together)
            pprec_push_all(feed->pprec, feed->arrivals, count);
        for (unsigned i = 0; !feed->together && i < count; i++)
            pprec_push(feed->pprec, &feed->arrivals[i]);
        spent_ns += stamp_now_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns;
        done += turns;
    }
    return spent_ns;
}

static void streams_on_train(void *user, const struct pprec_train *train)
{
    struct feed *feed = user;

    feed->trains += train->received == feed->length;
}

static int feed_init(struct feed *feed, const struct streams_options *options, uint32_t streams)
{
    struct pprec_config config;

    *feed = (struct feed){.streams = streams,
                          .length = 1U << options->length_log2,
                          .order = (enum order)options->order,
                          .together = options->together,
                          .senders = malloc(streams * sizeof *feed->senders)};
    if (feed->senders == NULL)
        return bench_refuse("no memory");
    shuffle(feed->senders, streams);
    pprec_config_init(&config);
    config.on_train = streams_on_train;
    config.user = feed;
    config.streams_max = streams;
    config.memory_bytes = 0;
    config.filter = options->filter;
    if (pprec_new(&feed->pprec, &config) < 0)
        return bench_refuse(pprec_error(feed->pprec));
    return EXIT_SUCCESS;
}

static int streams_by_size(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;

    return (one > other) - (one < other);
}

static int streams_measure(struct feed *one, struct feed *many, const struct streams_options *options)
{
    uint64_t packets = (uint64_t)many->streams * many->length;
    double *ratios = malloc(options->rounds * sizeof *ratios);
    double one_ns = 0, many_ns = 0;

    if (ratios == NULL)
        return bench_refuse("no memory");
    streams_push(one, (uint64_t)options->warm_trains * one->length);
    streams_push(many, options->warm_trains * packets);
    for (uint32_t i = 0; i < options->rounds; i++) {
        double alone_ns = (double)streams_push(one, packets), among_ns = (double)streams_push(many, packets);

        ratios[i] = among_ns / alone_ns;
        one_ns += alone_ns / (double)packets / options->rounds;
        many_ns += among_ns / (double)packets / options->rounds;
    }
    qsort(ratios, options->rounds, sizeof *ratios, streams_by_size);
    printf("{\"filter\":\"%s\",\"order\":\"%s\",\"length\":%u,\"streams\":%u,\"one_ns\":%.1f,"
           "\"many_ns\":%.1f,\"ratio\":%.2f}\n",
           options->filter, orders[options->order], many->length, many->streams, one_ns, many_ns,
           ratios[options->rounds / 2]);
    free(ratios);
    return EXIT_SUCCESS;
}

int bench_streams(int argc, char **argv)
{
    struct streams_options options = {
        .streams = 10000, .length_log2 = 1, .warm_trains = 400, .rounds = 50, .filter = "median"};
    static struct feed one, many;
    int status;

    if (!bench_options(&program, argc, argv, &options, &status))
        return status;
    status = feed_init(&one, &options, 1);
    if (status == EXIT_SUCCESS)
        status = feed_init(&many, &options, options.streams);
    if (status == EXIT_SUCCESS)
        status = streams_measure(&one, &many, &options);
    pprec_free(one.pprec);
    pprec_free(many.pprec);
    free(one.senders);
    free(many.senders);
    return status;
}

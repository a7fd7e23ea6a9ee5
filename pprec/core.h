/* SPDX-License-Identifier: BSD-3-Clause */
/* The core of libpprec: packets in, the capacity of their path out.
 *
 * pprec_config_init(), pprec_new(); then pprec_push() for each packet, with the time at which
 * the kernel saw it, or what media.h and source.h have; results come to callbacks or are asked
 * for; pprec_finish(), pprec_free(). docs/library.md is the guide, `man 3 pprec` the
 * functions at a glance, examples/ has whole programs.
 *
 * Units: times in nanoseconds, rates in bit/s, sizes in bytes; names say which. Rates and sizes
 * count the layer of the configuration, except where a name says payload.
 * Ownership: what is passed to a callback is valid until it returns. Strings need not outlive
 * the call they are given to, save those of a capture.
 * Callbacks may ask for results; what changes the handle is PPREC_ENESTED inside them.
 * Errors: 0 or more on success, a negative PPREC_E* on failure; pprec_error() tells more. The
 * library never prints and never exits.
 * Versions: structs may gain fields, at their end only. Programs tell how large those are that
 * they know, by the init functions and by the inline ones around names in _sized; what a
 * callback gets may be larger than they know. What is part of other structs (endpoint, stamp,
 * counts, capacity, available), and the cursor, stays as large as it is. */
#ifndef PPREC_CORE_H
#define PPREC_CORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__ /* what stands here is exported by the shared library */
#pragma GCC visibility push(default)
#endif

#define PPREC_VERSION "0.1.0"

enum {
    PPREC_OK = 0,
    PPREC_EINVAL = -1,   /* a parameter is out of its range: pprec_error() names it */
    PPREC_ENOMEM = -2,   /* memory ran out */
    PPREC_EIO = -3,      /* the system refused; errno tells */
    PPREC_EFOREIGN = -4, /* the arrival contradicts its train or stream: dropped, counted */
    PPREC_EDAMAGED = -5, /* a capture cannot be read on; what came before was used */
    PPREC_EREFUSED = -6, /* not believed, or no room for its stream: dropped, counted by reason */
    PPREC_ENESTED = -7   /* called inside a callback of the same handle: nothing was done */
};

#define PPREC_UNKNOWN_NS INT64_MIN /* a time that nobody told */

/* What became of a train; pprec_verdict_name() spells them. */
enum pprec_verdict {
    PPREC_VERDICT_OK,
    PPREC_VERDICT_COMPRESSED,
    PPREC_VERDICT_EXPANDED,
    PPREC_VERDICT_PARTIAL,
    PPREC_VERDICT_REORDERED,
    PPREC_VERDICT_SENDER_LIMITED,
    PPREC_VERDICT_BATCHED,
    PPREC_VERDICT_LATE,
    PPREC_VERDICT_FOREIGN_SIZE,
    PPREC_VERDICT_REACH /* its inner packets were to die on the way: it tells of the links up to there */
};

/* How far an estimate can be trusted; pprec_state_name() spells them, and
 * pprec_state_is_sure() tells which are answers. States may be added. */
enum pprec_state {
    PPREC_STATE_INSUFFICIENT,   /* too few usable trains */
    PPREC_STATE_TENTATIVE,      /* a best guess, not to be shown as fact */
    PPREC_STATE_CONVERGED,      /* low to high is a 95 % interval */
    PPREC_STATE_SHAPED,         /* a token bucket: capacity is what lasts */
    PPREC_STATE_AMBIGUOUS,      /* several candidates that the data cannot separate */
    PPREC_STATE_SENDER_LIMITED, /* a lower bound: high is not known */
    PPREC_STATE_FAIR,           /* other flows take turns with ours: capacity is the link's */
    PPREC_STATE_POLICED,        /* a policer drops what its bucket does not hold: capacity is
                                   the link's, a lower bound where high is not known */
    PPREC_STATE_VARYING         /* rates that each hold for a time: capacity is the newest, low
                                   and high what it went through */
};

/* What keeps an estimate from being sure, or most speaks for one that is;
 * pprec_why_name() spells them. */
enum pprec_why {
    PPREC_WHY_NONE,             /* nothing to tell, as of all filters but adaptive */
    PPREC_WHY_FEW_TRAINS,       /* too few of them are usable, or as long as the longest */
    PPREC_WHY_PAIRS_ALONE,      /* a bucket of two packets cannot be told from a link */
    PPREC_WHY_NO_SEND_TIMES,    /* how trains left is not known */
    PPREC_WHY_TRAINS_SLOWER,    /* long trains are slower than pairs */
    PPREC_WHY_BATCHES,          /* packets came in batches: their gaps are not the path's */
    PPREC_WHY_TWO_RATES,        /* several rates, each with something for it */
    PPREC_WHY_SENDER,           /* trains came as they left */
    PPREC_WHY_OWN_LOAD,         /* the trains themselves fill the link */
    PPREC_WHY_LATE_FIRST_STAMP, /* first packets are stamped late: pairs read too fast */
    PPREC_WHY_TRAINS_FASTER,    /* long trains are faster than pairs */
    PPREC_WHY_LAST_GAPS_LONGER, /* trains end slower than they begin */
    PPREC_WHY_HEAD_PAUSE,       /* a pause near the head of each train, then one rate */
    PPREC_WHY_NEVER_IDLE,       /* no packet met an empty queue */
    PPREC_WHY_STAMPS_COARSE,    /* stamps are too coarse for these gaps */
    PPREC_WHY_TICKS,            /* packets leave at the ticks of a clock */
    PPREC_WHY_RATE_VARIES,      /* the rate changes from train to train */
    PPREC_WHY_FAIR_QUEUE,       /* other flows take turns with ours */
    PPREC_WHY_CONTENTION,       /* each packet waits for the medium by itself */
    PPREC_WHY_LOSSES,           /* too many packets are lost */
    PPREC_WHY_SHORT_BURSTS      /* of media: none was long enough to empty a bucket */
};

/* What to send otherwise, so that it becomes sure; pprec_advice_name() spells them. */
enum pprec_advice {
    PPREC_ADVICE_NONE,
    PPREC_ADVICE_WAIT,     /* more of the same will do */
    PPREC_ADVICE_SEND_MIX, /* pptrans's default pattern: pairs, and long trains among them */
    PPREC_ADVICE_SEND_LONGER_TRAINS,
    PPREC_ADVICE_SEND_TIMES,  /* when trains left */
    PPREC_ADVICE_SEND_LESS,   /* a greater delay from train to train, or shorter trains */
    PPREC_ADVICE_SEND_LARGER, /* larger packets: their gaps are longer */
    PPREC_ADVICE_SEND_BURSTS  /* media: large frames at once, without pacing */
};

/* How far a figure of what is free can be trusted; pprec_available_state_name() spells them. */
enum pprec_available_state {
    PPREC_AVAILABLE_UNKNOWN,   /* nothing can be said: no figure */
    PPREC_AVAILABLE_TENTATIVE, /* a best guess, not to be shown as fact */
    PPREC_AVAILABLE_AT_LEAST,  /* so much is free, perhaps more */
    PPREC_AVAILABLE_CONVERGED  /* low to high is a 95 % interval */
};

/* What a stream is made of; pprec_kind_name() spells them. */
enum pprec_kind {
    PPREC_KIND_PROBE, /* trains of pptrans, version 1 or classic */
    PPREC_KIND_SRT,
    PPREC_KIND_RTP,
    PPREC_KIND_FLOW,  /* any other UDP or TCP flow */
    PPREC_KIND_IPERF, /* UDP of iperf 3 and iperf 2, ... */
    PPREC_KIND_UDPST, /* ... load PDUs of udpst (RFC 9097), ... */
    PPREC_KIND_STAMP, /* ... and tests of STAMP, TWAMP and OWAMP: each packet tells when it was made */
    PPREC_KINDS
};

/* Why a datagram or an arrival was refused; pprec_reason_name() spells them. Reasons may be
 * added. */
enum pprec_reason {
    PPREC_REASON_UNTAGGED, /* a probe without a tag */
    PPREC_REASON_BAD_TAG,  /* its tag is not that of the key */
    PPREC_REASON_REPLAYED, /* this very probe was taken already, from another address */
    PPREC_REASON_STALE,    /* it is far behind its stream, or begins one at another time */
    PPREC_REASON_SOURCE,   /* it comes from none of the sources listed */
    PPREC_REASON_STRANGER, /* its numbers are far from its stream's, and nothing followed it */
    PPREC_REASON_CROWD,    /* it begins a stream, and its address has address_streams_max */
    PPREC_REASON_ROOM,     /* it begins a stream, and none of streams_max gives way */
    PPREC_REASON_MEMORY,   /* it wants memory beyond memory_bytes, and no stream gives way */
    PPREC_REASONS
};

enum { PPREC_KEY_BYTES = 32 };

/* How far a hop's capacity can be trusted; pprec_hop_state_name() spells them. */
enum pprec_hop_state {
    PPREC_HOP_INSUFFICIENT, /* too few trains of two lengths */
    PPREC_HOP_TENTATIVE,    /* a best guess */
    PPREC_HOP_AT_LEAST,     /* a lower bound: the sender, the markers or other traffic let no more be seen */
    PPREC_HOP_CONVERGED     /* low to high is a 95 % interval */
};

/* What keeps the narrow link from being told, or most speaks against what is told;
 * pprec_hops_why_name() spells them. Reasons may be added. */
enum pprec_hops_why {
    PPREC_HOPS_WHY_NONE,
    PPREC_HOPS_WHY_FEW_TRAINS,  /* of some hop, of two lengths */
    PPREC_HOPS_WHY_NO_CAPACITY, /* that of the whole path is not sure */
    PPREC_HOPS_WHY_BUCKET,      /* a bucket passes whole trains: they read faster than the path is */
    PPREC_HOPS_WHY_NEAR,        /* links too much alike, or trains too much disturbed */
    PPREC_HOPS_WHY_BEYOND,      /* beyond the last hop that trains were sent to */
    PPREC_HOPS_WHY_HOP_LIMITS,  /* hop limits are changed on the way */
    PPREC_HOPS_WHY_PATHS_VARY   /* markers come over paths of several lengths */
};

/* Clocks whose readings are never subtracted from one another. */
enum pprec_clock {
    PPREC_CLOCK_NONE,
    PPREC_CLOCK_REALTIME, /* CLOCK_REALTIME of this host */
    PPREC_CLOCK_ADAPTER,  /* the network adapter's own */
    PPREC_CLOCK_OTHER     /* any other, the same for all arrivals of a stream */
};

/* Who read the clock; pprec_timestamps_name() spells them. */
enum pprec_timestamps {
    PPREC_TIMESTAMPS_NONE,
    PPREC_TIMESTAMPS_HARDWARE,
    PPREC_TIMESTAMPS_KERNEL,
    PPREC_TIMESTAMPS_PCAP,
    PPREC_TIMESTAMPS_USER
};

struct pprec_stamp {
    int64_t ns;     /* since the clock's epoch */
    uint8_t clock;  /* enum pprec_clock */
    uint8_t source; /* enum pprec_timestamps */
};

/* Where packets come from. IPv4 takes the first 4 bytes of the address. */
struct pprec_endpoint {
    uint8_t address[16];
    uint16_t port; /* host byte order */
    uint8_t ip;    /* 4 or 6 */
};

/* One packet. A stream is told by its source and its id together, which are its name, and by its
 * kind: of streams that anybody makes up under another's name, but of another kind, the one that
 * has measured longest has the name (with a key that of probes); callbacks tell of all. Begin with
 * pprec_arrival_init(): a field that a later version adds is unknown then, and not 0. */
struct pprec_arrival {
    struct pprec_endpoint source;
    struct pprec_endpoint destination; /* ip 0: not known */
    enum pprec_kind kind;
    uint32_t stream;
    uint32_t train;         /* number of the train, from anywhere, wraps */
    uint32_t seq;           /* number of the packet in the stream, wraps */
    uint16_t position;      /* in the train, from 0 */
    uint16_t train_length;  /* packets in the train, 2 to 256; 0: known only when it
                               ends, with the next train or when nothing comes;
                               of a single packet then it was none, and is not told */
    uint32_t payload_bytes; /* UDP payload */
    uint32_t header_bytes;  /* of IP and UDP (or TCP) with options; 0: 28 or 48 */
    struct pprec_stamp received;
    int64_t sent_ns;             /* when the train was handed to its kernel, the
                                  sender's clock; or PPREC_UNKNOWN_NS */
    uint32_t departure_train;    /* of this earlier train of the stream ... */
    int64_t departure_span_ns;   /* ... the time from first to last departure, or
                                  PPREC_UNKNOWN_NS; 2^32 - 1 and more: too long
                                  to tell, so the train is the sender's */
    int64_t departed_ns;         /* when this packet itself left, the sender's clock; or
                                  PPREC_UNKNOWN_NS, or 0, as in structs only cleared; of
                                  kind RTP in steps of 2^-18 s */
    uint8_t hops_left;           /* the packet's hop limit (TTL) as it came; 0: not known */
    uint8_t load_hops;           /* hop limit with which the train's inner packets, its load, were
                                  sent, to die on the way; 0: none of this is so */
    uint8_t marker_hops;         /* ... with which its first and last, its markers, were sent */
    uint16_t load_payload_bytes; /* UDP payload of an inner packet; the markers' may be smaller,
                                  and is the same in both */
};

/* An estimate, and what it rests on; what is unknown is 0. */
struct pprec_capacity {
    enum pprec_state state;
    double capacity_bps;
    double low_bps;
    double high_bps;
    double peak_bps;            /* shaped: at which trains begin ... */
    double burst_bytes;         /* ... and the bucket */
    double share_bps;           /* fair: what a long train got of the capacity */
    double policed_bps;         /* policed: what lasts ... */
    double policed_burst_bytes; /* ... and the bucket */
    uint32_t flows;             /* fair: others that take turns with ours, as many as
                                   capacity / share - 1 is nearest to */
    enum pprec_why why;
    enum pprec_advice advice;
    uint32_t seen_bytes; /* the longest burst that it has seen: a larger bucket would hide;
                            0: not told */
    uint32_t trains;     /* that it rests on: of the window, and since the path last changed */
    int64_t newest_ns;   /* arrival of the newest of them, so that pprec_time() less this is
                            its age; or PPREC_UNKNOWN_NS */
    uint64_t reserved[6];
};

/* What other traffic leaves free of the narrow link: a mean over the last seconds, the stream's own
 * trains counted as free. Only streams that tell when their trains leave have it; docs/available.md
 * says how it is inferred, and what to send for it. What is unknown is 0. */
struct pprec_available {
    enum pprec_available_state state;
    double available_bps;
    double low_bps;          /* at_least: the same as available_bps, and ... */
    double high_bps;         /* ... 0: how much more is not known */
    int64_t queue_ns;        /* one-way delay of first packets over its floor: median and ... */
    int64_t queue_p95_ns;    /* ... 95th percentile; PPREC_UNKNOWN_NS where not known */
    double buffer_bytes;     /* the greatest queue seen at the narrow link, and ... */
    int buffer_full;         /* ... whether packets were lost at it: there is no more room */
    uint32_t lossless_train; /* packets of the longest train that lost none */
    uint32_t trains;         /* that it rests on */
    int64_t newest_ns;       /* arrival of the newest of them, or PPREC_UNKNOWN_NS */
    uint64_t reserved[4];
};

/* A packet of a train, as it arrived; further copies are left out. */
struct pprec_packet {
    int64_t offset_ns; /* since the train's first arrival */
    uint32_t bytes;
    uint16_t position; /* in the train, from 0 */
};

/* A train that is done with, and the estimate after it. */
struct pprec_train {
    int64_t time_ns; /* arrival of its first packet */
    struct pprec_endpoint source;
    uint32_t stream;
    uint32_t train;
    uint32_t size_bytes;       /* of a packet */
    uint32_t sent;             /* packets in the train */
    uint32_t received;         /* distinct packets of it that arrived */
    int64_t dispersion_ns;     /* spread of its intact gaps, or PPREC_UNKNOWN_NS */
    int64_t departure_span_ns; /* or PPREC_UNKNOWN_NS */
    double rate_bps;           /* or 0 */
    enum pprec_verdict verdict;
    struct pprec_capacity capacity;
    int64_t delay_ns;    /* from when its sender handed it over to its kernel to the arrival
                            of packet 0: of two clocks that need not agree, so only its
                            changes tell; or PPREC_UNKNOWN_NS */
    const void *packets; /* for pprec_train_packet(), while the callback runs */
    uint8_t load_hops;   /* as struct pprec_arrival has them ... */
    uint8_t marker_hops;
    uint8_t hops_left; /* ... of its markers; 0: not known, or not the same in both */
    uint32_t file;     /* of captures: which one its first packet was read from, for
                            pprec_capture_name() */
};

/* An estimate that has changed: its state, any of its figures, or why and advice, as far as
 * estimate_change and estimate_interval_ms let it; that more trains say the same is no change. */
struct pprec_change {
    int64_t time_ns; /* arrival of the first packet of the train that changed it */
    struct pprec_endpoint source;
    uint32_t stream;
    struct pprec_capacity was; /* as it was told last; at first, and after
                                  pprec_reset_stream(), PPREC_STATE_INSUFFICIENT and zeroes */
    struct pprec_capacity capacity;
    struct pprec_available available; /* as of then, or up to a second before: that it
                                         moves is no change */
};

/* Packets and trains by what became of them. */
struct pprec_counts {
    uint64_t trains;    /* reported */
    uint64_t usable;    /* their rate went into the estimate */
    uint64_t packets;   /* arrived: first copies, in time or late */
    uint64_t lost;      /* never arrived in time (RFC 7680), by sequence number: what the
                           sender's kernel refused has none */
    uint64_t duplicate; /* further copies */
    uint64_t reordered; /* arrived after a later number (RFC 4737) */
    uint64_t late;      /* first copies whose train was done with; also in lost */
};

/* A stream, from its first packet or over an interval. */
struct pprec_summary {
    struct pprec_endpoint source;
    struct pprec_endpoint destination; /* ip 0: not known */
    enum pprec_kind kind;
    uint32_t stream;
    int64_t first_ns; /* arrivals of its first packet and its last */
    int64_t last_ns;
    struct pprec_counts counts;
    uint64_t foreign;      /* datagrams of this handle that belong to no stream */
    uint64_t dropped_here; /* by this handle's source: never the network's loss */
    enum pprec_timestamps timestamps;
    int64_t jitter_ns; /* RFC 3550, section 6.4.1, of the trains' first packets;
                          PPREC_UNKNOWN_NS without send times */
    struct pprec_capacity capacity;
    double adr_bps; /* asymptotic dispersion rate: over trains of 8 and more */
    double rate_p05_bps;
    double rate_p50_bps;
    double rate_p95_bps;
    int64_t time_to_converge_ns; /* from the first packet, or PPREC_UNKNOWN_NS */
    struct pprec_available available;
    uint32_t first_file; /* of captures: which ones its first packet and its last were */
    uint32_t last_file;  /* read from, for pprec_capture_name() */
};

/* How far one reader of one stream has come with pprec_get_interval(): the caller's memory,
 * all zero at first; the fields are the library's. */
struct pprec_cursor {
    uint64_t stream; /* which one, of all that the handle ever had */
    struct pprec_counts counts;
    uint64_t foreign;
    uint64_t dropped_here;
    uint64_t reserved[4];
};

/* All streams of a handle together, those included that have gone. Their paths may be
 * different ones: there is no capacity of all. */
struct pprec_totals {
    struct pprec_counts counts;
    uint64_t streams;      /* known now */
    uint64_t streams_gone; /* for want of room */
    uint64_t foreign;      /* as struct pprec_summary has them */
    uint64_t dropped_here;
    uint64_t streams_idle; /* ended after idle_s */
};

/* The least capacity of the path's first so many links; what is unknown is 0. */
struct pprec_hop {
    enum pprec_hop_state state;
    uint32_t trains;     /* that it rests on */
    double capacity_bps; /* at_least: the bound, as low_bps is, and high_bps is 0 */
    double low_bps;
    double high_bps;
    uint64_t reserved[2];
};

/* Where the narrow link is, from trains whose inner packets die on the way (pptrans --locate). Links
 * are numbered from the sender's own, which is 1. */
struct pprec_hops_summary {
    uint32_t hops_count;      /* links of the path; 0: not known */
    uint32_t hops_told;       /* of which pprec_get_hops() has something to tell, from the first */
    uint32_t narrow_hop;      /* the narrow link is this one ... */
    uint32_t narrow_hop_last; /* ... or one up to here, which cannot be told apart; both 0: not known */
    double narrow_link_bps;   /* or 0 */
    enum pprec_hops_why why;
    uint32_t trains;      /* that all of it rests on; 0: there were none of that kind */
    int64_t newest_ns;    /* arrival of the newest of them, or PPREC_UNKNOWN_NS */
    uint64_t reserved[4]; /* for which link is tight: the one with the least to spare */
};

/* What the packets of one path met in an interval: of all streams from one source to one
 * destination, whatever their SSRCs. Queueing delay is the one-way delay over its floor, the least
 * that the clocks of both ends explain; what they are apart and how fast they run apart drops out,
 * and so does, once there is an estimate, the time that the packet's own bits take.
 * A lower floor is believed at once; a higher one, as when the path or a clock was changed, after ten
 * seconds whose least delays lie on one line, to 0.1 ms or as the floor's own did (1 ms at most),
 * and without a loss, else after ten minutes: till then it is told as queueing. Who begins to
 * listen while there is a queue knows no floor before it has been empty. */
struct pprec_congestion {
    int64_t time_ns; /* end of the interval, on the clock of the arrivals */
    struct pprec_endpoint source;
    struct pprec_endpoint destination; /* ip 0: not known */
    int64_t interval_ns;               /* as configured, or less when the stream or the input ended */
    int64_t queueing_ns;               /* median over the packets that told when they left, and ... */
    int64_t queueing_most_ns;          /* ... the greatest; PPREC_UNKNOWN_NS without any */
    double trend;     /* of the medians over the last eight intervals, in seconds of delay per
                         second; 0 when not known, as with fewer than three */
    uint32_t timed;   /* packets that told when they left: each by departed_ns, or the first of a
                         train by sent_ns. The median is that of 64 drawn from more */
    uint64_t packets; /* that arrived: first copies; of RTP and SRT each of them, in a train or not */
    uint64_t lost;    /* found missing in this interval */
    struct pprec_capacity capacity;   /* of the path, as of pprec_path_estimate() */
    struct pprec_available available; /* by the stream that tells most of the path, up to
                                         a second before */
};

/* Settings of a handle. pprec_config_init() sets the defaults in brackets. */
struct pprec_config {
    size_t struct_bytes;   /* set by pprec_config_init(): which fields there are */
    const char *layer;     /* udp, ip, l2, wire or a number [l2] */
    const char *filter;    /* a name of pprec_filter_name() [adaptive] */
    unsigned window;       /* samples that a filter looks back on: without send times a change
                              of the path may take as many of them to follow [256] */
    unsigned train_length; /* accept only trains of this length; 0: any [0] */
    int classic;           /* the paper's format; needs train_length [0] */
    unsigned expect;       /* kinds to look for, 1 << PPREC_KIND_PROBE and so on;
                              0: in captures all, on a socket probes [0] */
    unsigned streams_max;  /* past it a stream gives way that has been idle for 2 s and for
                              half as long as it has measured; of those one that has measured
                              for a short time, or never [1024] */

    void *user; /* first parameter of the callbacks */
    void (*on_train)(void *user, const struct pprec_train *train);
    /* A stream that has measured ends: idle, or pprec_finish(). */
    void (*on_summary)(void *user, const struct pprec_summary *summary);
    /* Memory: both, or neither for malloc() and free() [NULL]. Aligned as malloc()
     * does; NULL when it runs out. Of this handle only; libpcap has its own, and so has
     * what reads compressed captures. */
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *memory);

    /* With a key (PPREC_KEY_BYTES, copied, not all 0) datagrams of probes are believed only with
     * its tag, which covers where they were sent to, once each, and in time: a stream begins within
     * max_age_s of its arrival, whose clock tells the time of day then (for stamps of an adapter
     * this host's does), and goes on so far behind itself at most. 1 to 3600 seconds.
     * PPREC_EINVAL in a build without libsodium. */
    const uint8_t *key; /* [NULL] */
    unsigned max_age_s; /* [300] */

    /* After on_train of a train that changed the estimate. */
    void (*on_estimate)(void *user, const struct pprec_change *change);
    int whole_window; /* a stream takes all its memory with its first train, however
                         much the filter wants [0] */

    /* With a key: where senders send to, which their tags cover, where that is not where
     * packets come to, as behind a translator of addresses; groups are left as they are. port
     * 0: the one they come to. A copy of a packet that anybody sends to any other address of
     * this host is believed then, too. [ip 0: where they come to] */
    struct pprec_endpoint sent_to;
    size_t memory_bytes;          /* that the handle may take in all: past it streams give way as past
                            streams_max, others are refused, and windows that would grow
                            into the last quarter stay short; 0: no bound [64 MiB] */
    unsigned address_streams_max; /* streams of one address (of IPv6 one /64), whatever its
                                     ports; 0: no bound of its own [0] */
    unsigned idle_s;              /* a stream that is idle for so long ends; 0: never [3600] */

    /* When on_estimate is called: the state, why or advice is another one, or one of the rates
     * has moved by this share of what was told last; 0: at every change [0]. And at most once
     * in so many milliseconds of a stream's arrivals: what changes meanwhile is told with the
     * first train after them, but another state at once; 0: no least time [0]. */
    double estimate_change;
    unsigned estimate_interval_ms;

    /* After on_train of the interval's trains: for each path of which packets came or were found
     * missing, once an interval at most, which begins with a packet and ends with a later
     * arrival, pprec_tick() or pprec_finish(). */
    void (*on_congestion)(void *user, const struct pprec_congestion *congestion);
    unsigned congestion_interval_ms; /* of the time of arrivals, 1 to 3600000 [100] */
    unsigned abs_send_time_id;       /* media.h: the number of RTP's header extension abs-send-time;
                                  0: it is found by its values [0] */
};

struct pprec;

/* --- Life of a handle --- */

/* Programs call pprec_config_init(): it tells how large this header's struct is, so
 * that libraries of later versions, with more fields, know which ones are set. */
void pprec_config_init_sized(struct pprec_config *config, size_t struct_bytes);

static inline void pprec_config_init(struct pprec_config *config)
{
    pprec_config_init_sized(config, sizeof *config);
}

/* Stores a new handle in *pprec, to be freed with pprec_free(); config NULL: the defaults. On
 * failure *pprec is NULL, or a handle that serves only for pprec_error() and
 * pprec_free(). */
int pprec_new(struct pprec **pprec, const struct pprec_config *config);

/* pprec may be NULL. No callback is called, save release of the configuration.
 * PPREC_ENESTED inside a callback of the handle, which lives on. */
int pprec_free(struct pprec *pprec);

/* The text of the last failure, "" when there was none. */
const char *pprec_error(const struct pprec *pprec);

/* --- Packets in --- */

/* All unknown: times PPREC_UNKNOWN_NS, the rest 0. */
void pprec_arrival_init_sized(struct pprec_arrival *arrival, size_t arrival_bytes);

static inline void pprec_arrival_init(struct pprec_arrival *arrival)
{
    pprec_arrival_init_sized(arrival, sizeof *arrival);
}

/* Takes one packet. Time passes with arrivals: those of one handle should come
 * in the order of their receive times, as far as one clock stamped them.
 * PPREC_EINVAL where a field is out of its range, PPREC_EFOREIGN where it contradicts its train:
 * both are counted by pprec_foreign(). PPREC_EREFUSED, PPREC_ENOMEM: there is no room. */
int pprec_push_sized(struct pprec *pprec, const struct pprec_arrival *arrival, size_t arrival_bytes);

static inline int pprec_push(struct pprec *pprec, const struct pprec_arrival *arrival)
{
    return pprec_push_sized(pprec, arrival, sizeof *arrival);
}

/* The same for as many as were received at once; worth while with hundreds of streams,
 * which are in no cache when their turn comes. All are pushed; the last failure, if any. */
int pprec_push_all_sized(struct pprec *pprec, const struct pprec_arrival *arrivals, size_t arrival_bytes,
                         size_t count);

static inline int pprec_push_all(struct pprec *pprec, const struct pprec_arrival *arrivals, size_t count)
{
    return pprec_push_all_sized(pprec, arrivals, sizeof *arrivals, count);
}

/* Takes one UDP payload as it came, of which data_bytes of payload_bytes are at
 * hand (54 are always enough): version 1 or classic as configured. destination: the address in
 * its header (IP_PKTINFO, IPV6_RECVPKTINFO), or NULL, which is PPREC_EINVAL with a key whose
 * config has no sent_to with a port. PPREC_EREFUSED for a probe that the key does not vouch for. */
int pprec_push_datagram(struct pprec *pprec, const struct pprec_endpoint *source,
                        const struct pprec_endpoint *destination, const void *data, size_t data_bytes,
                        size_t payload_bytes, struct pprec_stamp received);

/* Asks the kernel to stamp what a socket receives (SO_TIMESTAMPNS). It begins within some 50 ms:
 * until then stamps are the time of reading. PPREC_EIO, errno tells, for what is no socket. */
int pprec_stamp_enable(int fd);

/* When the packet that recvmsg() read was seen: by the adapter where the message tells
 * (SO_TIMESTAMPING), else by the kernel (SO_TIMESTAMPNS, SO_TIMESTAMPING, or SO_TIMESTAMP to
 * the microsecond). Where it does not, the time now, whose source is PPREC_TIMESTAMPS_USER: the
 * socket does not stamp, or MSG_CTRUNC in msg_flags says that its control data was cut, which
 * wants room for 64 bytes and more. */
struct msghdr;
struct pprec_stamp pprec_stamp_of(const struct msghdr *message);

/* With a key: what is remembered of the probes that were taken, so that none passes twice over a
 * restart either. Returns the bytes it takes, 150 000 at most, and writes them where room_bytes are
 * as many; 0 without a key. They are sealed with the key: nobody else can make them up. */
size_t pprec_replays_save(const struct pprec *pprec, void *room, size_t room_bytes);

/* Before the first packet. PPREC_EDAMAGED, and nothing is taken in, where not all of it is there,
 * any of it was changed, or the key is another one; PPREC_EINVAL without a key, or too late. */
int pprec_replays_restore(struct pprec *pprec, const void *data, size_t bytes);

/* Nothing arrived up to now_ns on the clock of the arrivals: closes trains that
 * will not complete. */
int pprec_tick(struct pprec *pprec, int64_t now_ns);

/* The input ends: reports what is in flight, then every stream. */
int pprec_finish(struct pprec *pprec);

/* --- Results --- */

/* Streams known now by name; their order changes only when one comes or goes. The names of the one at
 * index, for the functions below: PPREC_EINVAL past the last. */
size_t pprec_streams(const struct pprec *pprec);
int pprec_stream_at(const struct pprec *pprec, size_t index, struct pprec_endpoint *source, uint32_t *stream);

/* A stream since its first packet. PPREC_EINVAL when there is no such stream. */
int pprec_get_summary_sized(const struct pprec *pprec, const struct pprec_endpoint *source, uint32_t stream,
                            struct pprec_summary *summary, size_t summary_bytes);

static inline int pprec_get_summary(const struct pprec *pprec, const struct pprec_endpoint *source,
                                    uint32_t stream, struct pprec_summary *summary)
{
    return pprec_get_summary_sized(pprec, source, stream, summary, sizeof *summary);
}

/* The same, with counts since the last call with this cursor, or since the stream began where
 * the cursor is new or the stream has begun anew. Each reader of each stream has its own. */
int pprec_get_interval_sized(struct pprec *pprec, const struct pprec_endpoint *source, uint32_t stream,
                             struct pprec_cursor *cursor, struct pprec_summary *summary,
                             size_t summary_bytes);

static inline int pprec_get_interval(struct pprec *pprec, const struct pprec_endpoint *source,
                                     uint32_t stream, struct pprec_cursor *cursor,
                                     struct pprec_summary *summary)
{
    return pprec_get_interval_sized(pprec, source, stream, cursor, summary, sizeof *summary);
}

/* A stream hop by hop: hops_told of struct pprec_hop into hops, as far as there is room for. hops may
 * be NULL with a room of 0; 64 are always enough. It looks through a window of trains: for summaries,
 * not for every train. PPREC_EINVAL when there is no such stream. */
int pprec_get_hops_sized(const struct pprec *pprec, const struct pprec_endpoint *source, uint32_t stream,
                         struct pprec_hop *hops, size_t room, struct pprec_hops_summary *summary,
                         size_t summary_bytes);

static inline int pprec_get_hops(const struct pprec *pprec, const struct pprec_endpoint *source,
                                 uint32_t stream, struct pprec_hop *hops, size_t room,
                                 struct pprec_hops_summary *summary)
{
    return pprec_get_hops_sized(pprec, source, stream, hops, room, summary, sizeof *summary);
}

/* All streams together, since the handle was made. */
void pprec_get_totals_sized(const struct pprec *pprec, struct pprec_totals *totals, size_t totals_bytes);

static inline void pprec_get_totals(const struct pprec *pprec, struct pprec_totals *totals)
{
    pprec_get_totals_sized(pprec, totals, sizeof *totals);
}

/* The estimate of one stream: PPREC_EINVAL when there is no such stream. */
int pprec_estimate(const struct pprec *pprec, const struct pprec_endpoint *source, uint32_t stream,
                   struct pprec_capacity *capacity);

/* What is free on the path of one stream, of its narrow link: worked out when it is asked for, which
 * takes longer than the estimate. PPREC_EINVAL when there is no such stream. */
int pprec_get_available(const struct pprec *pprec, const struct pprec_endpoint *source, uint32_t stream,
                        struct pprec_available *available);

/* The estimate of the path between two endpoints; destination NULL: to anywhere, the path measured
 * last. Where one stream has measured it is that stream's; where several have, as with simulcast,
 * that of a filter which takes the trains of all: from the first call on, or from the beginning with
 * on_congestion, and while there is memory to spare. PPREC_EINVAL without such a path. */
int pprec_path_estimate(struct pprec *pprec, const struct pprec_endpoint *source,
                        const struct pprec_endpoint *destination, struct pprec_capacity *capacity);

/* Forgets all about one stream but its name and kind, as when the application knows that the
 * path is another one now. No callback is called. PPREC_EINVAL without such a stream. */
int pprec_reset_stream(struct pprec *pprec, const struct pprec_endpoint *source, uint32_t stream);

/* Packet i, in the order of arrival, of a train that a callback was given. PPREC_EINVAL past
 * the last of the `received`. */
int pprec_train_packet_sized(const struct pprec_train *train, uint32_t i, struct pprec_packet *packet,
                             size_t struct_bytes);

static inline int pprec_train_packet(const struct pprec_train *train, uint32_t i, struct pprec_packet *packet)
{
    return pprec_train_packet_sized(train, i, packet, sizeof *packet);
}

/* The time of the newest packet, on the clock of arrivals, or PPREC_UNKNOWN_NS. Of a
 * capture also of packets that were nothing to measure. */
int64_t pprec_time(const struct pprec *pprec);

/* Datagrams and arrivals that belong to no stream, those that were refused for this reason, and
 * those that the source dropped. */
uint64_t pprec_foreign(const struct pprec *pprec);
uint64_t pprec_refused(const struct pprec *pprec, enum pprec_reason reason);
uint64_t pprec_dropped_here(const struct pprec *pprec);

/* What the handle has taken of memory_bytes. */
size_t pprec_memory_bytes(const struct pprec *pprec);

/* --- Words --- */

const char *pprec_version(void);
const char *pprec_verdict_name(enum pprec_verdict verdict);
const char *pprec_state_name(enum pprec_state state);

/* 1 for the states whose estimate is meant to be used (converged, shaped, fair, policed,
 * varying), 0 for all others, those that this library does not know among them. */
int pprec_state_is_sure(enum pprec_state state);

const char *pprec_available_state_name(enum pprec_available_state state);
const char *pprec_hop_state_name(enum pprec_hop_state state);

/* A word for programs, and a clause for people. NULL for PPREC_HOPS_WHY_NONE. */
const char *pprec_hops_why_name(enum pprec_hops_why why);
const char *pprec_hops_why_text(enum pprec_hops_why why);

const char *pprec_timestamps_name(enum pprec_timestamps timestamps);
const char *pprec_kind_name(enum pprec_kind kind);
const char *pprec_reason_name(enum pprec_reason reason);

/* A word for programs, and for people a clause of plain English, without a capital or a
 * full stop. NULL for PPREC_WHY_NONE and PPREC_ADVICE_NONE. */
const char *pprec_why_name(enum pprec_why why);
const char *pprec_why_text(enum pprec_why why);
const char *pprec_advice_name(enum pprec_advice advice);
const char *pprec_advice_text(enum pprec_advice advice);

/* Name and one-line usage of filter i; NULL past the last. */
const char *pprec_filter_name(size_t i);
const char *pprec_filter_usage(size_t i);

/* Writes "192.0.2.1:9000" or "[2001:db8::1]:9000"; 64 bytes are enough. */
void pprec_endpoint_text(const struct pprec_endpoint *endpoint, char *room, size_t room_bytes);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The core of libpprec: packets in, the capacity of their path out.
 *
 * Call pprec_config_init() and pprec_new(). Then call pprec_push() for each packet, with the time
 * at which the kernel saw it, or the functions of media.h and source.h. Callbacks get the results,
 * or ask for them. At the end call pprec_finish() and pprec_free(). docs/library.md is the guide,
 * `man 3 pprec` lists the functions, and examples/ has whole programs.
 *
 * Units: times are in nanoseconds, rates in bit/s, sizes in bytes; names say which. Rates and sizes
 * count the layer of the configuration, except where a name says payload.
 * Ownership: what is passed to a callback is valid until the callback returns. Strings need not
 * outlive the call that they are given to, except those of a capture.
 * Callbacks may ask for results. Calls that change the handle return PPREC_ENESTED inside them.
 * Errors: functions return 0 or more on success, a negative PPREC_E* on failure; pprec_error()
 * tells more. The library never prints and never exits. NULL for a packet or the source of one is
 * PPREC_EINVAL; NULL for the handle, or for what results are written to, is not looked for.
 * Versions: structs may gain fields, at their end only. Programs tell how large the structs are
 * that they know, through the init functions and the inline ones around names in _sized. What a
 * callback gets may be larger than they know. The cursor, and structs that are part of others
 * (endpoint, stamp, counts, capacity, available), stay as large as they are. */
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
    PPREC_EDAMAGED = -5, /* the rest of a capture cannot be read; what came before was used */
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
 * pprec_state_is_sure() tells which are answers. States may be added. An error that is the same in
 * every train is not in the interval from low to high. */
enum pprec_state {
    PPREC_STATE_INSUFFICIENT,   /* too few usable trains */
    PPREC_STATE_TENTATIVE,      /* a best guess: do not show it as fact */
    PPREC_STATE_CONVERGED,      /* low to high is a 95 % interval of what varies between trains */
    PPREC_STATE_SHAPED,         /* a token bucket: capacity is the rate that lasts */
    PPREC_STATE_AMBIGUOUS,      /* the data cannot separate several candidates */
    PPREC_STATE_SENDER_LIMITED, /* a lower bound: high is not known */
    PPREC_STATE_FAIR,           /* other flows take turns with ours: capacity is the link's */
    PPREC_STATE_POLICED,        /* a policer drops what its bucket does not hold: capacity is
                                   the link's, a lower bound if high is not known */
    PPREC_STATE_VARYING         /* each rate holds for a time: capacity is the newest, low to
                                   high are those that it went through */
};

/* What keeps an estimate from being sure, or what most speaks for a sure one;
 * pprec_why_name() spells them. */
enum pprec_why {
    PPREC_WHY_NONE,             /* nothing to tell; only the filter adaptive has others */
    PPREC_WHY_FEW_TRAINS,       /* too few are usable, or too few are as long as the longest */
    PPREC_WHY_PAIRS_ALONE,      /* no train of 8 packets or more: a bucket may pass all */
    PPREC_WHY_NO_SEND_TIMES,    /* nobody told how the trains left */
    PPREC_WHY_TRAINS_SLOWER,    /* long trains are slower than pairs */
    PPREC_WHY_BATCHES,          /* packets came in batches: their gaps are not the path's */
    PPREC_WHY_TWO_RATES,        /* something speaks for each of several rates */
    PPREC_WHY_SENDER,           /* trains came as they left */
    PPREC_WHY_OWN_LOAD,         /* the trains themselves load the link by over half */
    PPREC_WHY_LATE_FIRST_STAMP, /* first packets are stamped late: pairs read too fast */
    PPREC_WHY_TRAINS_FASTER,    /* long trains are faster than pairs */
    PPREC_WHY_LAST_GAPS_LONGER, /* trains end slower than they begin */
    PPREC_WHY_HEAD_PAUSE,       /* a pause near the head of each train, then one rate */
    PPREC_WHY_NEVER_IDLE,       /* too few packets reached the least delay again */
    PPREC_WHY_STAMPS_COARSE,    /* stamps are too coarse for these gaps */
    PPREC_WHY_TICKS,            /* packets leave at the ticks of a clock */
    PPREC_WHY_RATE_VARIES,      /* the rate changes from train to train */
    PPREC_WHY_FAIR_QUEUE,       /* others take turns with ours, or first packets wait as if they did */
    PPREC_WHY_CONTENTION,       /* each packet waits for the medium by itself */
    PPREC_WHY_LOSSES,           /* long trains lose what a bucket or a full queue does not hold */
    PPREC_WHY_SHORT_BURSTS      /* of media: none was long enough to empty a bucket */
};

/* What to send instead, so that it becomes sure; pprec_advice_name() spells them. */
enum pprec_advice {
    PPREC_ADVICE_NONE,
    PPREC_ADVICE_WAIT,     /* keep sending the same */
    PPREC_ADVICE_SEND_MIX, /* pptrans's default pattern: pairs, and long trains among them */
    PPREC_ADVICE_SEND_LONGER_TRAINS,
    PPREC_ADVICE_SEND_TIMES,  /* when trains left */
    PPREC_ADVICE_SEND_LESS,   /* a greater delay from train to train, or shorter trains */
    PPREC_ADVICE_SEND_LARGER, /* larger packets: their gaps are longer */
    PPREC_ADVICE_SEND_BURSTS  /* media: large frames at once, without pacing */
};

/* How far a figure of what is free can be trusted; pprec_available_state_name() spells them. */
enum pprec_available_state {
    PPREC_AVAILABLE_UNKNOWN,   /* there is no figure */
    PPREC_AVAILABLE_TENTATIVE, /* a best guess: do not show it as fact */
    PPREC_AVAILABLE_AT_LEAST,  /* at least so much is free */
    PPREC_AVAILABLE_CONVERGED  /* low to high is a 95 % interval */
};

/* What a stream is made of, and so what is believed of how its trains left; pprec_kind_name() spells
 * them. */
enum pprec_kind {
    PPREC_KIND_PROBE, /* trains of pptrans, version 1 or classic: packets that left back to back */
    PPREC_KIND_SRT,
    PPREC_KIND_RTP,
    PPREC_KIND_FLOW,  /* any other UDP or TCP flow, which its sender may have paced */
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
    PPREC_REASON_MEMORY,   /* it needs memory beyond memory_bytes, and no stream gives way */
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

/* What keeps the narrow link from being told, or what most speaks against the one told;
 * pprec_hops_why_name() spells them. Reasons may be added. */
enum pprec_hops_why {
    PPREC_HOPS_WHY_NONE,
    PPREC_HOPS_WHY_FEW_TRAINS,  /* too few for some hop, or of one of two lengths */
    PPREC_HOPS_WHY_NO_CAPACITY, /* the capacity of the whole path is not sure */
    PPREC_HOPS_WHY_BUCKET,      /* a bucket passes whole trains: they read faster than the path is */
    PPREC_HOPS_WHY_NEAR,        /* links are too much alike, or trains too much disturbed */
    PPREC_HOPS_WHY_BEYOND,      /* it is beyond the last hop that trains were sent to */
    PPREC_HOPS_WHY_HOP_LIMITS,  /* something changes hop limits on the way */
    PPREC_HOPS_WHY_PATHS_VARY,  /* markers come over paths of several lengths */
    PPREC_HOPS_WHY_ROOM         /* memory_bytes leave no room to keep such trains */
};

/* What keeps the tight link from being told; pprec_tight_why_name() spells them. Reasons may be added. */
enum pprec_tight_why {
    PPREC_TIGHT_WHY_NONE,
    PPREC_TIGHT_WHY_FEW_TRAINS, /* too few, or what they show is not enough */
    PPREC_TIGHT_WHY_LENGTH,     /* how many links the path has is not known */
    PPREC_TIGHT_WHY_BUCKET,     /* a bucket passes trains for as long as it holds */
    PPREC_TIGHT_WHY_SLOW,       /* no train was faster than what all links have free */
    PPREC_TIGHT_WHY_NEAR,       /* links have about as much free, or trains are too much disturbed */
    PPREC_TIGHT_WHY_FAST,       /* even the slowest trains may have been faster than what is free */
    PPREC_TIGHT_WHY_ROOM        /* nor for paced ones, or 16 other streams have sent some lately */
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

/* Address and port of one end. IPv4 takes the first 4 bytes of the address. An IPv4-mapped address, as sockets
 * of both families tell it (::ffff:192.0.2.1), is one of IPv4 and refused as one of IPv6: its packets have
 * IPv4's shorter headers. */
struct pprec_endpoint {
    uint8_t address[16];
    uint16_t port; /* host byte order */
    uint8_t ip;    /* 4 or 6 */
};

/* One packet. Source and id together are the name of its stream; name and kind identify it. Anybody
 * can make up a stream under another's name but of another kind: then the one that has measured
 * longest has the name (with a key the one of probes), and callbacks tell of all. Begin with
 * pprec_arrival_init(): then a field that a later version adds is unknown, and not 0.
 * It leaves the kind at PPREC_KIND_PROBE, which says that the packets of a train left back to back.
 * A stream that was paced, pushed so without times of departure, is told as converged at its pace: what
 * may have been paced is PPREC_KIND_FLOW. */
struct pprec_arrival {
    struct pprec_endpoint source;
    struct pprec_endpoint destination; /* ip 0: not known */
    enum pprec_kind kind;
    uint32_t stream;
    uint32_t train;         /* number of the train, from anywhere, wraps */
    uint32_t seq;           /* number of the packet in the stream, wraps */
    uint16_t position;      /* in the train, from 0 */
    uint16_t train_length;  /* packets in the train, 2 to 256; 0: known only when the
                               train ends, with the next one or when nothing comes. A
                               single packet was then no train, and is not told */
    uint32_t payload_bytes; /* UDP payload */
    uint32_t header_bytes;  /* of IP and UDP (or TCP) with options; 0: 28 or 48 */
    struct pprec_stamp received;
    int64_t sent_ns;             /* when the train was handed to its kernel, the
                                  sender's clock; or PPREC_UNKNOWN_NS */
    uint32_t departure_train;    /* of this earlier train of the stream ... */
    int64_t departure_span_ns;   /* ... the time from first to last departure, or
                                  PPREC_UNKNOWN_NS; 2^32 - 1 and more: too long
                                  to tell, so the sender spread the train */
    int64_t departed_ns;         /* when this packet itself left, the sender's clock; or
                                  PPREC_UNKNOWN_NS, or 0, as in structs only cleared;
                                  kind RTP has steps of 2^-18 s */
    uint8_t hops_left;           /* the packet's hop limit (TTL) as it came; 0: not known */
    uint8_t load_hops;           /* hop limit with which the train's inner packets, its load, were
                                  sent, to die on the way; 0: this is no such train */
    uint8_t marker_hops;         /* ... with which its first and last, its markers, were sent */
    uint16_t load_payload_bytes; /* UDP payload of an inner packet; that of the markers may be
                                  smaller, and is the same in both: then the train may
                                  end before train_length, with the second of them */
};

/* An estimate, and what it rests on; what is unknown is 0. */
struct pprec_capacity {
    enum pprec_state state;
    double capacity_bps;
    double low_bps;
    double high_bps;
    double peak_bps;            /* shaped: the rate at which trains begin ... */
    double burst_bytes;         /* ... and the bucket */
    double share_bps;           /* fair: what a long train got of the capacity */
    double policed_bps;         /* policed: the rate that lasts ... */
    double policed_burst_bytes; /* ... and the bucket */
    uint32_t flows;             /* fair: number of flows that take turns with ours, the
                                   nearest to capacity / share - 1 */
    enum pprec_why why;
    enum pprec_advice advice;
    uint32_t seen_bytes; /* the most that came of one train, lost packets not counted: a bucket that
                            so much did not empty would not show; 0: not told */
    uint32_t trains;     /* number that it rests on: of the window, and since the path last
                            changed */
    int64_t newest_ns;   /* arrival of the newest of them, or PPREC_UNKNOWN_NS; pprec_time() less
                            this is the age of the estimate */
    uint64_t reserved[6];
};

/* How much of the narrow link other traffic leaves free: a mean over the last seconds. The stream's
 * own trains count as free. Only streams that tell when their trains leave have it. docs/available.md
 * says how it is inferred, and what to send for it. What is unknown is 0. */
struct pprec_available {
    enum pprec_available_state state;
    double available_bps;
    double low_bps;          /* at_least: the same as available_bps, and ... */
    double high_bps;         /* ... 0: how much more is not known */
    int64_t queue_ns;        /* one-way delay of first packets above its floor: median and ... */
    int64_t queue_p95_ns;    /* ... 95th percentile; PPREC_UNKNOWN_NS if not known */
    double buffer_bytes;     /* the greatest queue that two trains met at the narrow link, and ... */
    int buffer_full;         /* ... whether packets were lost for want of more room */
    uint32_t lossless_train; /* packets of the longest train, or head of one, that lost none; 0: not known */
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
    int64_t dispersion_ns;     /* over its intact gaps, or PPREC_UNKNOWN_NS */
    int64_t departure_span_ns; /* or PPREC_UNKNOWN_NS */
    double rate_bps;           /* or 0 */
    enum pprec_verdict verdict;
    struct pprec_capacity capacity;
    int64_t delay_ns;    /* from when its sender handed it over to its kernel to the arrival
                            of packet 0, or PPREC_UNKNOWN_NS. Two clocks measure it, so only
                            its changes mean anything */
    const void *packets; /* for pprec_train_packet(), while the callback runs */
    uint8_t load_hops;   /* as struct pprec_arrival has them ... */
    uint8_t marker_hops;
    uint8_t hops_left;    /* ... of its markers; 0: not known, or not the same in both */
    uint32_t file;        /* of captures: which one its first packet was read from, for
                            pprec_capture_name() */
    enum pprec_kind kind; /* of its stream. A flow's packets have no numbers: nobody counts what such a
                             train lost, and sent is received */
};

/* An estimate that has changed: its state, any of its figures, or why and advice, as far as
 * estimate_change and estimate_interval_ms let it. More trains that say the same are no change. */
struct pprec_change {
    int64_t time_ns; /* arrival of the first packet of the train that changed it */
    struct pprec_endpoint source;
    uint32_t stream;
    struct pprec_capacity was; /* as it was told last; at first, and after
                                  pprec_reset_stream(), PPREC_STATE_INSUFFICIENT and zeroes */
    struct pprec_capacity capacity;
    struct pprec_available available; /* as of then, or up to a second before; its moves
                                         alone are no change */
};

/* Packets and trains by what became of them. Of flows, whose packets have no numbers, nobody counts what is lost,
 * duplicate, reordered or late: 0 says nothing. */
struct pprec_counts {
    uint64_t trains;    /* reported */
    uint64_t usable;    /* their rate went into the estimate */
    uint64_t packets;   /* arrived: first copies, in time or late */
    uint64_t lost;      /* never arrived in time (RFC 7680), by sequence number; a packet
                           that the sender's kernel refused has none. At the end of all nobody knows
                           whether the rest of the last train was sent: it is not lost */
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
    uint64_t dropped_here; /* by this handle's source: the network did not lose them */
    enum pprec_timestamps timestamps;
    int64_t jitter_ns; /* RFC 3550, section 6.4.1, of the trains' first packets;
                          PPREC_UNKNOWN_NS without send times */
    struct pprec_capacity capacity;
    double adr_bps; /* asymptotic dispersion rate: over trains of 8 and more */
    double rate_p05_bps;
    double rate_p50_bps;
    double rate_p95_bps;
    int64_t time_to_converge_ns; /* from the first packet to the first sure estimate, whatever came after;
                                    PPREC_UNKNOWN_NS: none was */
    struct pprec_available available;
    uint32_t first_file; /* of captures: which ones its first packet and its last were */
    uint32_t last_file;  /* read from, for pprec_capture_name() */
};

/* How far one reader of one stream has come with pprec_get_interval(). The memory is the caller's,
 * all zero at first; the fields are the library's. */
struct pprec_cursor {
    uint64_t stream; /* which one, of all that the handle ever had */
    struct pprec_counts counts;
    uint64_t foreign;
    uint64_t dropped_here;
    uint64_t reserved[4];
};

/* All streams of a handle together, including those that have gone. Their paths may differ, so
 * there is no capacity of all. */
struct pprec_totals {
    struct pprec_counts counts;
    uint64_t streams;      /* known now */
    uint64_t streams_gone; /* for want of room */
    uint64_t foreign;      /* as struct pprec_summary has them */
    uint64_t dropped_here;
    uint64_t streams_idle; /* ended after idle_s */
};

/* The least capacity of the path's links up to this one; what is unknown is 0. */
struct pprec_hop {
    enum pprec_hop_state state;
    uint32_t trains;     /* that it rests on */
    double capacity_bps; /* at_least: the bound, as low_bps is, and high_bps is 0 */
    double low_bps;
    double high_bps;
    double available_bps;     /* the least that these links have free, a guess; 0: not known */
    double available_low_bps; /* so much, or more */
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
    uint32_t trains;         /* that all of it rests on; 0: there were none of that kind */
    int64_t newest_ns;       /* arrival of the newest of them, or PPREC_UNKNOWN_NS */
    uint32_t tight_hop;      /* the tight link, which has the least free, is this one ... */
    uint32_t tight_hop_last; /* ... or one up to here; both 0: not known (pptrans --locate --available) */
    double tight_link_bps;   /* what is free of it, or 0 */
    enum pprec_tight_why tight_why;
    uint32_t tight_trains; /* that all of that rests on; 0: there were none of that kind */
    uint64_t reserved[1];
};

/* What the packets of one path met in an interval. A path is all streams from one source to one
 * destination, whatever their SSRCs. Queueing delay is the one-way delay above its floor. The offset
 * of the two clocks and their skew are removed, and so is, once there is an estimate, the time that
 * the packet's own bits take.
 * A lower floor is believed at once. A higher one comes from a change of the path or of a clock. It is
 * believed after ten seconds without a loss whose least delays lie on one line, to 0.1 ms or as the
 * floor's own did (1 ms at most), else after ten minutes. Until then it is told as queueing. If there
 * is a queue when the first packet comes, the floor is not known before it has been empty. */
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
    uint64_t packets; /* that arrived: first copies; with RTP and SRT all of them, in a train or not */
    uint64_t lost;    /* found missing in this interval */
    struct pprec_capacity capacity;   /* of the path, as of pprec_path_estimate() */
    struct pprec_available available; /* by the stream that knows most of the path, up to
                                         a second before */
};

/* Settings of a handle. pprec_config_init() sets the defaults in brackets. */
struct pprec_config {
    size_t struct_bytes;   /* set by pprec_config_init(): which fields there are */
    const char *layer;     /* udp, ip, l2, wire or a number [l2] */
    const char *filter;    /* a name of pprec_filter_name() [adaptive] */
    unsigned window;       /* samples that a filter looks back on: 1 to 65536 [256] */
    unsigned train_length; /* accept only trains of this length; 0: any [0] */
    int classic;           /* the paper's format; needs train_length [0] */
    unsigned expect;       /* kinds to look for, 1 << PPREC_KIND_PROBE and so on;
                              0: in captures all, on a socket probes [0] */
    unsigned streams_max;  /* beyond it a stream gives way that has been idle for 2 s and for
                              half as long as it has measured; of those first one that has
                              measured for a short time, or never [1024] */

    void *user; /* first parameter of the callbacks */
    void (*on_train)(void *user, const struct pprec_train *train);
    /* A stream that has measured ends: idle, or pprec_finish(). */
    void (*on_summary)(void *user, const struct pprec_summary *summary);
    /* Memory: set both, or neither for malloc() and free() [NULL]. Align as malloc()
     * does; return NULL when memory runs out. They serve this handle only; libpcap has its
     * own memory, and so has what reads compressed captures. */
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *memory);

    /* With a key (PPREC_KEY_BYTES, copied, not all 0) datagrams of probes are believed only with
     * its tag, which covers where they were sent to, once each, and in time. A stream must begin
     * within max_age_s of its arrival, whose clock then tells the time of day (with stamps of an
     * adapter this host's clock does), and later fall behind itself by no more. 1 to 3600 seconds.
     * PPREC_EINVAL in a build without libsodium. */
    const uint8_t *key; /* [NULL] */
    unsigned max_age_s; /* [300] */

    /* After on_train of a train that changed the estimate. */
    void (*on_estimate)(void *user, const struct pprec_change *change);
    int whole_window; /* a stream takes all its memory with its first train, however
                         much the filter wants [0] */

    /* With a key: where senders send to, which their tags cover, if packets come to another
     * address, as behind a translator of addresses. Groups are left as they are. port 0: the
     * one they come to. A copy of a packet that anybody sends to any other address of this
     * host is then believed, too. [ip 0: where they come to] */
    struct pprec_endpoint sent_to;
    size_t memory_bytes;          /* that the handle may take in all. Beyond it streams give way as beyond
                            streams_max, others are refused, and windows that would grow
                            into the last quarter stay short; 0: no limit [64 MiB] */
    unsigned address_streams_max; /* streams of one address (of IPv6 one /64), whatever its
                                     ports; 0: no limit of its own [0] */
    unsigned idle_s;              /* a stream that is idle for this long ends; 0: never [3600] */

    /* on_estimate is called when the state, why or advice is another one, or one of the rates
     * has moved by this share of what was told last; 0: at every change [0]. It is called at most
     * once in this many milliseconds of a stream's arrivals; 0: no least time [0]. What changes
     * meanwhile is told with the first train after them, but another state at once. */
    double estimate_change;
    unsigned estimate_interval_ms;

    /* After on_train of the interval's trains, for each path of which packets came or were found
     * missing, at most once per interval. An interval begins with a packet and ends with a later
     * arrival, pprec_tick() or pprec_finish(). */
    void (*on_congestion)(void *user, const struct pprec_congestion *congestion);
    unsigned congestion_interval_ms; /* of the time of arrivals, 1 to 3600000 [100] */
    unsigned abs_send_time_id;       /* media.h: the number of RTP's header extension abs-send-time;
                                  0: the library finds it by its values [0] */
};

struct pprec;

/* --- Life of a handle --- */

/* Programs call pprec_config_init(). It tells how large this header's struct is, so
 * libraries of later versions, with more fields, know which ones are set. */
void pprec_config_init_sized(struct pprec_config *config, size_t struct_bytes);

static inline void pprec_config_init(struct pprec_config *config)
{
    pprec_config_init_sized(config, sizeof *config);
}

/* Stores a new handle in *pprec, to be freed with pprec_free(); config NULL: the defaults. On
 * failure *pprec is NULL, or a handle that serves only for pprec_error() and
 * pprec_free(). PPREC_EINVAL where there is no place to store it. */
int pprec_new(struct pprec **pprec, const struct pprec_config *config);

/* pprec may be NULL. No callback is called, except release of the configuration.
 * PPREC_ENESTED inside a callback of the handle, which lives on. */
int pprec_free(struct pprec *pprec);

/* The text of the last failure, "" when there was none. */
const char *pprec_error(const struct pprec *pprec);

/* --- Packets in --- */

/* All unknown: times PPREC_UNKNOWN_NS, the rest 0, which is PPREC_KIND_PROBE of kinds. */
void pprec_arrival_init_sized(struct pprec_arrival *arrival, size_t arrival_bytes);

static inline void pprec_arrival_init(struct pprec_arrival *arrival)
{
    pprec_arrival_init_sized(arrival, sizeof *arrival);
}

/* Takes one packet. Time passes with arrivals, so those of one handle that one clock stamped
 * should come in the order of their receive times.
 * PPREC_EINVAL if a field is out of its range, PPREC_EFOREIGN if it contradicts its train:
 * pprec_foreign() counts both. PPREC_EREFUSED, PPREC_ENOMEM: there is no room. */
int pprec_push_sized(struct pprec *pprec, const struct pprec_arrival *arrival, size_t arrival_bytes);

static inline int pprec_push(struct pprec *pprec, const struct pprec_arrival *arrival)
{
    return pprec_push_sized(pprec, arrival, sizeof *arrival);
}

/* The same for as many as were received at once. It helps with hundreds of streams, which are in no
 * cache when their turn comes. All are pushed; returns the last failure, if any. */
int pprec_push_all_sized(struct pprec *pprec, const struct pprec_arrival *arrivals, size_t arrival_bytes,
                         size_t count);

static inline int pprec_push_all(struct pprec *pprec, const struct pprec_arrival *arrivals, size_t count)
{
    return pprec_push_all_sized(pprec, arrivals, sizeof *arrivals, count);
}

/* Takes one UDP payload as it came, version 1 or classic as configured. data_bytes of payload_bytes
 * are at hand; 54 are always enough. destination: the address in its header (IP_PKTINFO,
 * IPV6_RECVPKTINFO), or NULL, which is PPREC_EINVAL with a key whose config has no sent_to with a
 * port. PPREC_EREFUSED for a probe that the key does not vouch for. */
int pprec_push_datagram(struct pprec *pprec, const struct pprec_endpoint *source,
                        const struct pprec_endpoint *destination, const void *data, size_t data_bytes,
                        size_t payload_bytes, struct pprec_stamp received);

/* Asks the kernel to stamp what a socket receives (SO_TIMESTAMPNS). It begins within some 50 ms;
 * until then stamps are the time of reading. PPREC_EIO if fd is no socket; errno tells. */
int pprec_stamp_enable(int fd);

/* When the packet that recvmsg() read was seen: by the adapter if the message tells
 * (SO_TIMESTAMPING), else by the kernel (SO_TIMESTAMPNS, SO_TIMESTAMPING, or SO_TIMESTAMP to
 * the microsecond). If it tells neither, the time now, whose source is PPREC_TIMESTAMPS_USER: then
 * the socket does not stamp, or MSG_CTRUNC in msg_flags says that its control data was cut, which
 * needs room for at least 64 bytes. */
struct msghdr;
struct pprec_stamp pprec_stamp_of(const struct msghdr *message);

/* With a key: what the handle remembers of the probes that were taken, so that none passes twice
 * over a restart. Returns the bytes it takes, 150 000 at most, and writes them if room_bytes are as
 * many; 0 without a key. They are sealed with the key, so nobody else can make them up. */
size_t pprec_replays_save(const struct pprec *pprec, void *room, size_t room_bytes);

/* Call it before the first packet. PPREC_EDAMAGED, and nothing is taken in, if not all of it is
 * there, any of it was changed, or the key is another one. PPREC_EINVAL without a key, or too late. */
int pprec_replays_restore(struct pprec *pprec, const void *data, size_t bytes);

/* Says that nothing arrived up to now_ns on the clock of the arrivals, and closes trains that
 * will not complete. */
int pprec_tick(struct pprec *pprec, int64_t now_ns);

/* The input ends: reports what is in flight, then every stream. */
int pprec_finish(struct pprec *pprec);

/* --- Results --- */

/* The number of streams known now; their order changes only when one comes or goes. The name of the
 * one at index, for the functions below; PPREC_EINVAL past the last. */
size_t pprec_streams(const struct pprec *pprec);
int pprec_stream_at(const struct pprec *pprec, size_t index, struct pprec_endpoint *source, uint32_t *stream);

/* The summary of a stream since its first packet. PPREC_EINVAL if there is no such stream. */
int pprec_get_summary_sized(const struct pprec *pprec, const struct pprec_endpoint *source, uint32_t stream,
                            struct pprec_summary *summary, size_t summary_bytes);

static inline int pprec_get_summary(const struct pprec *pprec, const struct pprec_endpoint *source,
                                    uint32_t stream, struct pprec_summary *summary)
{
    return pprec_get_summary_sized(pprec, source, stream, summary, sizeof *summary);
}

/* The same, with counts since the last call with this cursor, or since the stream began if the
 * cursor is new or the stream has begun anew. Each reader of each stream has its own cursor. */
int pprec_get_interval_sized(struct pprec *pprec, const struct pprec_endpoint *source, uint32_t stream,
                             struct pprec_cursor *cursor, struct pprec_summary *summary,
                             size_t summary_bytes);

static inline int pprec_get_interval(struct pprec *pprec, const struct pprec_endpoint *source,
                                     uint32_t stream, struct pprec_cursor *cursor,
                                     struct pprec_summary *summary)
{
    return pprec_get_interval_sized(pprec, source, stream, cursor, summary, sizeof *summary);
}

/* The path of a stream hop by hop: writes hops_told of struct pprec_hop into hops, as far as there is
 * room. hops may be NULL with a room of 0; 64 are always enough. It looks through a window of trains, so
 * call it for summaries, not for every train; the answer is kept until one comes. PPREC_EINVAL if there
 * is no such stream. */
int pprec_get_hops_sized(const struct pprec *pprec, const struct pprec_endpoint *source, uint32_t stream,
                         struct pprec_hop *hops, size_t room, struct pprec_hops_summary *summary,
                         size_t summary_bytes);

static inline int pprec_get_hops(const struct pprec *pprec, const struct pprec_endpoint *source,
                                 uint32_t stream, struct pprec_hop *hops, size_t room,
                                 struct pprec_hops_summary *summary)
{
    return pprec_get_hops_sized(pprec, source, stream, hops, room, summary, sizeof *summary);
}

/* The counts of all streams together, since the handle was made. */
void pprec_get_totals_sized(const struct pprec *pprec, struct pprec_totals *totals, size_t totals_bytes);

static inline void pprec_get_totals(const struct pprec *pprec, struct pprec_totals *totals)
{
    pprec_get_totals_sized(pprec, totals, sizeof *totals);
}

/* The estimate of one stream. PPREC_EINVAL if there is no such stream. */
int pprec_estimate(const struct pprec *pprec, const struct pprec_endpoint *source, uint32_t stream,
                   struct pprec_capacity *capacity);

/* What is free of the narrow link on the path of one stream. It is computed when it is asked for, which
 * takes longer than the estimate. PPREC_EINVAL if there is no such stream. */
int pprec_get_available(const struct pprec *pprec, const struct pprec_endpoint *source, uint32_t stream,
                        struct pprec_available *available);

/* The estimate of the path between two endpoints; destination NULL: to anywhere, the path measured
 * last. If one stream has measured, it is that stream's. If several have, as with simulcast, it is that
 * of a filter that takes the trains of all: from the first call on, or from the beginning with
 * on_congestion, and while there is memory to spare. PPREC_EINVAL without such a path. */
int pprec_path_estimate(struct pprec *pprec, const struct pprec_endpoint *source,
                        const struct pprec_endpoint *destination, struct pprec_capacity *capacity);

/* Forgets all about one stream but its name and kind. Call it if the application knows that the
 * path is another one now. No callback is called. PPREC_EINVAL without such a stream. */
int pprec_reset_stream(struct pprec *pprec, const struct pprec_endpoint *source, uint32_t stream);

/* Packet i, in the order of arrival, of a train that a callback was given. PPREC_EINVAL from
 * `received` on. */
int pprec_train_packet_sized(const struct pprec_train *train, uint32_t i, struct pprec_packet *packet,
                             size_t struct_bytes);

static inline int pprec_train_packet(const struct pprec_train *train, uint32_t i, struct pprec_packet *packet)
{
    return pprec_train_packet_sized(train, i, packet, sizeof *packet);
}

/* The time of the newest packet, on the clock of arrivals, or PPREC_UNKNOWN_NS. In a
 * capture, packets with nothing to measure count, too. */
int64_t pprec_time(const struct pprec *pprec);

/* The number of datagrams and arrivals that belong to no stream, of those that were refused for this
 * reason, and of those that the source dropped. */
uint64_t pprec_foreign(const struct pprec *pprec);
uint64_t pprec_refused(const struct pprec *pprec, enum pprec_reason reason);
uint64_t pprec_dropped_here(const struct pprec *pprec);

/* How much of memory_bytes the handle has taken. */
size_t pprec_memory_bytes(const struct pprec *pprec);

/* --- Words --- */

const char *pprec_version(void);
const char *pprec_verdict_name(enum pprec_verdict verdict);
const char *pprec_state_name(enum pprec_state state);

/* 1 for the states whose estimate is meant to be used (converged, shaped, fair, policed,
 * varying), 0 for all others, also for states that this library does not know. */
int pprec_state_is_sure(enum pprec_state state);

const char *pprec_available_state_name(enum pprec_available_state state);
const char *pprec_hop_state_name(enum pprec_hop_state state);

/* A word for programs, and a clause for people. NULL for PPREC_HOPS_WHY_NONE. */
const char *pprec_hops_why_name(enum pprec_hops_why why);
const char *pprec_hops_why_text(enum pprec_hops_why why);
const char *pprec_tight_why_name(enum pprec_tight_why why);
const char *pprec_tight_why_text(enum pprec_tight_why why);

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

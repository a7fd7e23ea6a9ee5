/* SPDX-License-Identifier: BSD-3-Clause */
/* Where libpprec reads packets itself: a UDP port of its own, unicast and multicast, or captures,
 * stored or live. One a handle; pprec_dispatch() reads it in any event loop
 * (adapters/libevent.h does so in one). */
#ifndef PPREC_SOURCE_H
#define PPREC_SOURCE_H

#include "core.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__ /* what stands here is exported by the shared library */
#pragma GCC visibility push(default)
#endif

/* The library's own socket. pprec_socket_options_init() sets the defaults. */
struct pprec_socket_options {
    size_t struct_bytes;
    uint16_t port;
    int ip;                           /* 4, 6, or 0 for both [0] */
    const char *interface_name;       /* receive on this interface only [NULL] */
    enum pprec_timestamps timestamps; /* kernel, hardware or user [kernel] */
    int buffer_bytes;                 /* receive buffer to ask for [4 MiB] */
    int share_port;                   /* for multicast: other sockets of this host may
                                         bind the port too, and each gets a copy [0] */
    const char *const *sources;       /* take datagrams only from these, "192.0.2.0/24" or
                                         "2001:db8::1", the last NULL; NULL: from all [NULL] */
};

/* Captures. pprec_capture_options_init() sets the defaults. The strings and the
 * array stay the caller's until pprec_free(). */
struct pprec_capture_options {
    size_t struct_bytes;
    const char *const *files;         /* pcap or pcapng, as they are or compressed by gzip,
                                         zstd or xz (as far as the build has zlib, libzstd,
                                         liblzma), one after the other, the last NULL; "-" is
                                         standard input; or */
    const char *interface_name;       /* a live capture [NULL] */
    const char *filter;               /* BPF, as tcpdump takes it [NULL] */
    uint16_t port;                    /* probes are sent to this port; 0: to any [0] */
    int snap_bytes;                   /* live: kept of a packet [192] */
    enum pprec_timestamps timestamps; /* live: hardware, kernel, or none for hardware
                                         where the interface has it [none] */
    int buffer_bytes;                 /* live: to ask for [16 MiB] */
};

/* Records of a capture by what became of them. */
struct pprec_capture_counts {
    uint64_t packets;      /* read, and passed by the filter */
    uint64_t other;        /* neither UDP nor TCP */
    uint64_t fragments;    /* left out */
    uint64_t cut;          /* the snap length left too little */
    uint64_t malformed;    /* lengths or times that cannot be */
    uint64_t merged;       /* segments merged by offloading: left out */
    uint64_t flows_pushed; /* flows and streams given up for want of room, the longest
                              idle first */
};

/* --- The library's own socket --- */

void pprec_socket_options_init_sized(struct pprec_socket_options *options, size_t struct_bytes);

static inline void pprec_socket_options_init(struct pprec_socket_options *options)
{
    pprec_socket_options_init_sized(options, sizeof *options);
}

/* Opens and binds; once a handle. Takes 50 ms: so long the kernel may need to
 * begin stamping. */
int pprec_listen(struct pprec *pprec, const struct pprec_socket_options *options);

/* Receives a multicast group on the socket as well: "GROUP", or "GROUP@SOURCE" for
 * what one host sends to it (source-specific), numeric, IPv4 or IPv6. On
 * interface_name; NULL: the socket's own, or where the route to the group leads.
 * pprec_dispatch() sees to it that a group stays joined when an interface goes and
 * comes back. PPREC_EINVAL for what is no group; PPREC_EIO when the kernel refuses.
 * A group that is joined already stays so. */
int pprec_join(struct pprec *pprec, const char *group, const char *interface_name);

/* Of a group joined with the same words: PPREC_EINVAL when it was not. */
int pprec_leave(struct pprec *pprec, const char *group, const char *interface_name);

/* --- Captures --- */

void pprec_capture_options_init_sized(struct pprec_capture_options *options, size_t struct_bytes);

static inline void pprec_capture_options_init(struct pprec_capture_options *options)
{
    pprec_capture_options_init_sized(options, sizeof *options);
}

/* Opens the first file, or the interface; once a handle. PPREC_EIO for a file that cannot be read
 * or is no capture, or an interface; PPREC_EINVAL for a filter that is none. What is compressed
 * takes up to 128 MiB more, as its compressor wanted; larger windows are refused. */
int pprec_open_capture(struct pprec *pprec, const struct pprec_capture_options *options);

/* Whether this file begins as a capture does, compressed or not: by its content, whatever it is
 * called. 1 or 0; PPREC_EIO where it cannot be read (or not in this build), PPREC_ENOMEM. */
int pprec_is_capture(const char *name);

/* The name, as it was given, of a file that has been opened; NULL of any other. */
const char *pprec_capture_name(const struct pprec *pprec, uint32_t file);

/* What became of the records so far. */
void pprec_get_capture_counts_sized(const struct pprec *pprec, struct pprec_capture_counts *counts,
                                    size_t counts_bytes);

static inline void pprec_get_capture_counts(const struct pprec *pprec, struct pprec_capture_counts *counts)
{
    pprec_get_capture_counts_sized(pprec, counts, sizeof *counts);
}

/* Bytes of stored captures read so far, of all files together and as they are stored: for showing
 * progress. */
uint64_t pprec_capture_bytes(const struct pprec *pprec);

/* --- Socket and captures alike --- */

/* To be watched for reading; -1 where there is nothing to wait for: files, or no
 * source at all. */
int pprec_fd(const struct pprec *pprec);

/* Reads up to packets_max packets (0: until none is left) and pushes them; a
 * socket and a live capture without waiting. Returns how many, or a negative
 * PPREC_E*. The kernel has stamped them, so it is right, and cheaper, to come
 * late: a few milliseconds after the descriptor became readable.
 * Of files 0 means the end of the last one, and PPREC_EDAMAGED that one cannot
 * be read on, with file and byte in pprec_error(): the next call goes on with
 * the next file. */
int pprec_dispatch(struct pprec *pprec, unsigned packets_max);

/* What pprec_listen() or a live capture really got: the buffer in bytes as the
 * kernel counts it, and who stamps. */
int pprec_buffer_bytes(const struct pprec *pprec);
enum pprec_timestamps pprec_source_timestamps(const struct pprec *pprec);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Where libpprec reads packets itself: a UDP port of its own, unicast and multicast, or captures,
 * stored or live. A handle has one of them; pprec_dispatch() reads it in any event loop
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
                                         bind the port, too, and each gets a copy [0] */
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
    int snap_bytes;                   /* live: bytes kept of a packet [192] */
    enum pprec_timestamps timestamps; /* live: hardware, kernel, or none: hardware if
                                         the interface has it, else kernel [none] */
    int buffer_bytes;                 /* live: buffer to ask for [16 MiB] */
};

/* Tunnels that captures are recognised to be of, by IP's protocol or UDP's port. They are not looked into. */
enum pprec_tunnel {
    PPREC_TUNNEL_IP, /* IPv4 and IPv6 in either */
    PPREC_TUNNEL_GRE,
    PPREC_TUNNEL_IPSEC, /* ESP, also in UDP */
    PPREC_TUNNEL_L2TP,
    PPREC_TUNNEL_VXLAN,
    PPREC_TUNNEL_GENEVE,
    PPREC_TUNNEL_GTP,
    PPREC_TUNNEL_WIREGUARD,
    PPREC_TUNNELS
};

/* Records of a capture by what became of them. */
struct pprec_capture_counts {
    uint64_t packets;        /* read, and passed by the filter */
    uint64_t other;          /* neither UDP nor TCP */
    uint64_t fragments;      /* left out */
    uint64_t cut;            /* the snap length left too little */
    uint64_t malformed;      /* lengths or times that cannot be */
    uint64_t merged;         /* segments merged by offloading: left out */
    uint64_t flows_pushed;   /* flows and streams given up because there was no room, the
                                longest idle first */
    uint64_t elsewhere;      /* probes to other ports than the one asked for: left out */
    uint64_t unread;         /* of plain UDP flows: the snap length left too little to tell a probe */
    uint16_t elsewhere_port; /* that of all of them; 0: there are several, or none */
    uint64_t repeated; /* probes that a file before had: left out, from train to train of their stream */
    uint32_t repeated_stream, repeated_file, repeated_before; /* the last such stream, the file that has it
                                                                 again, and the one before (pprec_capture_name()) */
    uint64_t departed; /* whole trains of probes that tell that they left over 0.1 ms or more; of those ... */
    uint64_t as_left;  /* ... came in the time that they left in, to 10 % and 10 us, and ... */
    uint64_t at_once;  /* ... came within 1 ms of leaving: where nearly all are both, no path shows */
    uint64_t tunnelled[16]; /* by enum pprec_tunnel: packets in one; over UDP it is measured as a flow, too */
    uint64_t backwards; /* times that a stream went on in a file over 1 s before where a file before ends */
    uint32_t backwards_stream; /* the last such stream, ... */
    uint32_t backwards_file;   /* ... the file that goes on with it, and ... */
    uint32_t backwards_after;  /* ... the one that was read before (pprec_capture_name()) */
};

/* --- The library's own socket --- */

void pprec_socket_options_init_sized(struct pprec_socket_options *options, size_t struct_bytes);

static inline void pprec_socket_options_init(struct pprec_socket_options *options)
{
    pprec_socket_options_init_sized(options, sizeof *options);
}

/* Opens and binds the socket; once for each handle. It takes 50 ms, because the kernel may need
 * that long to begin stamping. */
int pprec_listen(struct pprec *pprec, const struct pprec_socket_options *options);

/* Receives a multicast group on the socket as well: "GROUP", or "GROUP@SOURCE" for
 * what one host sends to it (source-specific), numeric, IPv4 or IPv6. On
 * interface_name; NULL: the socket's own, or where the route to the group leads.
 * pprec_dispatch() joins again when an interface goes and comes back. PPREC_EINVAL if it is no
 * group; PPREC_EIO if the kernel refuses. A group that is joined already stays so. */
int pprec_join(struct pprec *pprec, const char *group, const char *interface_name);

/* Leaves a group that was joined with the same words; PPREC_EINVAL if none was. */
int pprec_leave(struct pprec *pprec, const char *group, const char *interface_name);

/* --- Captures --- */

void pprec_capture_options_init_sized(struct pprec_capture_options *options, size_t struct_bytes);

static inline void pprec_capture_options_init(struct pprec_capture_options *options)
{
    pprec_capture_options_init_sized(options, sizeof *options);
}

/* Opens the first file, or the interface; once for each handle. PPREC_EIO for a file or an interface
 * that cannot be read, or a file that is no capture; PPREC_EINVAL for an invalid filter. What is
 * compressed takes up to 128 MiB more, as its compressor asked for; larger windows are refused. */
int pprec_open_capture(struct pprec *pprec, const struct pprec_capture_options *options);

/* Whether this file begins as a capture does, compressed or not: by its content, whatever its name.
 * 1 or 0; PPREC_EIO if it cannot be read (or not in this build), PPREC_ENOMEM, PPREC_EINVAL for NULL. */
int pprec_is_capture(const char *name);

/* The name, as it was given, of a file that has been opened; NULL for any other. */
const char *pprec_capture_name(const struct pprec *pprec, uint32_t file);

/* What became of the records so far. */
void pprec_get_capture_counts_sized(const struct pprec *pprec, struct pprec_capture_counts *counts,
                                    size_t counts_bytes);

static inline void pprec_get_capture_counts(const struct pprec *pprec, struct pprec_capture_counts *counts)
{
    pprec_get_capture_counts_sized(pprec, counts, sizeof *counts);
}

/* Bytes of stored captures read so far, of all files together and as they are stored, to show
 * progress. */
uint64_t pprec_capture_bytes(const struct pprec *pprec);

/* --- Socket and captures alike --- */

/* The descriptor to watch for reading; -1 if there is nothing to wait for: files, or no source. */
int pprec_fd(const struct pprec *pprec);

/* Reads up to packets_max packets (0: until none is left) and pushes them; for a
 * socket and a live capture without waiting. Returns their number, or a negative
 * PPREC_E*. The kernel has stamped them, so it is right, and cheaper, to call it
 * late: a few milliseconds after the descriptor became readable.
 * For files 0 means the end of the last one. PPREC_EDAMAGED means that the rest of
 * one cannot be read; pprec_error() has file and byte, and the next call goes on
 * with the next file. */
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

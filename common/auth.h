/* SPDX-License-Identifier: BSD-3-Clause */
/* The tag of AUTH: keyed BLAKE2b-128 (RFC 7693) over the probe's destination and its bytes
 * before the tag, by libsodium. A build without libsodium has none, and says so. */
#ifndef COMMON_AUTH_H
#define COMMON_AUTH_H

#include "error.h"
#include "wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AUTH_KEY_BYTES = 32, AUTH_DESTINATION_BYTES = 18, AUTH_SEAL_BYTES = 32 };

struct auth_key {
    uint8_t bytes[AUTH_KEY_BYTES];
};

/* Where its sender sends a datagram to: 16 bytes of address, IPv4 as ::ffff:a.b.c.d, then the
 * port, in network order. A key says who sent it; this, to whom: a copy of it that is sent
 * elsewhere is believed nowhere. */
struct auth_destination {
    uint8_t bytes[AUTH_DESTINATION_BYTES];
};

/* ip: 4 or 6; the address has 4 or 16 bytes. port: in host order. */
void auth_set_destination(struct auth_destination *destination, unsigned ip, const void *address,
                          uint16_t port);

/* What auth_init() says where it fails. */
#define AUTH_MISSING "this build has no authentication: libsodium was missing"

/* Before a key is used. Returns 0, or -1 with the error's text set. */
int auth_init(struct error *error);

/* All zero: memory that nobody filled, a file of /dev/zero. No key is. */
bool auth_is_zero(const uint8_t key[AUTH_KEY_BYTES]);

/* Reads a key file: 64 hexadecimal digits, not all 0, and a newline or none. Not one that
 * others than its owner and group may touch. Returns 0, or -1 with the error's text
 * set, which tells nothing else of what the file holds. */
int auth_read_key(struct auth_key *key, const char *path, struct error *error);

/* Overwrites the key, in a way that compilers leave alone. */
void auth_forget_key(struct auth_key *key);

/* Puts the tag in its place: after the header and the extensions of flags, which
 * are in the probe already and say that there is one. */
void auth_tag(const struct auth_key *key, const struct auth_destination *to, uint8_t *probe, uint16_t flags);

/* Whether the tag of a probe with such flags, all of whose bytes are there, is that
 * of the key. Takes the same time wherever the two differ. */
bool auth_verify(const struct auth_key *key, const struct auth_destination *to, const uint8_t *probe,
                 uint16_t flags);

/* The same for data that the holder of the key keeps for himself: keyed BLAKE2b-256, which no tag
 * is, for the length of a hash goes into it. */
void auth_seal(const struct auth_key *key, const uint8_t *data, size_t bytes, uint8_t seal[AUTH_SEAL_BYTES]);
bool auth_is_sealed(const struct auth_key *key, const uint8_t *data, size_t bytes,
                    const uint8_t seal[AUTH_SEAL_BYTES]);

#endif

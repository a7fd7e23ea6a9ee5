/* SPDX-License-Identifier: BSD-3-Clause */
/* The tag of AUTH: keyed BLAKE2b-128 (RFC 7693) over a probe's bytes before it,
 * by libsodium. A build without libsodium has none, and says so. */
#ifndef COMMON_AUTH_H
#define COMMON_AUTH_H

#include "error.h"
#include "wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AUTH_KEY_BYTES = 32 };

struct auth_key {
    uint8_t bytes[AUTH_KEY_BYTES];
};

/* What auth_init() says where it fails. */
#define AUTH_MISSING "this build has no authentication: libsodium was missing"

/* Before a key is used. Returns 0, or -1 with the error's text set. */
int auth_init(struct error *error);

/* Reads a key file: 64 hexadecimal digits, and a newline or none. Not one that
 * others than its owner and group may touch. Returns 0, or -1 with the error's text
 * set, which tells nothing of what the file holds. */
int auth_read_key(struct auth_key *key, const char *path, struct error *error);

/* Overwrites the key, in a way that compilers leave alone. */
void auth_forget_key(struct auth_key *key);

/* Puts the tag in its place: after the header and the extensions of flags, which
 * are in the probe already and say that there is one. */
void auth_tag(const struct auth_key *key, uint8_t *probe, uint16_t flags);

/* Whether the tag of a probe with such flags, all of whose bytes are there, is that
 * of the key. Takes the same time wherever the two differ. */
bool auth_verify(const struct auth_key *key, const uint8_t *probe, uint16_t flags);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "auth.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- The key file --- */

enum { DIGITS = 2 * AUTH_KEY_BYTES };

static int auth_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool read_digits(struct auth_key *key, const char *text)
{
    for (size_t i = 0; i < AUTH_KEY_BYTES; i++) {
        int high = auth_digit(text[2 * i]), low = auth_digit(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        key->bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static int check_file(int fd, const char *path, struct error *error)
{
    struct stat about;

    if (fstat(fd, &about) < 0 || !S_ISREG(about.st_mode))
        return error_set(error, "key file '%.80s': want a regular file", path);
    if (about.st_mode & S_IRWXO)
        return error_set(error,
                         "key file '%.80s': everybody may access it (mode %03o); make it "
                         "private: chmod o= FILE",
                         path, about.st_mode & 0777U);
    return 0;
}

bool auth_is_zero(const uint8_t key[AUTH_KEY_BYTES])
{
    uint8_t bits = 0;

    for (size_t i = 0; i < AUTH_KEY_BYTES; i++)
        bits |= key[i];
    return bits == 0;
}

static int auth_read_file(struct auth_key *key, int fd, const char *path, struct error *error)
{
    char text[DIGITS + 2] = "";
    ssize_t got = read(fd, text, sizeof text);
    bool whole = got == DIGITS || (got == DIGITS + 1 && text[DIGITS] == '\n');
    bool good = whole && read_digits(key, text);

    explicit_bzero(text, sizeof text);
    if (got < 0)
        return error_set(error, "key file '%.80s': %s", path, strerror(errno));
    if (!good)
        return error_set(error, "key file '%.80s': want %d hexadecimal digits, one line", path, DIGITS);
    if (auth_is_zero(key->bytes))
        return error_set(error,
                         "key file '%.80s': all digits are 0, which is no key: want random "
                         "ones",
                         path);
    return 0;
}

int auth_read_key(struct auth_key *key, const char *path, struct error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a fifo would block */
    int status;

    if (fd < 0)
        return error_set(error, "key file '%.80s': %s", path, strerror(errno));
    status = check_file(fd, path, error);
    if (status == 0)
        status = auth_read_file(key, fd, path, error);
    if (status != 0)
        auth_forget_key(key);
    close(fd);
    return status;
}

void auth_forget_key(struct auth_key *key)
{
    explicit_bzero(key, sizeof *key);
}

/* --- The tag --- */

void auth_set_destination(struct auth_destination *destination, unsigned ip, const void *address,
                          uint16_t port)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    uint8_t *at = destination->bytes;

    if (ip == 4)
        memcpy(at, mapped, sizeof mapped);
    memcpy(at + (ip == 4 ? sizeof mapped : 0), address, ip == 4 ? 4 : 16);
    at[16] = (uint8_t)(port >> 8);
    at[17] = (uint8_t)port;
}

#ifdef AUTH_SODIUM

#include <sodium.h>

_Static_assert(AUTH_KEY_BYTES == crypto_generichash_KEYBYTES, "keys");
_Static_assert(WIRE_AUTH_BYTES >= crypto_generichash_BYTES_MIN, "tags");

int auth_init(struct error *error)
{
    /* It picks the fastest BLAKE2b of this processor; 1: that was done already. */
    return sodium_init() >= 0 ? 0 : error_set(error, "libsodium does not start");
}

/* One block of BLAKE2b takes 128 bytes. */
static void compute(const struct auth_key *key, const struct auth_destination *to, const uint8_t *probe,
                    size_t bytes, uint8_t tag[WIRE_AUTH_BYTES])
{
    uint8_t covered[AUTH_DESTINATION_BYTES + WIRE_MOST_BYTES];

    memcpy(covered, to->bytes, AUTH_DESTINATION_BYTES);
    memcpy(covered + AUTH_DESTINATION_BYTES, probe, bytes);
    crypto_generichash(tag, WIRE_AUTH_BYTES, covered, AUTH_DESTINATION_BYTES + bytes, key->bytes,
                       AUTH_KEY_BYTES);
}

void auth_tag(const struct auth_key *key, const struct auth_destination *to, uint8_t *probe, uint16_t flags)
{
    size_t bytes = wire_header_bytes(flags) - WIRE_AUTH_BYTES;

    compute(key, to, probe, bytes, probe + bytes);
}

bool auth_verify(const struct auth_key *key, const struct auth_destination *to, const uint8_t *probe,
                 uint16_t flags)
{
    size_t bytes = wire_header_bytes(flags) - WIRE_AUTH_BYTES;
    uint8_t tag[WIRE_AUTH_BYTES];

    compute(key, to, probe, bytes, tag);
    return sodium_memcmp(tag, probe + bytes, sizeof tag) == 0;
}

void auth_seal(const struct auth_key *key, const uint8_t *data, size_t bytes, uint8_t seal[AUTH_SEAL_BYTES])
{
    crypto_generichash(seal, AUTH_SEAL_BYTES, data, bytes, key->bytes, AUTH_KEY_BYTES);
}

bool auth_is_sealed(const struct auth_key *key, const uint8_t *data, size_t bytes,
                    const uint8_t seal[AUTH_SEAL_BYTES])
{
    uint8_t want[AUTH_SEAL_BYTES];

    auth_seal(key, data, bytes, want);
    return sodium_memcmp(want, seal, sizeof want) == 0;
}

#else

int auth_init(struct error *error)
{
    return error_set(error, AUTH_MISSING);
}

void auth_tag(const struct auth_key *key, const struct auth_destination *to, uint8_t *probe, uint16_t flags)
{
    (void)key, (void)to, (void)probe, (void)flags;
}

bool auth_verify(const struct auth_key *key, const struct auth_destination *to, const uint8_t *probe,
                 uint16_t flags)
{
    (void)key, (void)to, (void)probe, (void)flags;
    return false;
}

void auth_seal(const struct auth_key *key, const uint8_t *data, size_t bytes, uint8_t seal[AUTH_SEAL_BYTES])
{
    (void)key, (void)data, (void)bytes, (void)seal;
}

bool auth_is_sealed(const struct auth_key *key, const uint8_t *data, size_t bytes,
                    const uint8_t seal[AUTH_SEAL_BYTES])
{
    (void)key, (void)data, (void)bytes, (void)seal;
    return false;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "prefix.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

enum { IPV4_AT = 12, IPV4_BITS_BEFORE = 96, BITS = 128 };

static bool prefix_read_address(struct prefix *prefix, const char *text)
{
    struct in6_addr *address = &prefix->address;

    if (inet_pton(AF_INET6, text, address) == 1) {
        prefix->bits = 0;
        return true;
    }
    *address = (struct in6_addr){{{0}}};
    memset(address->s6_addr + IPV4_AT - 2, 0xff, 2);
    prefix->bits = IPV4_BITS_BEFORE;
    return inet_pton(AF_INET, text, address->s6_addr + IPV4_AT) == 1;
}

/* bits on top of those that the family stands for. */
static bool read_bits(struct prefix *prefix, const char *text)
{
    char *end;
    unsigned long bits = strtoul(text, &end, 10);

    if (text[0] < '0' || text[0] > '9' || *end != '\0' || bits > BITS - prefix->bits)
        return false;
    prefix->bits += (unsigned)bits;
    return true;
}

/* The first bits of both. */
static bool alike(const struct in6_addr *a, const struct in6_addr *b, unsigned bits)
{
    unsigned bytes = bits / 8, rest = 8 - bits % 8;

    return memcmp(a->s6_addr, b->s6_addr, bytes) == 0
        && (rest == 8 || (a->s6_addr[bytes] ^ b->s6_addr[bytes]) >> rest == 0);
}

static bool ends_in_zeros(const struct prefix *prefix)
{
    struct in6_addr cut = {{{0}}};

    for (unsigned bit = 0; bit < prefix->bits; bit++)
        cut.s6_addr[bit / 8] |= prefix->address.s6_addr[bit / 8] & (uint8_t)(0x80 >> bit % 8);
    return memcmp(&cut, &prefix->address, sizeof cut) == 0;
}

int prefix_parse(struct prefix *prefix, const char *text, struct error *error)
{
    const char *slash = strchr(text, '/');
    size_t bytes = slash != NULL ? (size_t)(slash - text) : strlen(text);
    char address[INET6_ADDRSTRLEN] = "";

    if (bytes < sizeof address)
        memcpy(address, text, bytes);
    if (!prefix_read_address(prefix, address))
        return error_set(error, "want an address or ADDRESS/BITS, such as 192.0.2.0/24");
    if (slash == NULL)
        prefix->bits = BITS;
    else if (!read_bits(prefix, slash + 1))
        return error_set(error, "want 0 to %u bits after the /", BITS - prefix->bits);
    if (!ends_in_zeros(prefix))
        return error_set(error, "the address has bits beyond the prefix; want them 0");
    return 0;
}

bool prefix_has(const struct prefix *prefix, const struct in6_addr *address)
{
    if (prefix->bits < IPV4_BITS_BEFORE && IN6_IS_ADDR_V4MAPPED(address))
        return false;
    return alike(&prefix->address, address, prefix->bits);
}

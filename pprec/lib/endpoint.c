/* SPDX-License-Identifier: BSD-3-Clause */
/* Endpoints as text, which is wanted for every train, and where there are no sockets. */
#include "pprec/core.h"

#include <stdbool.h>
#include <string.h>

enum { WORDS = 8, TEXT_BYTES = sizeof "[ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255]:65535" };

/* Zeroes that are left out. */
struct gap {
    unsigned at, words;
};

static char *write_number(char *at, unsigned number, unsigned base)
{
    unsigned power = 1;

    while (number / power >= base)
        power *= base;
    for (; power > 0; power /= base)
        *at++ = "0123456789abcdef"[number / power % base];
    return at;
}

static char *write_ipv4(char *at, const uint8_t *address)
{
    for (int i = 0; i < 4; i++) {
        if (i > 0)
            *at++ = '.';
        at = write_number(at, address[i], 10);
    }
    return at;
}

/* The longest run of zero words, the first of those; a single zero is written (RFC 5952,
 * section 4.2). */
static struct gap longest_gap(const unsigned words[WORDS])
{
    struct gap longest = {WORDS, 1}, gap = {0, 0};

    for (unsigned i = 0; i < WORDS; i++) {
        gap = words[i] == 0 ? (struct gap){gap.at, gap.words + 1} : (struct gap){i + 1, 0};
        if (gap.words > longest.words)
            longest = gap;
    }
    return longest;
}

/* IPv4 in IPv6's clothes: ::ffff:192.0.2.1, and ::192.0.2.1 of old (RFC 4291, section 2.5.5). */
static bool ends_in_ipv4(const unsigned words[WORDS], struct gap gap)
{
    return gap.at == 0 && (gap.words == 6 || (gap.words == 5 && words[5] == 0xffff));
}

static char *write_ipv6(char *at, const uint8_t *address)
{
    unsigned words[WORDS];
    struct gap gap;

    for (unsigned i = 0; i < WORDS; i++)
        words[i] = (unsigned)address[2 * i] << 8 | address[2 * i + 1];
    gap = longest_gap(words);
    for (unsigned i = 0; i < WORDS; i++) {
        if (i == gap.at) {
            *at++ = ':';
            *at++ = ':';
            i += gap.words - 1;
            continue;
        }
        if (i > 0 && i != gap.at + gap.words)
            *at++ = ':';
        if (i == 6 && ends_in_ipv4(words, gap))
            return write_ipv4(at, address + 12);
        at = write_number(at, words[i], 16);
    }
    return at;
}

void pprec_endpoint_text(const struct pprec_endpoint *endpoint, char *room, size_t room_bytes)
{
    char text[TEXT_BYTES], *at = text;
    size_t length;

    if (endpoint->ip == 6) {
        *at++ = '[';
        at = write_ipv6(at, endpoint->address);
        *at++ = ']';
    } else {
        at = write_ipv4(at, endpoint->address);
    }
    *at++ = ':';
    at = write_number(at, endpoint->port, 10);
    length = (size_t)(at - text);
    if (room_bytes == 0)
        return;
    if (length >= room_bytes)
        length = room_bytes - 1;
    memcpy(room, text, length);
    room[length] = '\0';
}

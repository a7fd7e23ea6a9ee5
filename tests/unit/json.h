/* SPDX-License-Identifier: BSD-3-Clause */
/* A strict reader of flat JSON objects (RFC 8259): strings, numbers, true, false
 * and null; arrays of numbers; no other nesting, no space between tokens, no key twice. */
#ifndef TESTS_UNIT_JSON_H
#define TESTS_UNIT_JSON_H

#include <stdbool.h>
#include <stddef.h>

enum { JSON_MEMBERS_MAX = 96, JSON_TEXT_BYTES = 128 };

struct json_member {
    char key[JSON_TEXT_BYTES];
    char value[JSON_TEXT_BYTES]; /* as written, a string with its quotes */
};

struct json_object {
    size_t count;
    struct json_member members[JSON_MEMBERS_MAX];
};

/* False when text is anything but one such object, from first byte to last. */
bool json_read(struct json_object *object, const char *text);

/* The value of the key as written, or NULL. */
const char *json_value(const struct json_object *object, const char *key);

#endif

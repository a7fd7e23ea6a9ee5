/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/json.h"

#include <string.h>

static bool json_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *at)
{
    if (!json_digit(*at))
        return NULL;
    while (json_digit(*at))
        at++;
    return at;
}

/* Each of these returns where the token ends, or NULL. */

static const char *number_end(const char *at)
{
    at += *at == '-';
    at = *at == '0' ? at + 1 : skip_digits(at); /* no leading zeros */
    if (at != NULL && *at == '.')
        at = skip_digits(at + 1);
    if (at != NULL && (*at == 'e' || *at == 'E')) {
        at++;
        at = skip_digits(at + (*at == '+' || *at == '-'));
    }
    return at;
}

/* Escapes are legal JSON, but no value of ours needs one. */
static const char *string_end(const char *at)
{
    if (*at++ != '"')
        return NULL;
    while (*at != '"' && *at != '\\' && (unsigned char)*at >= 0x20)
        at++;
    return *at == '"' ? at + 1 : NULL;
}

static const char *array_end(const char *at)
{
    if (*++at == ']')
        return at + 1;
    while ((at = number_end(at)) != NULL && *at == ',')
        at++;
    return at != NULL && *at == ']' ? at + 1 : NULL;
}

static const char *value_end(const char *at)
{
    static const char *const words[] = {"null", "true", "false"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    if (*at == '[')
        return array_end(at);
    return *at == '"' ? string_end(at) : number_end(at);
}

static bool json_copy(char room[JSON_TEXT_BYTES], const char *from, const char *end)
{
    size_t bytes = (size_t)(end - from);

    if (bytes >= JSON_TEXT_BYTES)
        return false;
    memcpy(room, from, bytes);
    room[bytes] = '\0';
    return true;
}

static const char *member_end(struct json_object *object, const char *at)
{
    struct json_member *member = &object->members[object->count];
    const char *end = string_end(at);

    if (end == NULL || object->count == JSON_MEMBERS_MAX || !json_copy(member->key, at + 1, end - 1)
        || json_value(object, member->key) != NULL)
        return NULL;
    if (*end++ != ':')
        return NULL;
    at = end;
    end = value_end(at);
    if (end == NULL || !json_copy(member->value, at, end))
        return NULL;
    object->count++;
    return end;
}

bool json_read(struct json_object *object, const char *text)
{
    object->count = 0;
    if (*text++ != '{')
        return false;
    if (*text == '}')
        return text[1] == '\0';
    while ((text = member_end(object, text)) != NULL && *text == ',')
        text++;
    return text != NULL && text[0] == '}' && text[1] == '\0';
}

const char *json_value(const struct json_object *object, const char *key)
{
    for (size_t i = 0; i < object->count; i++)
        if (strcmp(object->members[i].key, key) == 0)
            return object->members[i].value;
    return NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "names.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ROOM_FIRST = 64 };

/* Takes the text over, and frees it when there is no memory. */
static int names_add(struct names *names, char *text, struct error *error)
{
    if (text != NULL && names->count + 1 >= names->room) {
        size_t room = names->room > 0 ? 2 * names->room : ROOM_FIRST;
        char **all = realloc(names->all, room * sizeof *all);

        if (all == NULL) {
            free(text);
            text = NULL;
        } else {
            names->all = all;
            names->room = room;
        }
    }
    if (text == NULL)
        return error_set(error, "no memory for the names of %zu captures", names->count);
    names->all[names->count++] = text;
    names->all[names->count] = NULL;
    return 0;
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static char *names_join(const char *directory, const char *name)
{
    size_t bytes = strlen(directory);
    const char *slash = bytes > 0 && directory[bytes - 1] == '/' ? "" : "/";
    char *path;

    return asprintf(&path, "%s%s%s", directory, slash, name) < 0 ? NULL : path;
}

static int walk(struct names *names, const char *directory, struct error *error);

/* Of what is in a directory; takes the path over. */
static int add_entry(struct names *names, char *path, struct error *error)
{
    struct stat link, target;
    int status = 0;

    if (path == NULL)
        return error_set(error, "no memory for the names of %zu captures", names->count);
    if (lstat(path, &link) == 0 && S_ISDIR(link.st_mode)) {
        status = walk(names, path, error);
        free(path);
        return status;
    }
    if (stat(path, &target) < 0 || !S_ISREG(target.st_mode)) { /* nor wait for a fifo */
        free(path);
        return 0;
    }
    if (pprec_is_capture(path) == 0) {
        names->others++;
        free(path);
        return 0;
    }
    return names_add(names, path, error);
}

static int walk(struct names *names, const char *directory, struct error *error)
{
    struct dirent **entries;
    int count = scandir(directory, &entries, is_shown, versionsort);
    int status = 0;

    if (count < 0 && errno == EACCES) /* opening it tells so, as of a file, and the others are read */
        return names_add(names, strdup(directory), error);
    if (count < 0)
        return error_set(error, "%.160s: %s", directory, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (status == 0)
            status = add_entry(names, names_join(directory, entries[i]->d_name), error);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static int add_named(struct names *names, const char *name, struct error *error)
{
    size_t before = names->count;
    struct stat status;

    if (strcmp(name, "-") == 0 || stat(name, &status) < 0 || !S_ISDIR(status.st_mode))
        return names_add(names, strdup(name), error);
    if (walk(names, name, error) < 0)
        return -1;
    return names->count > before ? 0 : error_set(error, "%.160s: no captures in this directory", name);
}

static int names_add_all(struct names *names, const char *const *given, struct error *error)
{
    int status = 0;

    for (; status == 0 && given != NULL && *given != NULL; given++)
        status = add_named(names, *given, error);
    return status;
}

int names_find(struct names *names, const struct options *options, struct error *error)
{
    *names = (struct names){.all = NULL};
    if (names_add_all(names, options->files, error) == 0 && names_add_all(names, options->names, error) == 0)
        return 0;
    names_free(names);
    return -1;
}

void names_free(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->all[i]);
    free(names->all);
    *names = (struct names){.all = NULL};
}

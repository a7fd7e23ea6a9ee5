/* SPDX-License-Identifier: BSD-3-Clause */
/* Standard input, output and error that were closed. */
#include "common/descriptors.h"
#include "tests/unit/suites.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_null(int descriptor)
{
    struct stat is, null;

    return fstat(descriptor, &is) == 0 && stat("/dev/null", &null) == 0 && S_ISCHR(is.st_mode)
        && is.st_rdev == null.st_rdev;
}

/* closed: a bit for each of the three. In a process of its own. */
static bool fills(unsigned closed)
{
    int pipes[2], next;

    if (pipe(pipes) != 0)
        return false;
    for (int each = 0; each < 3; each++) {
        dup2(pipes[1], each); /* no /dev/null, whatever the test was started with */
        if ((closed >> each & 1) != 0)
            close(each);
    }
    if (descriptors_fill(NULL) != 0)
        return false;
    for (int each = 0; each < 3; each++)
        if (is_null(each) != ((closed >> each & 1) != 0))
            return false;
    next = dup(0);
    return next > 2;
}

START_TEST(what_is_closed_becomes_null_and_nothing_else)
{
    pid_t child = fork();
    int status;

    ck_assert_int_ge(child, 0);
    if (child == 0)
        _exit(fills((unsigned)_i) ? 0 : 1);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}
END_TEST

Suite *descriptors_suite(void)
{
    Suite *suite = suite_create("descriptors");
    TCase *closed = tcase_create("closed");

    tcase_add_loop_test(closed, what_is_closed_becomes_null_and_nothing_else, 0, 8);
    suite_add_tcase(suite, closed);
    return suite;
}

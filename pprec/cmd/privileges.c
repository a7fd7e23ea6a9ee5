/* SPDX-License-Identifier: BSD-3-Clause */
#include "privileges.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* capabilities(7) outlive the change of user, for keep_only() to choose from. */
static int become(const char *name, struct error *error)
{
    struct passwd *user;

    errno = 0;
    user = getpwnam(name);
    if (user == NULL)
        return error_set(error, "--user '%.32s': %s", name, errno != 0 ? strerror(errno) : "no such user");
    if (geteuid() == user->pw_uid)
        return 0;
    if (prctl(PR_SET_KEEPCAPS, 1L, 0L, 0L, 0L) < 0 || initgroups(name, user->pw_gid) < 0
        || setresgid(user->pw_gid, user->pw_gid, user->pw_gid) < 0
        || setresuid(user->pw_uid, user->pw_uid, user->pw_uid) < 0)
        return error_set(error, "--user '%.32s': %s; only root can become another user", name,
                         strerror(errno));
    return 0;
}

/* Through the system call: this is all that libcap would be used for. */
static int keep_only(unsigned capability)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

    if (syscall(SYS_capget, &header, data) < 0)
        return -1;
    data[0].permitted &= capability;
    data[0].effective = data[0].permitted;
    data[0].inheritable = 0;
    data[1] = (struct __user_cap_data_struct){.effective = 0};
    prctl(PR_CAP_AMBIENT, (long)PR_CAP_AMBIENT_CLEAR_ALL, 0L, 0L, 0L);
    return (int)syscall(SYS_capset, &header, data);
}

/* Anyone else opens again what is his. */
static unsigned needed(bool root, struct privileges_again again)
{
    return (root && again.open ? 1U << CAP_DAC_OVERRIDE : 0) | (again.bind ? 1U << CAP_NET_RAW : 0);
}

static const char *privileges_words(struct privileges_again again)
{
    if (again.open && again.bind)
        return "access to files (CAP_DAC_OVERRIDE) and to the interface (CAP_NET_RAW)";
    return again.open ? "access to files (CAP_DAC_OVERRIDE)"
        : again.bind  ? "access to the interface (CAP_NET_RAW)"
                      : NULL;
}

int privileges_drop(const char *user, struct privileges_again again, const char **rights, struct error *error)
{
    bool root;

    if (user != NULL && become(user, error) < 0)
        return -1;
    root = geteuid() == 0;
    if (keep_only(needed(root, again)) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) < 0)
        return error_set(error, "privileges cannot be dropped: %s", strerror(errno));
    *rights = root ? privileges_words(again) : NULL;
    return 0;
}

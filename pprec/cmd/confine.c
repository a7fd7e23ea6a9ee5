/* SPDX-License-Identifier: BSD-3-Clause */
#include "confine.h"

#ifdef WITH_SECCOMP

#include <errno.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* Whatever a C library makes of the same call on some processor. One that this processor, or this
 * libseccomp, has not heard of is passed over. */
static const char *const calls[] = {
    /* memory */
    "brk", "madvise", "mremap", "munmap",
    /* time */
    "clock_getres", "clock_getres_time64", "clock_gettime", "clock_gettime64", "clock_nanosleep",
    "clock_nanosleep_time64", "gettimeofday", "nanosleep", "time",
    /* files: the log, state, captures one after the other, /proc, the time zone */
    "_llseek", "access", "close", "dup", "dup2", "dup3", "faccessat", "faccessat2", "fadvise64",
    "fadvise64_64", "fallocate", "fchmod", "fcntl", "fcntl64", "fdatasync", "flock", "fstat", "fstat64",
    "fstatat64", "fstatfs", "fstatfs64", "fsync", "ftruncate", "ftruncate64", "getcwd", "getdents",
    "getdents64", "lseek", "lstat", "lstat64", "mkdir", "mkdirat", "newfstatat", "open", "openat", "pread64",
    "preadv", "pwrite64", "pwritev", "read", "readlink", "readlinkat", "readv", "rename", "renameat",
    "renameat2", "stat", "stat64", "statfs", "statfs64", "statx", "umask", "unlink", "unlinkat", "write",
    "writev",
    /* sockets; which new ones, socket() below says */
    "accept", "accept4", "bind", "connect", "getpeername", "getsockname", "getsockopt", "listen", "recv",
    "recvfrom", "recvmmsg", "recvmmsg_time64", "recvmsg", "send", "sendmmsg", "sendmsg", "sendto",
    "setsockopt", "shutdown", "socketcall", "socketpair",
    /* waiting */
    "_newselect", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait",
    "eventfd2", "pipe", "pipe2", "poll", "ppoll", "ppoll_time64", "pselect6", "pselect6_time64", "select",
    "signalfd4", "timerfd_create", "timerfd_gettime", "timerfd_settime", "timerfd_settime64",
    /* signals, and the end */
    "exit", "exit_group", "pause", "restart_syscall", "rt_sigaction", "rt_sigpending", "rt_sigprocmask",
    "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait", "rt_sigtimedwait_time64", "sigaction", "sigaltstack",
    "sigprocmask", "sigreturn",
    /* threads that there are, and what a process asks about itself */
    "futex", "futex_time64", "getegid", "getegid32", "geteuid", "geteuid32", "getgid", "getgid32", "getpgrp",
    "getpid", "getppid", "getrandom", "getrlimit", "getrusage", "gettid", "getuid", "getuid32", "membarrier",
    "rseq", "sched_getaffinity", "sched_yield", "set_robust_list", "sysinfo", "times", "ugetrlimit", "uname"};

/* A rule: this call, if so many bits of that argument are just these. */
struct rule {
    const char *call;
    unsigned argument;
    uint64_t mask, value;
};

/* No more programs in memory, no raw packets, no writing to another's terminal. */
static const struct rule rules[] = {
    {"mmap", 2, PROT_EXEC, 0},
    {"mmap2", 2, PROT_EXEC, 0},
    {"mprotect", 2, PROT_EXEC, 0},
    {"prlimit64", 0, UINT32_MAX, 0}, /* its own limits */
    {"socket", 0, UINT32_MAX, AF_UNIX},
    {"socket", 0, UINT32_MAX, AF_INET},
    {"socket", 0, UINT32_MAX, AF_INET6},
    {"socket", 0, UINT32_MAX, AF_NETLINK},
    {"ioctl", 1, UINT32_MAX, TCGETS},     /* isatty() */
    {"ioctl", 1, UINT32_MAX, TIOCGWINSZ}, /* the view */
    {"ioctl", 1, UINT32_MAX, FIONREAD},
    {"ioctl", 1, UINT32_MAX, FIONBIO},
    {"ioctl", 1, UINT32_MAX, SIOCGIFINDEX}, /* interfaces that come back */
    {"ioctl", 1, UINT32_MAX, SIOCGIFNAME},
    {"ioctl", 1, UINT32_MAX, SIOCGIFFLAGS},
};

enum { CALLS = sizeof calls / sizeof calls[0], RULES = sizeof rules / sizeof rules[0] };

/* Negative errno, or 0; what is not known counts as done. */
static int allow(scmp_filter_ctx filter, const char *call, unsigned conditions,
                 const struct scmp_arg_cmp *condition)
{
    int number = seccomp_syscall_resolve_name(call);

    if (number == __NR_SCMP_ERROR)
        return 0;
    return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, conditions, condition);
}

static int allow_rule(scmp_filter_ctx filter, const struct rule *rule)
{
    struct scmp_arg_cmp condition = {
        .arg = rule->argument, .op = SCMP_CMP_MASKED_EQ, .datum_a = rule->mask, .datum_b = rule->value};

    return allow(filter, rule->call, 1, &condition);
}

/* To itself alone: raise() and abort(). */
static int allow_own_signals(scmp_filter_ctx filter)
{
    static const char *const senders[] = {"kill", "tgkill"};
    int status = 0;

    for (int i = 0; i < 2 && status == 0; i++)
        status = allow_rule(filter, &(struct rule){senders[i], 0, UINT32_MAX, (uint32_t)getpid()});
    return status;
}

static int allow_all(scmp_filter_ctx filter)
{
    int status = allow_own_signals(filter);

    for (size_t i = 0; i < CALLS && status == 0; i++)
        status = allow(filter, calls[i], 0, NULL);
    for (size_t i = 0; i < RULES && status == 0; i++)
        status = allow_rule(filter, &rules[i]);
    return status;
}

/* Where a C library tries a newer call first, ENOSYS makes it try the older one. */
int confine(int how, bool threads, struct error *error)
{
    scmp_filter_ctx filter;
    int status;

    if (how == CONFINE_OFF)
        return 0;
    filter = seccomp_init(how == CONFINE_KILL ? SCMP_ACT_KILL_PROCESS : SCMP_ACT_ERRNO(ENOSYS));
    if (filter == NULL)
        return error_set(error, "--confine: no memory for a filter of system calls");
    status = allow_all(filter);
    if (status == 0 && threads)
        status = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
    if (status == 0)
        status = seccomp_load(filter);
    seccomp_release(filter);
    if (status < 0)
        return error_set(error, "--confine: no filter of system calls: %s", strerror(-status));
    return 0;
}

#else

int confine(int how, bool threads, struct error *error)
{
    (void)threads;
    return how == CONFINE_KILL ? error_set(error, "--confine kill: this build has no filter of system calls")
                               : 0;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "screen.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Packets wait in their socket meanwhile: 20 ms of the fastest stream fill half of its
 * buffer. */
enum { WAIT_MS = 10, WAITS_MAX = 2 };

/* The alternate screen, and no cursor; colours off and all of it back. */
#define TAKE "\033[?1049h\033[?25l\033[2J"
#define GIVE_BACK "\033[0m\033[?25h\033[?1049l"

/* There is one terminal, and signal handlers must find it. */
static volatile sig_atomic_t taken;
static volatile sig_atomic_t lost;
static int failed;        /* errno of a write that will not work again */
static int terminal = -1; /* does not block, unlike the shell's own descriptor */

bool screen_possible(void)
{
    const char *name = getenv("TERM");

    return isatty(STDOUT_FILENO) && name != NULL && name[0] != '\0' && strcmp(name, "dumb") != 0;
}

/* --- Signals --- */

/* Only calls that signal handlers may make. A terminal that is stopped would hold us up
 * for ever: it is asked once, and left as it is. */
static void give_back(void)
{
    ssize_t written;

    if (!taken)
        return;
    taken = 0;
    written = write(terminal, GIVE_BACK, sizeof GIVE_BACK - 1);
    (void)written;
}

static void screen_on_end(int number)
{
    give_back();
    raise(number); /* SA_RESETHAND: now it does what it always does */
}

static void take_signal(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

    sigaction(number, &action, NULL);
}

/* The stop itself comes when this handler returns. */
static void on_stop(int number)
{
    int error = errno;

    give_back();
    lost = 1;
    take_signal(number, SIG_DFL, 0);
    raise(number);
    errno = error;
}

static void on_continue(int number)
{
    (void)number;
    taken = 0; /* whatever ran meanwhile may have used the terminal */
    lost = 1;
}

void screen_open(void)
{
    static const int ends[] = {SIGHUP,  SIGINT, SIGQUIT, SIGILL,  SIGABRT, SIGBUS,  SIGFPE,
                               SIGSEGV, SIGSYS, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};

    terminal = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0)
        terminal = STDOUT_FILENO;
    setlocale(LC_CTYPE, "");
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        take_signal(ends[i], screen_on_end, (int)(SA_RESETHAND | SA_NODEFER));
    take_signal(SIGCONT, on_continue, SA_RESTART);
}

bool screen_lost(void)
{
    bool was = lost != 0;

    lost = 0;
    return was;
}

/* --- What it is like --- */

void screen_size(unsigned *rows, unsigned *columns)
{
    struct winsize size;

    *rows = 24;
    *columns = 80;
    if (ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
        *rows = size.ws_row;
        *columns = size.ws_col;
    }
}

bool screen_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* https://no-color.org */
bool screen_coloured(void)
{
    const char *unwanted = getenv("NO_COLOR");

    return unwanted == NULL || unwanted[0] == '\0';
}

/* --- Writing --- */

static bool screen_write_some(const char *text, size_t bytes)
{
    struct pollfd wait = {.fd = terminal, .events = POLLOUT};
    int waits = 0;

    while (bytes > 0) {
        ssize_t written = write(terminal, text, bytes);

        if (written > 0) {
            text += written;
            bytes -= (size_t)written;
        } else if (written < 0 && errno != EAGAIN && errno != EINTR) {
            failed = errno;
            return false;
        } else if (++waits > WAITS_MAX || poll(&wait, 1, WAIT_MS) < 0) {
            return false;
        }
    }
    return true;
}

bool screen_show(const char *text, size_t bytes)
{
    if (!taken) {
        taken = 1; /* before, so that a signal between the two gives back */
        take_signal(SIGTSTP, on_stop, SA_RESTART);
        if (!screen_write_some(TAKE, sizeof TAKE - 1))
            return false;
    }
    return screen_write_some(text, bytes);
}

bool screen_gone(void)
{
    errno = failed;
    return failed != 0;
}

void screen_close(void)
{
    static const int ends[] = {SIGTSTP, SIGCONT};

    if (terminal < 0)
        return;
    if (taken) {
        taken = 0;
        screen_write_some(GIVE_BACK, sizeof GIVE_BACK - 1);
    }
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        take_signal(ends[i], SIG_DFL, 0);
    if (terminal != STDOUT_FILENO)
        close(terminal);
    terminal = -1;
}

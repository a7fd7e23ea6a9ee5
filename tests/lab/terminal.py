#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""terminal.py PPREC PORT: --live on pseudo-terminals, with probes coming to the port.

Looks at the bytes that reach the terminal, and, where the emulator pyte is installed, at
what they make of its screen. Prints a line a check; exits 1 when one failed."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

try:
    import pyte
except ImportError:
    pyte = None

PPREC, PORT = sys.argv[1], sys.argv[2]
TAKE, GIVE_BACK = b"\033[?1049h", b"\033[?1049l"
failed = 0


def check(what, good):
    global failed
    failed += not good
    print(("ok" if good else "FAIL") + " test_live: " + what, flush=True)


def spawn(command, terminal, variables):
    """As a shell with job control runs it: in the foreground group of a session. Returns
    its process, and what to read its status from."""
    told, tell = os.pipe()
    if os.fork() > 0:
        os.close(tell)
        return int(os.read(told, 64)), told
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    program = os.fork()
    if program == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(terminal, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.write(tell, b"%d" % os.getpid())
        for descriptor in (0, 1):
            os.dup2(terminal, descriptor)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.execve(command[0], command, variables)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # it comes when the terminal is closed
    os.write(tell, b"%d" % os.waitstatus_to_exitcode(os.waitpid(program, 0)[1]))
    os._exit(0)


class Terminal:
    """A program on a terminal, and all that it writes there."""

    def __init__(self, arguments, columns=80, rows=24, **environment):
        self.master, slave = pty.openpty()
        self.bytes = b""
        self.columns, self.rows = columns, rows
        self.screen = pyte and pyte.Screen(columns, rows)
        self.stream = pyte and pyte.ByteStream(self.screen)
        self.resize(columns, rows)
        variables = dict(os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8", NO_COLOR="")
        variables.update(environment)
        self.pid, self.told = spawn([PPREC] + arguments, slave, variables)
        os.close(slave)

    def resize(self, columns, rows):
        self.columns, self.rows = columns, rows
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if self.screen:
            self.screen.resize(rows, columns)

    def read(self, seconds):
        """What comes in so many seconds, or until the program has ended."""
        end, came = time.monotonic() + seconds, b""
        while time.monotonic() < end:
            if not select.select([self.master], [], [], 0.02)[0]:
                continue
            try:
                came += os.read(self.master, 65536)
            except OSError:
                break
        self.bytes += came
        if self.stream:
            self.stream.feed(came)
        return came

    def wait_for(self, text, seconds=5):
        end = time.monotonic() + seconds
        while text not in self.bytes and time.monotonic() < end:
            self.read(0.1)
        return text in self.bytes

    def key(self, key):
        os.write(self.master, key)

    def end(self, number=signal.SIGINT):
        """Its status; 0 is a summary with an estimate."""
        os.kill(self.pid, number)
        return self.wait()

    def wait(self):
        self.read(3)
        ready = select.select([self.told], [], [], 2)[0]
        return int(os.read(self.told, 64)) if ready else None

    def is_clean(self):
        """No alternate screen, a cursor, no colour."""
        last = self.bytes.rfind
        return (TAKE in self.bytes and last(GIVE_BACK) > last(TAKE)
                and last(b"\033[?25h") > last(b"\033[?25l")
                and last(b"\033[0m") > max(last(b"\033[0;3"), last(b"\033[0;1m")))


def plain_rows(frame):
    """A frame's rows, without colours and moves."""
    text = re.sub(r"\033\[[0-9;?]*[A-Za-z]", "", frame.decode("utf-8", "replace"))
    return text.replace("\r", "").split("\n")


def frames(text):
    return [part for part in text.split(b"\033[H")[1:] if part]


def live(*more, **environment):
    return Terminal(["-p", PORT, "--live", *more], **environment)


def sizes():
    terminal = live()
    terminal.wait_for("▲".encode())
    for columns, rows in ((80, 24), (120, 40), (40, 10), (132, 50)):
        terminal.resize(columns, rows)
        terminal.read(0.5)  # what was on its way is of the old size
        came = frames(terminal.read(1))[:-1]
        lines = [row for frame in came for row in plain_rows(frame)]
        name = f"{columns}x{rows}"
        check(f"{name}: {len(came)} frames, no row wider or too many",
              len(came) >= 3 and max(map(len, lines)) <= columns
              and max(len(plain_rows(frame)) for frame in came) <= rows)
        if not terminal.screen:
            continue
        display = terminal.screen.display
        check(f"{name}: title, estimate, its mark in the histogram, losses and trains on the screen",
              display[0].startswith("pprec")
              and any(re.match(r"[0-9.]+ Mbit/s  (tentative|converged)", row) for row in display)
              and any("▲" in row for row in display) and any(" lost" in row for row in display)
              and any(re.search(r"#\d+ .*Mbit/s (ok|sender_limited|expanded|compressed)", row)
                      for row in display))
    check("ended by SIGINT: status 0, terminal clean, a summary",
          terminal.end() == 0 and terminal.is_clean()
          and b"capacity" in terminal.bytes[terminal.bytes.rfind(GIVE_BACK):])


def refreshes():
    terminal = live()
    terminal.wait_for("▲".encode())
    terminal.bytes = b""
    terminal.read(2)
    count = len(frames(terminal.bytes))
    check(f"frames a second, at 50 trains a second: {count / 2}", 6 <= count <= 12)
    terminal.end()


def ends():
    for number in (signal.SIGTERM, signal.SIGQUIT, signal.SIGABRT, signal.SIGSEGV, signal.SIGUSR1):
        terminal = live()
        terminal.wait_for(b"trains")
        status = terminal.end(number)
        want = 0 if number == signal.SIGTERM else -number
        check(f"ended by {number.name}: status {status}, terminal clean",
              status == want and terminal.is_clean())
    terminal = live("-c", "20")
    check("ended by -c: status 0, terminal clean", terminal.wait() == 0 and terminal.is_clean())


def stops():
    terminal = live()
    terminal.wait_for(b"trains")
    for again in ("", " again"):
        terminal.key(b"\x1a")
        terminal.read(0.4)
        state = open(f"/proc/{terminal.pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()[0]
        check(f"stopped by Ctrl-Z{again}: state {state}, terminal clean",
              state == "T" and terminal.is_clean())
        terminal.bytes = b""
        os.kill(terminal.pid, signal.SIGCONT)
        terminal.read(0.6)
        check(f"continued{again}: the view is back", TAKE in terminal.bytes and b"trains" in terminal.bytes)
    terminal.key(b"\x03")
    check("ended by Ctrl-C: status 0, terminal clean", terminal.wait() == 0 and terminal.is_clean())


def stalls():
    """A terminal that takes nothing (Ctrl-S) holds up nothing."""
    terminal = live("-t", "3")
    terminal.wait_for(b"trains")
    termios.tcflow(terminal.master, termios.TCOOFF)
    time.sleep(3)
    termios.tcflow(terminal.master, termios.TCOON)
    status = terminal.wait()
    found = re.search(rb"(\d+) trains, \d+ usable; \d+ packets, (\d+) lost", terminal.bytes)
    check(f"a terminal that stands still: {found and found.group(0).decode()}",
          status == 0 and found and int(found.group(1)) > 100
          and int(found.group(2)) <= 1)  # half a pair may be under way at the end


def closes():
    """A terminal that is gone ends the view, not the log."""
    terminal = live("-o", "closed.log")
    terminal.wait_for(b"trains")
    os.close(terminal.master)
    time.sleep(0.5)
    before = os.path.getsize("closed.log")
    time.sleep(0.5)
    grown = os.path.getsize("closed.log") - before
    os.kill(terminal.pid, signal.SIGTERM)
    status = int(os.read(terminal.told, 64))
    check(f"terminal closed: the log goes on, {grown} bytes; status {status}", grown > 500 and status == 0)


def words():
    terminal = live(LC_ALL="C", NO_COLOR="1")
    terminal.wait_for(b"^")
    terminal.end()
    check("LC_ALL=C: ASCII alone", max(terminal.bytes) < 0x80 and b"^" in terminal.bytes)
    check("NO_COLOR: no colours", b"\033[0;3" not in terminal.bytes)
    terminal = live(TERM="dumb")
    terminal.wait_for(b"Mbit/s")
    terminal.end()
    check("TERM=dumb: lines", b"\033" not in terminal.bytes and b" ok | " in terminal.bytes)
    out = subprocess.run([PPREC, "-p", PORT, "--live", "-c", "5"], capture_output=True, timeout=20,
                         check=False).stdout
    check("a pipe: lines", b"\033" not in out and out.count(b"Mbit/s") >= 5)


sizes()
refreshes()
ends()
stops()
stalls()
closes()
words()
if not pyte:
    print("SKIP test_live: python3-pyte is missing: what the screen looks like is not checked")
sys.exit(failed > 0)

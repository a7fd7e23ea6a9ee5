# SPDX-License-Identifier: BSD-3-Clause
"""The library's errors as exceptions. All are of Error; each is also of the built-in class nearest to it."""
from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Any, Dict, Iterator, Type

from ._library import ffi, lib, text


class Error(Exception):
    """Any failure of the library; code is its PPREC_E*. reading: of read(), what was read all the same."""

    code = 0
    reading: Any = None


class InvalidError(Error, ValueError):
    """A parameter is out of its range: the text names it."""

    code = int(lib.PPREC_EINVAL)


class OutOfMemoryError(Error, MemoryError):
    """Memory ran out, or what the handle may take of it (memory_bytes)."""

    code = int(lib.PPREC_ENOMEM)


class SystemRefusedError(Error, OSError):
    """The system refused, errno tells; or it is no capture (errno None)."""

    code = int(lib.PPREC_EIO)


class NothingFoundError(SystemRefusedError, FileNotFoundError):
    """No capture was named, or none is where it was looked for (errno None)."""


class ForeignError(Error):
    """An arrival contradicts its train or stream, or is no packet of the protocol: dropped, counted."""

    code = int(lib.PPREC_EFOREIGN)


class DamagedError(Error):
    """A capture cannot be read on; what came before was used."""

    code = int(lib.PPREC_EDAMAGED)


class RefusedError(Error):
    """Not believed, or no room for its stream: dropped, counted by reason."""

    code = int(lib.PPREC_EREFUSED)


_classes: Dict[int, Type[Error]] = {
    kind.code: kind for kind in (InvalidError, OutOfMemoryError, SystemRefusedError, ForeignError, DamagedError,
                                 RefusedError)}


@contextmanager
def in_range(what: str) -> Iterator[None]:
    """A number that the library's type has no room for is InvalidError: cffi says OverflowError."""
    try:
        yield
    except OverflowError as error:
        raise InvalidError("%s: %s" % (what, error)) from error


def check(status: int, handle: Any) -> int:
    """The status where it is 0 or more, else the exception that it means. Of a refusal errno is read at once."""
    if status >= 0:
        return status
    number = ffi.errno
    said = text(lib.pprec_error(handle)) if handle != ffi.NULL else ""
    kind = _classes.get(status, Error)
    if kind is SystemRefusedError:
        raise SystemRefusedError(number, said or os.strerror(number)) if number else SystemRefusedError(said)
    failure = kind(said or "libpprec: error %d" % status)
    failure.code = status
    raise failure

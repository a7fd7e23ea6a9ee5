# SPDX-License-Identifier: BSD-3-Clause
"""A handle of the library with its sink: what Stream and the reader of captures stand on."""
from __future__ import annotations

import threading
from typing import Any, Dict, Iterable, List, Mapping

from ._library import ffi, lib
from .errors import InvalidError, check, in_range
from .layout import Rows, rows
from .settings import configure

# What can be kept, and the struct of its rows.
KINDS: Dict[str, str] = {
    "trains": "sink_train", "packets": "sink_packet", "summaries": "pprec_summary", "changes": "pprec_change",
    "congestion": "pprec_congestion",
}
ALL = (1 << (8 * ffi.sizeof("size_t"))) - 1


class Handle:
    """keep: which of KINDS; most: rows of each that wait to be taken, past which they are missed.
    Calls may come from any thread, one at a time; the interpreter runs on meanwhile."""

    def __init__(self, keep: Iterable[str], most: int, settings: Mapping[str, Any]) -> None:
        keep = set(keep)
        unknown = keep - set(KINDS)
        if unknown:
            raise InvalidError("keep: '%s' is none of %s" % (min(unknown), ", ".join(KINDS)))
        self.lock = threading.RLock()
        self.alive: List[Any] = []
        config = configure(settings, self.alive)
        self.sink = ffi.gc(ffi.new("struct sink *"), lib.sink_fini)
        with in_range("most"):
            lib.sink_init(self.sink, ffi.new("size_t[]", [most if kind in keep else 0 for kind in KINDS]))
        lib.sink_attach(self.sink, config)
        place = ffi.new("struct pprec **")
        status = lib.pprec_new(place, config)
        self.pprec = ffi.gc(place[0], lib.pprec_free)
        check(status, self.pprec)

    def close(self) -> None:
        """Frees the handle now. What was kept can still be taken."""
        with self.lock:
            if self.pprec is not None:
                ffi.release(self.pprec)
                self.pprec = None

    def call(self, function: Any, *arguments: Any) -> int:
        """function(handle, ...) of the library, its failures as exceptions."""
        with self.lock:
            handle = self.open_handle()
            ffi.errno = 0
            try:
                return check(function(handle, *arguments), handle)
            except OverflowError as error:  # as in_range() does, which a call for each packet need not pay for
                raise InvalidError(str(error)) from error

    def open_handle(self) -> Any:
        if self.pprec is None:
            raise InvalidError("the stream is closed")
        return self.pprec

    def take(self, kind: str) -> Rows:
        """Rows of a kind that have come since the last call; the array owns them."""
        if kind not in KINDS:
            raise InvalidError("'%s' is none of %s" % (kind, ", ".join(KINDS)))
        count = ffi.new("size_t *")
        with self.lock:
            data = lib.sink_take(self.sink, list(KINDS).index(kind), count)
        return rows(data, count[0], KINDS[kind])

    def missed(self) -> int:
        """Rows that there was no room for."""
        return sum(int(self.sink.of[kind].missed) for kind in range(len(KINDS)))

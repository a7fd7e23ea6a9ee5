# SPDX-License-Identifier: BSD-3-Clause
"""Capacity of network paths, from packet pairs and trains: libpprec for Python.

    reading = pprec.read("captures/", jobs=4)       # Arrow tables: reading.trains, reading.summaries
    frames = reading.to_pandas()

    with pprec.Stream(on_estimate=print) as stream:   # packets as they come
        stream.push(arrivals)

docs/python.md is the guide.
"""
from typing import TYPE_CHECKING, Any

from ._library import built_for, header_digest
from ._library import loaded as __version__
from .errors import (DamagedError, Error, ForeignError, InvalidError, NothingFoundError, OutOfMemoryError,
                     RefusedError, SystemRefusedError)
from .layout import (UNKNOWN_NS, Advice, Clock, Kind, Reason, State, Timestamps, Verdict, Why, arrival_dtype, arrivals,
                     dtype_of)
from .settings import Settings
from .stream import Name, Record, Stream
from .words import endpoint_array, filters, is_sure, sure_states

if TYPE_CHECKING:
    from .captures import Frames, Reading, read

__all__ = [
    "UNKNOWN_NS", "Advice", "Clock", "DamagedError", "Error", "ForeignError", "Frames", "InvalidError", "Kind",
    "Name", "NothingFoundError", "OutOfMemoryError", "Reading", "Reason", "Record", "RefusedError", "Settings", "State", "Stream",
    "SystemRefusedError", "Timestamps", "Verdict", "Why", "__version__", "arrival_dtype", "arrivals", "built_for",
    "dtype_of", "endpoint_array", "filters", "header_digest", "is_sure", "read", "sure_states",
]


def __getattr__(name: str) -> Any:
    """What wants Arrow is loaded when it is asked for: who pushes packets needs no more than numpy."""
    if name in ("read", "Reading", "Frames"):
        from . import captures
        return getattr(captures, name)
    raise AttributeError("module 'pprec' has no attribute '%s'" % name)

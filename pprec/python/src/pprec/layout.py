# SPDX-License-Identifier: BSD-3-Clause
"""The library's structs as types of numpy: each field where the C compiler put it."""
from __future__ import annotations

import enum as enum_module
from functools import lru_cache
from typing import Any, List, Tuple

import numpy as np

from ._library import ffi, lib
from .errors import InvalidError

Rows = np.ndarray[Any, np.dtype[Any]]

UNKNOWN_NS: int = int(lib.PPREC_UNKNOWN_NS)


def _primitive(ctype: Any) -> np.dtype[Any]:
    name, size = ctype.cname, ffi.sizeof(ctype)
    if name in ("double", "float"):
        return np.dtype("f%d" % size)
    # cffi tells signs by the value of a cast, and by nothing else
    return np.dtype("%s%d" % ("i" if int(ffi.cast(ctype, -1)) < 0 else "u", size))


def _dtype(ctype: Any) -> np.dtype[Any]:
    if ctype.kind == "primitive":
        return _primitive(ctype)
    if ctype.kind == "enum":
        return np.dtype("u%d" % ffi.sizeof(ctype))
    if ctype.kind == "array":
        return np.dtype((_dtype(ctype.item), (ctype.length,)))
    if ctype.kind in ("pointer", "function"):
        return np.dtype("u%d" % ffi.sizeof(ctype))
    fields: List[Tuple[str, Any]] = ctype.fields
    return np.dtype({"names": [name for name, _ in fields], "formats": [_dtype(field.type) for _, field in fields],
                     "offsets": [field.offset for _, field in fields], "itemsize": ffi.sizeof(ctype)})


@lru_cache(maxsize=None)
def dtype_of(struct: str) -> np.dtype[Any]:
    """The structured type of a struct of the library: dtype_of("pprec_arrival")."""
    return _dtype(ffi.typeof("struct " + struct))


@lru_cache(maxsize=None)
def enum_of(struct: str, field: str) -> str:
    """The name of the enum that a field is of, or ""."""
    for name, described in ffi.typeof("struct " + struct).fields:
        if name == field and described.type.kind == "enum":
            return str(described.type.cname).replace("enum ", "")
    return ""


def fields_of(struct: str) -> List[Tuple[str, Any]]:
    """Names and C types of the fields, in their order."""
    return [(name, described.type) for name, described in ffi.typeof("struct " + struct).fields]


def _enum_class(enum: str, prefix: str) -> Any:
    values = {name[len(prefix):]: value for value, name in ffi.typeof("enum " + enum).elements.items()
              if name.startswith(prefix)}
    return enum_module.IntEnum(enum.replace("pprec_", "").capitalize(), values, module=__name__)


Verdict = _enum_class("pprec_verdict", "PPREC_VERDICT_")
State = _enum_class("pprec_state", "PPREC_STATE_")
Why = _enum_class("pprec_why", "PPREC_WHY_")
Advice = _enum_class("pprec_advice", "PPREC_ADVICE_")
Kind = _enum_class("pprec_kind", "PPREC_KIND_")
Reason = _enum_class("pprec_reason", "PPREC_REASON_")
Clock = _enum_class("pprec_clock", "PPREC_CLOCK_")
Timestamps = _enum_class("pprec_timestamps", "PPREC_TIMESTAMPS_")

arrival_dtype = dtype_of("pprec_arrival")


def arrivals(count: int) -> Rows:
    """So many arrivals, of which all is unknown, to be filled in and given to Stream.push():
    an array of arrival_dtype, the library's struct pprec_arrival."""
    one = ffi.new("struct pprec_arrival *")
    lib.pprec_arrival_init_sized(one, ffi.sizeof(one[0]))
    model = np.frombuffer(ffi.buffer(one), dtype="V%d" % arrival_dtype.itemsize)
    return np.repeat(model, count).view(arrival_dtype)


def rows(data: Any, count: int, struct: str) -> Rows:
    """Rows that the sink handed over, as an array that owns them."""
    dtype = dtype_of(struct)
    if count == 0:
        return np.empty(0, dtype)
    owned = ffi.gc(data, lib.sink_release, count * dtype.itemsize)
    return np.frombuffer(ffi.buffer(owned, count * dtype.itemsize), dtype=dtype)


def fits(given: Any) -> Rows:
    """The same array, where it can be handed to the library as it is. TypeError, InvalidError where not:
    nothing is copied."""
    if not isinstance(given, np.ndarray) or given.dtype != arrival_dtype:
        raise TypeError("arrivals are a numpy array of pprec.arrival_dtype (pprec.arrivals() makes one)")
    if given.ndim != 1 or not given.flags.c_contiguous or not given.flags.aligned:
        raise InvalidError("arrivals must lie one behind the other, in one dimension (numpy.ascontiguousarray())")
    return given

# SPDX-License-Identifier: BSD-3-Clause
"""Rows of the library's structs as Arrow tables, whose columns are those of pprec --json.

Columns come from the structs as they were at build: a field that the library gains is a column by
itself. Named here is only what JSON calls otherwise.
"""
from __future__ import annotations

from typing import Any, Dict, List, Optional

import numpy as np
import pyarrow as pa

from . import words
from ._library import ffi, lib
from .layout import UNKNOWN_NS, dtype_of, enum_of, fields_of

Rows = np.ndarray[Any, np.dtype[Any]]
Columns = Dict[str, pa.Array]

# Fields that JSON has another name for. Times since 1970 become timestamps.
_NAMES = {
    "size_bytes": "size", "departure_span_ns": "departure_ns", "time_to_converge_ns": "time_to_converge_s",
    "time_ns": "time", "first_ns": "first", "last_ns": "last", "newest_ns": "newest",
    "capacity.trains": "estimate_trains", "capacity.newest_ns": "estimate_newest",
    "available.trains": "available_trains", "available.newest_ns": "available_newest",
}
_TIMES = {"time_ns", "first_ns", "last_ns", "newest_ns"}
# Counts that tell nothing where they are 0.
_KNOWN_FROM_1 = {"seen_bytes", "flows", "lossless_train", "load_hops", "marker_hops", "hops_left"}
# Counts by numbers, which packets of plain flows do not have.
_NUMBERED = ("lost", "duplicate", "reordered", "late")
# Structs inside whose fields go by their own names; those of others get the struct's before them where the
# name is taken.
_PLAIN = ("counts", "capacity")
# Not for people: what later versions put there, and pointers.
_LEFT_OUT = {"reserved"}


def _dictionary(indices: Rows, texts: List[Optional[str]]) -> pa.Array:
    """Words by number; of a text that is None the value is null."""
    known = list(dict.fromkeys(text for text in texts if text))
    place = {text: i for i, text in enumerate(known)}
    turned = np.array([place.get(text or "", -1) for text in texts], dtype=np.int32)[indices]
    return pa.DictionaryArray.from_arrays(pa.array(turned, mask=turned < 0), pa.array(known, pa.string()))


def _distinct(values: Rows) -> Any:
    """Distinct elements, as bytes, and which one each is. A stretch of equal ones is looked at once."""
    whole = np.ascontiguousarray(values).view("V%d" % values.dtype.itemsize)
    if len(whole) == 0:
        return [], np.zeros(0, np.int64)
    first = np.ones(len(whole), bool)
    plain = whole.view(np.uint8).reshape(len(whole), -1)
    first[1:] = (plain[1:] != plain[:-1]).any(axis=1)
    number: Dict[bytes, int] = {}
    of_run = np.array([number.setdefault(bytes(run), len(number)) for run in whole[first]])
    return list(number), of_run[np.cumsum(first) - 1]


def _endpoints(values: Rows) -> pa.Array:
    distinct, indices = _distinct(values)
    texts: List[Optional[str]] = [
        words.endpoint_text(ffi.from_buffer("struct pprec_endpoint *", raw)) for raw in distinct]
    return _dictionary(indices, texts)


def _streams(values: Rows) -> pa.Array:
    distinct, indices = np.unique(values, return_inverse=True)
    return _dictionary(indices, ["%08x" % value for value in distinct])


def _enum(enum: str, values: Rows) -> pa.Array:
    distinct, indices = np.unique(values, return_inverse=True)
    texts: List[Optional[str]] = [words.word(enum, int(value)) for value in distinct]
    return _dictionary(indices, texts)


def _plain(name: str, values: Rows) -> pa.Array:
    if values.dtype.kind == "f":
        rate_or_size = name.endswith(("_bps", "_bytes"))
        return pa.array(values, mask=~(np.isfinite(values) & (values > 0)) if rate_or_size else None)
    unknown = values == UNKNOWN_NS if values.dtype == np.int64 else None
    if name in _KNOWN_FROM_1:
        unknown = values == 0
    if name in _TIMES:
        return pa.array(values, mask=unknown).cast(pa.timestamp("ns", "UTC"))
    if name == "time_to_converge_ns":
        return pa.array(values / 1e9, mask=unknown)
    return pa.array(values, mask=unknown)


def _free(name: str, rows: Rows) -> pa.Array:
    """Of what is free, and the buffer: nothing may be free, and that is known."""
    if name == "buffer_full":
        return pa.array(rows[name] != 0, mask=~(rows["buffer_bytes"] > 0))
    return pa.array(rows[name], mask=(rows["state"] == 0) | ~np.isfinite(rows[name]))


def _column(struct: str, name: str, ctype: Any, values: Rows) -> pa.Array:
    enum = enum_of(struct, name)
    if enum and words.spells(enum):
        return _enum(enum, values)
    if ctype.kind == "struct":
        return _endpoints(values)
    if name == "stream":
        return _streams(values)
    return _plain(name, values)


def _name(columns: Columns, member: str, name: str) -> str:
    named = _NAMES.get("%s.%s" % (member, name)) or _NAMES.get(name, name)
    if named in columns or member == "was":
        named = "%s_%s" % (member, named)
    return named


def columns_of(struct: str, rows: Rows, columns: Optional[Columns] = None, member: str = "") -> Columns:
    """The columns of rows of a struct; nested structs become columns of their own."""
    columns = {} if columns is None else columns
    nested = []
    for name, ctype in fields_of(struct):
        if name in _LEFT_OUT or ctype.kind in ("pointer", "function", "array"):
            continue
        if ctype.kind == "struct" and ctype.cname != "struct pprec_endpoint":
            nested.append((name, ctype))
        else:
            free = struct == "pprec_available" and name in ("available_bps", "low_bps", "buffer_full")
            columns[_name(columns, member, name)] = (
                _free(name, rows) if free else _column(struct, name, ctype, rows[name]))
    for name, ctype in sorted(nested, key=lambda of: _PLAIN.index(of[0]) if of[0] in _PLAIN else len(_PLAIN)):
        columns_of(ctype.cname.replace("struct ", ""), rows[name], columns, name)
    if struct == "pprec_summary":
        for name in _NUMBERED:
            columns[name] = pa.array(rows["counts"][name], mask=rows["kind"] == lib.PPREC_KIND_FLOW)
    return columns


def trains(rows: Rows) -> Columns:
    """Of struct sink_train."""
    columns = columns_of("pprec_train", rows["train"])
    columns["lost"] = pa.array(rows["train"]["sent"] - rows["train"]["received"],
                               mask=rows["train"]["kind"] == lib.PPREC_KIND_FLOW)
    return columns


def packets(rows: Rows, train_rows: Rows) -> Columns:
    """Of struct sink_packet; train_rows: of struct sink_train, all that they are of."""
    columns: Columns = {}
    whose = train_rows["train"][rows["train_row"]]
    for name in ("source", "stream", "train", "file"):
        columns[name] = _column("pprec_train", name, dict(fields_of("pprec_train"))[name], whose[name])
    columns_of("pprec_packet", rows["packet"], columns)
    columns["time"] = pa.array(whose["time_ns"] + rows["packet"]["offset_ns"]).cast(pa.timestamp("ns", "UTC"))
    return columns


def empty(struct: str) -> Rows:
    return np.empty(0, dtype_of(struct))

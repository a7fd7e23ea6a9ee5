# SPDX-License-Identifier: BSD-3-Clause
"""Captures in, Arrow tables out."""
from __future__ import annotations

import errno
import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Union

import pyarrow as pa
import pyarrow.compute as pc

from . import tables, words
from ._library import ffi, lib, text
from .errors import DamagedError, Error, InvalidError, NothingFoundError, OutOfMemoryError, in_range
from .handle import ALL, Handle
from .layout import Rows, fields_of

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Unpack

    from .settings import Settings

Capture = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview]

# Rows become columns after so many packets: a row of the library's is five times as large.
PACKETS_A_TURN = 1 << 20


class Frames(NamedTuple):
    """The tables of a Reading as frames of pandas."""

    trains: pd.DataFrame
    summaries: pd.DataFrame
    packets: Optional[pd.DataFrame]
    changes: Optional[pd.DataFrame]
    files: pd.DataFrame


@dataclass(frozen=True)
class Reading:
    """What captures told, as Arrow tables; column `file` says which told it, as it was named.

    trains, summaries: a row each, the columns those of pprec --json; a summary's `file_last` is where its stream ended,
    of files read together. packets: of each train, where they were
    asked for; changes: of the estimates, likewise. files: a row a capture, with counts and, where it could
    not be read to its end, `reason`; `passing` marks what may be well another time."""

    trains: pa.Table
    summaries: pa.Table
    packets: Optional[pa.Table]
    changes: Optional[pa.Table]
    files: pa.Table

    @property
    def failures(self) -> pa.Table:
        """The rows of files that could not be read, or not to their end."""
        return self.files.filter(self.files["reason"].is_valid())

    def to_pandas(self) -> Frames:
        """The same as frames; words become categories, what is unknown is missing."""
        return Frames(self.trains.to_pandas(), self.summaries.to_pandas(),
                      None if self.packets is None else self.packets.to_pandas(),
                      None if self.changes is None else self.changes.to_pandas(), self.files.to_pandas())


class Part(NamedTuple):
    """What a stretch of a capture told, by kind."""

    trains: tables.Columns
    packets: Optional[tables.Columns]
    changes: Optional[tables.Columns]


def is_capture(name: Union[str, os.PathLike[str]]) -> bool:
    """Whether a file begins as a capture does, compressed or not, whatever it is called. What cannot be read is
    taken for one, so that it is told."""
    return bool(lib.pprec_is_capture(os.fsencode(name)) != 0)


def find(paths: Union[Capture, Iterable[Capture]]) -> List[Capture]:
    """Captures by name, by directory (all in it and below it, in the order of names), or as the bytes of one."""
    several = [paths] if isinstance(paths, (str, os.PathLike, bytes, bytearray, memoryview)) else list(paths)
    found: List[Capture] = []
    for path in several:
        if isinstance(path, (bytes, bytearray, memoryview)) or not os.path.isdir(path):
            found.append(path)
        else:
            found += sorted(str(file) for file in Path(path).rglob("*") if file.is_file() and is_capture(file))
    return found


@contextmanager
def _named(capture: Capture) -> Iterator[str]:
    """A name by which the library can open it: what is in memory has one while it is read."""
    if not isinstance(capture, (bytes, bytearray, memoryview)):
        yield os.fspath(capture)
        return
    file = os.memfd_create("capture", os.MFD_CLOEXEC)
    try:
        left = memoryview(capture).cast("B")
        while len(left) > 0:
            left = left[os.write(file, left):]
        yield "/proc/self/fd/%d" % file
    finally:
        os.close(file)


class Reader:
    """One handle over one capture, or several in sequence: parts() to its end, then the rest."""

    def __init__(self, names: Sequence[str], *, packets: bool, changes: bool, port: int, bpf: Optional[str],
                 settings: Any) -> None:
        keep = {"trains", "summaries"} | ({"packets"} if packets else set()) | ({"changes"} if changes else set())
        self._keep = keep
        self._handle = Handle(keep, ALL, settings)
        self.damage: List[str] = []
        options = ffi.new("struct pprec_capture_options *")
        lib.pprec_capture_options_init_sized(options, ffi.sizeof(options[0]))
        files = [ffi.new("char[]", os.fsencode(name)) for name in names]
        alive = [files, ffi.new("char *[]", [*files, ffi.NULL]), ffi.new("char[]", bpf.encode()) if bpf else ffi.NULL]
        self._handle.alive.append(alive)
        options.files, options.filter = alive[1], alive[2]
        with in_range("port"):
            options.port = port
        try:
            self._handle.call(lib.pprec_open_capture, options)
        except DamagedError as error:  # the first file; others may follow
            self.damage.append(str(error))

    def parts(self) -> Iterator[Part]:
        """Tells as it reads, so that no more than a stretch is in memory at a time."""
        more = True
        while more:
            try:
                more = self._handle.call(lib.pprec_dispatch, PACKETS_A_TURN) > 0
            except DamagedError as error:
                self.damage.append(str(error))
            if not more:
                self._handle.call(lib.pprec_finish)
            yield self._part()
        if self._handle.missed():
            raise OutOfMemoryError("no memory for %d rows" % self._handle.missed())

    def _part(self) -> Part:
        packets = self._handle.take("packets") if "packets" in self._keep else None
        before = int(self._handle.sink.of[lib.SINK_TRAINS].taken)
        trains = self._handle.take("trains")
        if packets is not None:
            packets["train_row"] -= before
        return Part(tables.trains(trains), None if packets is None else tables.packets(packets, trains),
                    tables.columns_of("pprec_change", self._handle.take("changes"))
                    if "changes" in self._keep else None)

    def summaries(self) -> tables.Columns:
        """A row a stream that has measured; columns refused_... are of the whole capture."""
        handle = self._handle.open_handle()
        return _summaries(self._handle.take("summaries"),
                          [int(lib.pprec_refused(handle, reason)) for reason in range(lib.PPREC_REASONS)])

    def counts(self) -> Dict[str, int]:
        """Records of the capture by what became of them; bytes read."""
        handle = self._handle.open_handle()
        counts = ffi.new("struct pprec_capture_counts *")
        lib.pprec_get_capture_counts_sized(handle, counts, ffi.sizeof(counts[0]))
        told = {name: _total(getattr(counts, name)) for name, _ in fields_of("pprec_capture_counts")}
        return {"bytes": int(lib.pprec_capture_bytes(handle)), **told, "foreign": int(lib.pprec_foreign(handle))}

    def close(self) -> None:
        self._handle.close()


def _total(count: Any) -> int:
    """A count, or those of all kinds together, as of tunnels."""
    return sum(count) if isinstance(count, ffi.CData) else int(count)


def _summaries(rows: Rows, refused: Sequence[int]) -> tables.Columns:
    columns = tables.columns_of("pprec_summary", rows)
    for reason, count in enumerate(refused):
        columns["refused_" + words.word("pprec_reason", reason)] = pa.repeat(pa.scalar(count, pa.uint64()), len(rows))
    return columns


def _label(capture: Capture) -> str:
    return "<bytes>" if isinstance(capture, (bytes, bytearray, memoryview)) else os.fspath(capture)


def _named_files(table: pa.Table, labels: Sequence[str]) -> pa.Table:
    """With `file` in front, by name: the library's number of it, or, where rows have none, of the only one."""
    one = pa.array([0 if len(labels) == 1 else None] * table.num_rows, pa.uint32())
    numbers = {name: table[name].combine_chunks() if name in table.column_names else one
               for name in ("file", "first_file", "last_file")}
    has_both = "first_file" in table.column_names
    table = table.drop_columns([name for name in numbers if name in table.column_names])

    def names(number: pa.Array) -> pa.Array:
        return pa.DictionaryArray.from_arrays(number.cast(pa.int32()), pa.array(labels, pa.string()))

    if has_both:
        table = table.append_column("file_last", names(numbers["last_file"]))
    return table.add_column(0, "file", names(numbers["first_file" if has_both else "file"]))


def _add(table: pa.Table, place: int, **constants: str) -> pa.Table:
    """With columns, at a place, that hold one word."""
    for name, word in reversed(list(constants.items())):
        column = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), table.num_rows), pa.array([word]))
        table = table.add_column(place, name, column)
    return table


def _join(parts: List[pa.Table]) -> pa.Table:
    return pa.concat_tables(parts).unify_dictionaries().combine_chunks()


# What may be well another time: the others are the file's own.
PASSING = {errno.ENOENT, errno.EACCES, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ESTALE, errno.ETIMEDOUT}


def _file_row(label: str, counts: Dict[str, int], trains: int, summaries: int, damage: List[str],
              failure: Optional[Exception]) -> pa.Table:
    number = getattr(failure, "errno", None)
    passing = number in PASSING or isinstance(failure, MemoryError)
    reason = "; ".join(damage) or (str(failure) if failure is not None else None)
    kind = type(failure).__name__ if failure is not None else "DamagedError" if damage else None
    columns = {name: pa.array([count], pa.uint64()) for name, count in counts.items()}
    return pa.table({"file": [label], **columns, "trains": pa.array([trains], pa.uint64()),
                     "streams": pa.array([summaries], pa.uint64()), "error": pa.array([kind], pa.string()),
                     "reason": pa.array([reason], pa.string()), "passing": pa.array([passing])})


def _no_part(packets: bool, changes: bool) -> Part:
    rows = tables.empty("sink_train")
    return Part(tables.trains(rows), tables.packets(tables.empty("sink_packet"), rows) if packets else None,
                tables.columns_of("pprec_change", tables.empty("pprec_change")) if changes else None)


def _no_counts() -> Dict[str, int]:
    return {name: 0 for name in ("bytes", *(name for name, _ in fields_of("pprec_capture_counts")), "foreign")}


def _reading(labels: Sequence[str], parts: List[Part], summaries: tables.Columns, settings: Any, counts: Dict[str, int],
             damage: List[str], failure: Optional[Exception]) -> Reading:
    layer, chosen = settings.get("layer", "l2"), settings.get("filter", text(lib.pprec_filter_name(0)))
    made = [_named_files(_join([pa.table(part[kind]) for part in parts]), labels) if parts[0][kind] is not None
            else None for kind in range(3)]
    table = _add(_named_files(pa.table(summaries), labels), 1, layer=str(layer), filter=chosen)
    trains = made[0]
    assert trains is not None
    files = _file_row(labels[0], counts, trains.num_rows, table.num_rows, damage, failure)
    return Reading(trains, table, made[1], made[2], files)


def nothing() -> Reading:
    """Of no capture: the tables with all their columns, and a row in `files`."""
    summaries = _summaries(tables.empty("pprec_summary"), [0] * lib.PPREC_REASONS)
    return _reading([""], [_no_part(True, True)], summaries, {}, _no_counts(), [], None)


def read_one(captures: Sequence[Capture], labels: Sequence[str], *, packets: bool = False, changes: bool = False, port: int = 0,
             bpf: Optional[str] = None, **settings: Any) -> Reading:
    """One handle over the captures, in sequence. What cannot be read is in `files`: settings and a filter that
    cannot be raise InvalidError all the same."""
    parts, failure, reader = [_no_part(packets, changes)], None, None
    summaries = _summaries(tables.empty("pprec_summary"), [0] * lib.PPREC_REASONS)
    counts = _no_counts()
    damage: List[str] = []
    try:
        with contextmanager(_all_named)(captures) as names:
            reader = Reader(names, packets=packets, changes=changes, port=port, bpf=bpf, settings=settings)
            parts += reader.parts()
            summaries = reader.summaries()
    except (Error, OSError) as error:
        if isinstance(error, ValueError):
            raise
        failure = error
    if reader is not None:
        damage = reader.damage
        counts = reader.counts()
        reader.close()
    return _reading(labels, parts, summaries, settings, counts, damage, failure)


def _all_named(captures: Sequence[Capture]) -> Iterator[List[str]]:
    if not captures:
        yield []
        return
    with _named(captures[0]) as name:
        for rest in _all_named(captures[1:]):
            yield [name, *rest]


def concat(readings: Sequence[Reading]) -> Reading:
    """Several as one, in their order."""
    def joined(tables_: List[Optional[pa.Table]]) -> Optional[pa.Table]:
        return None if tables_[0] is None else _join([table for table in tables_ if table is not None])

    return Reading(joined([r.trains for r in readings]), joined([r.summaries for r in readings]),
                   joined([r.packets for r in readings]), joined([r.changes for r in readings]),
                   joined([r.files for r in readings]))


def _warn_of_both_sides(reading: Reading) -> None:
    """Where two files, each read by itself, have the same trains of a sender that numbers them. Rotated ones share one at
    most, at their border."""
    summaries = reading.summaries.select(["kind", "stream"])
    probes = set(summaries.filter(pc.equal(summaries["kind"], "probe"))["stream"].to_pylist())
    trains = reading.trains.filter(pc.is_in(reading.trains["stream"], value_set=pa.array(list(probes), pa.string())))
    files = trains["file"].combine_chunks()
    rows = trains.select(["source", "stream", "train"]).append_column("number", files.indices)
    spans = rows.group_by(["source", "stream", "train"]).aggregate([("number", "min"), ("number", "max")])
    twice = spans.filter(pc.not_equal(spans["number_min"], spans["number_max"]))
    shared = twice.group_by(["source", "stream", "number_min", "number_max"]).aggregate([("train", "count")])
    shared = shared.filter(pc.greater(shared["train_count"], 1))
    if shared.num_rows == 0:
        return
    names, first = files.dictionary.to_pylist(), shared.slice(0, 1).to_pylist()[0]
    warnings.warn("%s has stream %s again after %s, and both are told%s: of captures of both sides read the receiver's alone"
                  % (names[first["number_max"]], first["stream"], names[first["number_min"]],
                     ", as %d more" % (shared.num_rows - 1) if shared.num_rows > 1 else ""), stacklevel=3)


def read(paths: Union[Capture, Iterable[Capture]], *, packets: bool = False, changes: bool = False,
         together: bool = False, jobs: int = 1, errors: str = "raise", port: int = 0, bpf: Optional[str] = None,
         **settings: Unpack[Settings]) -> Reading:
    """Reads captures, by name, by directory or as bytes, and returns what pprec tells of them.

    packets, changes: whether to keep the packets of trains, and the changes of estimates. together: the files
    are one capture that was rotated, and streams go on from one to the next, once, if captures of both sides of a path
    have them; else each is by itself, and both sides count, as with pprec -j. jobs: files
    read side by side; the order of rows is that of the files all the same. port, bpf: as of pprec -p and -f.
    errors: "raise" raises the first failure, when all was read, with what was read as its attribute `reading`;
    "keep" leaves failures to Reading.failures. settings: pprec.Settings."""
    if errors not in ("raise", "keep"):
        raise InvalidError("errors: '%s' is neither raise nor keep" % errors)
    found = find(paths)
    if not found:
        raise NothingFoundError("no capture in %r" % (paths,))

    def one(several: Sequence[Capture]) -> Reading:
        return read_one(several, [_label(of) for of in several], packets=packets, changes=changes, port=port, bpf=bpf, **settings)

    work: List[Sequence[Capture]] = [found] if together else [[capture] for capture in found]
    if jobs > 1:
        with ThreadPoolExecutor(jobs) as pool:
            reading = concat(list(pool.map(one, work)))
    else:
        reading = concat([one(several) for several in work])
    if len(work) > 1:
        _warn_of_both_sides(reading)
    failures = reading.failures
    if errors == "raise" and failures.num_rows:
        raise _failure(failures, reading)
    return reading


def _failure(failures: pa.Table, reading: Reading) -> Error:
    kind, said = failures["error"][0].as_py(), failures["reason"][0].as_py()
    known = {of.__name__: of for of in Error.__subclasses__()}
    made = known.get(kind, Error)(said)
    made.reading = reading
    return made

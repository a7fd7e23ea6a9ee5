# SPDX-License-Identifier: BSD-3-Clause
"""What one capture leaves in an archive: the same from one machine (pprec.archive) and from many (pprec.spark).

    ROOT/trains/day=2026-11-22/file=NAME-0123456789ab/...parquet
    ROOT/summaries/day=.../file=.../...parquet
    ROOT/failures/file=.../...parquet        the reason why a capture could not be read, or not to its end
    ROOT/done/...parquet                     a row each time that a capture was done

Types are those that every reader of Parquet has: signed integers, plain strings, times in microseconds, and
time_ns where nanoseconds count."""
from __future__ import annotations

import hashlib
import re
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ._library import header_digest, loaded
from .captures import Capture, Reading, read_one
from .words import sure_states

Scalar = Union[str, int, float, bool, None]

# Of the estimate a stream goes on with: less is what the trains scatter by.
CHANGE = 0.1

DONE = pa.schema([
    ("path", pa.string()), ("bytes", pa.int64()), ("modified", pa.timestamp("us", "UTC")), ("recipe", pa.string()),
    ("digest", pa.string()), ("file", pa.string()), ("days", pa.list_(pa.string())), ("trains", pa.int64()),
    ("streams", pa.int64()), ("packets", pa.int64()), ("seconds", pa.float64()), ("error", pa.string()),
    ("reason", pa.string()), ("passing", pa.bool_())])


class Listed(NamedTuple):
    """A capture as its store lists it."""

    path: str
    bytes: int
    modified_us: int


class Measured(NamedTuple):
    """Tables with the columns `day` and `file`, which are directories of the archive; done is a row of DONE."""

    trains: pa.Table
    summaries: pa.Table
    done: Dict[str, Any]


def file_key(path: str) -> str:
    """A name for the partition: that of the file, and enough to tell it from others of that name."""
    name = re.sub(r"[^A-Za-z0-9._-]", "_", path.rstrip("/").rpartition("/")[2])[:80]
    return "%s-%s" % (name, hashlib.sha256(path.encode()).hexdigest()[:12])


def recipe(settings: Mapping[str, Any]) -> str:
    """Tells one way to measure from another: what was done otherwise is done again."""
    said = repr((loaded, header_digest, sorted(settings.items())))
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def _plain_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_unsigned_integer(kind):
        return pa.int64()
    return pa.timestamp("us", "UTC") if pa.types.is_timestamp(kind) else kind


def _plain(table: pa.Table) -> pa.Table:
    for name in ("time", "first", "last"):
        if name in table.column_names:
            table = table.append_column(name + "_ns", table[name].cast(pa.int64()))
    return pa.table({field.name: table[field.name].cast(_plain_type(field.type), safe=False)
                     for field in table.schema})


def _days(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.strftime(column.cast(pa.timestamp("s", "UTC"), safe=False), "%Y-%m-%d")


def _keys(table: pa.Table) -> List[Tuple[str, str]]:
    return list(zip(table["source"].to_pylist(), table["stream"].to_pylist()))


def moves(capacity_bps: np.ndarray[Any, Any]) -> int:
    """How often an estimate left where it was, by more than CHANGE, and settled elsewhere."""
    count, left = 0, capacity_bps
    while len(left) > 0:
        away = np.flatnonzero(np.abs(left / left[0] - 1) > CHANGE)
        if len(away) == 0:
            break
        count, left = count + 1, left[away[0]:]
    return count


def _decided(trains: pa.Table, summaries: pa.Table) -> pa.Table:
    """What the trains say of each stream's estimates: how many were decided, first and last, and its moves."""
    sure = trains.filter(pc.is_in(trains["state"], pa.array(sure_states())))
    order: Dict[Tuple[str, str], List[float]] = {key: [] for key in _keys(summaries)}
    for key, bps in zip(_keys(sure), sure["capacity_bps"].to_pylist()):
        if bps is not None and key in order:
            order[key].append(bps)
    told = list(order.values())
    columns: Dict[str, Tuple[List[Scalar], pa.DataType]] = {
        "decided": ([len(of) for of in told], pa.int64()),
        "decided_first_bps": ([of[0] if of else None for of in told], pa.float64()),
        "decided_last_bps": ([of[-1] if of else None for of in told], pa.float64()),
        "changes": ([moves(np.array(of)) for of in told], pa.int64())}
    for name, (values, kind) in columns.items():
        summaries = summaries.append_column(name, pa.array(values, kind))
    return summaries


def _destinations(trains: pa.Table, summaries: pa.Table) -> pa.Array:
    known = dict(zip(_keys(summaries), summaries["destination"].to_pylist()))
    return pa.array([known.get(key) for key in _keys(trains)], pa.string())


def tables_of(reading: Reading) -> Tuple[pa.Table, pa.Table]:
    """Trains and summaries as the archive has them."""
    trains, summaries = (_plain(table.rename_columns(["path", *table.column_names[1:]]))
                         for table in (reading.trains, reading.summaries))
    summaries = _decided(trains, summaries)
    trains = trains.append_column("destination", _destinations(trains, summaries))
    key = file_key(reading.files["file"][0].as_py())
    return (_placed(trains, "time", key), _placed(summaries, "first", key))


def _placed(table: pa.Table, when: str, key: str) -> pa.Table:
    """With the directories that its rows belong in."""
    return (table.append_column("day", _days(table[when]))
            .append_column("file", pa.repeat(pa.scalar(key), table.num_rows)))


def measure(listed: Listed, capture: Capture, settings: Mapping[str, Any], *, digest: Optional[str] = None,
            seconds: float = 0.0) -> Measured:
    """Reads one capture. What is wrong with it is told, not raised; `passing` marks what may be well another time."""
    options: Dict[str, Any] = dict(settings)
    reading = read_one([capture], [listed.path], **options)
    trains, summaries = tables_of(reading)
    row = reading.files.to_pylist()[0]
    days = sorted(set(trains["day"].to_pylist()) | set(summaries["day"].to_pylist()))
    return Measured(trains, summaries, done_row(
        listed, settings, digest=digest, days=days, trains=row["trains"], streams=row["streams"],
        packets=row["packets"], seconds=seconds, error=row["error"], reason=row["reason"], passing=row["passing"]))


def done_row(listed: Listed, settings: Mapping[str, Any], *, error: Optional[str], reason: Optional[str],
             **told: Any) -> Dict[str, Any]:
    """A row of DONE."""
    row = dict.fromkeys(DONE.names, None)
    row.update(path=listed.path, bytes=listed.bytes, modified=listed.modified_us, recipe=recipe(settings),
               file=file_key(listed.path), days=[], trains=0, streams=0, packets=0, seconds=0.0, error=error,
               reason=reason, passing=False)
    row.update(told)
    return row


def schemas() -> Tuple[pa.Schema, pa.Schema]:
    """Of trains and of summaries, as measure() gives them."""
    from .captures import nothing
    trains, summaries = tables_of(nothing())
    return trains.schema, summaries.schema


def report_of(summaries: Any) -> Any:
    """A frame of the summaries of one path, in a frame of a row a month: of what streams began in it.

    capacity is the median over streams that were decided at their end, in the order of time; changes are those
    inside streams and those from one to the next; decided_share is the share of trains after which it was decided."""
    import pandas as pd
    frame = summaries.sort_values(["first_ns", "path", "stream"])
    decided = frame[frame["decided"] > 0]
    jumps = (decided["decided_first_bps"] / decided["decided_last_bps"].shift() - 1).abs() > CHANGE
    frame = frame.assign(month=frame["day"].astype(str).str[:7],
                         jumps=jumps.reindex(frame.index, fill_value=False).astype("int64"),
                         sure_bps=frame["capacity_bps"].where(frame["state"].isin(sure_states())))
    rows = []
    for month, of in frame.groupby("month"):
        trains = int(of["trains"].sum())
        rows.append({
            "source": of["source_address"].iloc[0], "destination": of["destination_address"].iloc[0], "month": month,
            "files": int(of["path"].nunique()), "streams": len(of), "trains": trains,
            "decided_share": float(of["decided"].sum()) / trains if trains else 0.0,
            "capacity_bps": of["sure_bps"].median(), "capacity_low_bps": of["sure_bps"].min(),
            "capacity_high_bps": of["sure_bps"].max(),
            "changes": int(of["changes"].sum() + of["jumps"].sum())})
    return pd.DataFrame(rows, columns=list(REPORT))


# Columns of the report, with Spark's names of their types.
REPORT = {"source": "string", "destination": "string", "month": "string", "files": "bigint", "streams": "bigint",
          "trains": "bigint", "decided_share": "double", "capacity_bps": "double", "capacity_low_bps": "double",
          "capacity_high_bps": "double", "changes": "bigint"}

# What the report reads of the summaries.
REPORT_READS = ["path", "day", "stream", "source", "destination", "first_ns", "trains", "decided", "decided_first_bps",
                "decided_last_bps", "changes", "capacity_bps", "state"]


# Leaves of an endpoint its address: ports are others each time that a program runs.
PORT = ":[0-9]+$"

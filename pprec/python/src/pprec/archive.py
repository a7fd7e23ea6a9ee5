# SPDX-License-Identifier: BSD-3-Clause
"""An archive of captures on one machine: Parquet of trains and summaries, and what was not done yet is done.

    pprec-archive --to ARCHIVE [--jobs N] CAPTURE|DIRECTORY ...
    pprec-archive --to ARCHIVE --report

pprec.spark does the same on many machines, into the same tables."""
from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from . import store
from .captures import find
from .errors import NothingFoundError
from .store import DONE, Listed, Measured

# Of a batch the table of what was done is written once: so much is done again after a crash.
BATCH = 1000


def listed(path: str) -> Listed:
    """OSError where there is no such file."""
    status = os.stat(path)
    return Listed(os.path.abspath(path), status.st_size, status.st_mtime_ns // 1000)


def done_before(root: Path) -> List[Dict[str, Any]]:
    """Rows of DONE, the newest of a path last."""
    files = sorted((root / "done").glob("*.parquet"))
    return [row for file in files for row in pq.read_table(file, schema=DONE).to_pylist()]


def _same(row: Mapping[str, Any], file: Listed, recipe: str) -> bool:
    modified_us = round(row["modified"].timestamp() * 1e6)
    return (row["bytes"], modified_us, row["recipe"]) == (file.bytes, file.modified_us, recipe) and not row["passing"]


def _write(table: pa.Table, place: Path) -> None:
    """Whole or not at all: readers pass over names that begin with a dot."""
    place.parent.mkdir(parents=True, exist_ok=True)
    written = place.with_name("." + place.name)
    pq.write_table(table, written, compression="zstd")
    os.replace(written, place)


def _forget(root: Path, key: str, days: Iterable[str]) -> None:
    """Takes out what an earlier version of a capture left."""
    for day in days:
        for name in ("trains", "summaries"):
            shutil.rmtree(root / name / ("day=" + day) / ("file=" + key), ignore_errors=True)
    shutil.rmtree(root / "failures" / ("file=" + key), ignore_errors=True)


def _put(root: Path, name: str, table: pa.Table, key: str) -> None:
    for day in sorted(set(table["day"].to_pylist())):
        rows = table.filter(pc.equal(table["day"], day)).drop_columns(["day", "file"])
        _write(rows, root / name / ("day=" + day) / ("file=" + key) / "part.parquet")


def put(root: Path, measured: Measured, days_before: Iterable[str]) -> None:
    """Replaces what the archive has of one capture."""
    key = measured.done["file"]
    _forget(root, key, days_before)
    _put(root, "trains", measured.trains, key)
    _put(root, "summaries", measured.summaries, key)
    if measured.done["reason"] is not None:
        failure = pa.Table.from_pylist([measured.done], schema=DONE).drop_columns(["file"])
        _write(failure, root / "failures" / ("file=" + key) / "part.parquet")


def _digest(path: str) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def _one(work: Tuple[str, Listed, Mapping[str, Any], Optional[Mapping[str, Any]]]) -> Dict[str, Any]:
    """In a process of its own. A file that was only touched, whose bytes are those that were done, is not done again."""
    root, file, settings, before = work
    begun = time.monotonic()
    try:
        digest = _digest(file.path)
        recipe = store.recipe(settings)
        if before is not None and not before["passing"] and (before["digest"], before["recipe"]) == (digest, recipe):
            return {**before, "bytes": file.bytes, "modified": file.modified_us, "seconds": 0.0}
        measured = store.measure(file, file.path, settings, digest=digest)
        measured.done["seconds"] = time.monotonic() - begun
        put(Path(root), measured, before["days"] if before is not None else [])
        return measured.done
    except OSError as error:
        return store.done_row(file, settings, error="OSError", reason=str(error), passing=True)


def _work(root: Path, paths: Iterable[str], settings: Mapping[str, Any]) -> Iterator[Any]:
    before = {row["path"]: row for row in done_before(root)}
    recipe = store.recipe(settings)
    for path in paths:
        try:
            file = listed(path)
        except OSError:
            file = Listed(os.path.abspath(path), 0, 0)
        row = before.get(file.path)
        if row is None or not _same(row, file, recipe):
            yield str(root), file, settings, row


def run(captures: Sequence[str], root: str, *, jobs: int = 1,
        tell: Callable[[str], None] = lambda reason: None, **settings: Any) -> Dict[str, int]:
    """Does what is not done. Returns how many captures there are, were done now, and failed of those; tells why these did."""
    place, paths = Path(root), [str(path) for path in find(captures)]
    work = list(_work(place, paths, settings))
    failed = 0
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for begin in range(0, len(work), BATCH):
            batch = work[begin:begin + BATCH]
            chunk = max(1, min(32, len(batch) // (jobs * 4)))
            rows = list(pool.map(_one, batch, chunksize=chunk)) if jobs > 1 else [_one(item) for item in batch]
            reasons = [row["reason"] for row in rows if row["reason"] is not None]
            failed += len(reasons)
            for reason in reasons:
                tell(reason)
            name = "%019d-%08d.parquet" % (time.time_ns(), begin)
            _write(pa.Table.from_pylist(rows, schema=DONE), place / "done" / name)
    return {"captures": len(paths), "done": len(work), "failed": failed}


def table(root: str, name: str) -> pa.Table:
    """A table of the archive: trains, summaries, failures."""
    place = Path(root) / name
    if not any(place.rglob("*.parquet")):
        raise NothingFoundError("%s: nothing there" % place)
    parts: Any = ds.partitioning(pa.schema([(key, pa.string()) for key in (
        ("file",) if name == "failures" else ("day", "file"))]), flavor="hive")
    return ds.dataset(place, format="parquet", partitioning=parts, exclude_invalid_files=False).to_table()


def report(root: str) -> Any:
    """A frame of pandas: a row for each path and month."""
    import pandas as pd
    frame = table(root, "summaries").select(store.REPORT_READS).to_pandas()
    for end in ("source", "destination"):
        frame[end + "_address"] = frame[end].fillna("").str.replace(store.PORT, "", regex=True)
    parts = [store.report_of(of) for _, of in frame.groupby(["source_address", "destination_address"])]
    return pd.concat(parts).sort_values(["source", "destination", "month"], ignore_index=True)


def _arguments(arguments: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="pprec-archive", description="Parquet of what pprec tells of captures.")
    parser.add_argument("captures", nargs="*", metavar="CAPTURE|DIRECTORY")
    parser.add_argument("--to", required=True, metavar="ARCHIVE", help="directory of the tables")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="captures side by side [1]")
    parser.add_argument("--layer", help="what rates count [l2]")
    parser.add_argument("--filter", help="[adaptive]")
    parser.add_argument("--report", action="store_true", help="print a row for each path and month")
    return parser.parse_args(arguments)


def _say(reason: str) -> None:
    print("pprec-archive: %s" % reason, file=sys.stderr)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Exit 0, 1 where captures failed, 2 where nothing could be done."""
    chosen = _arguments(arguments)
    settings = {name: value for name, value in (("layer", chosen.layer), ("filter", chosen.filter)) if value}
    try:
        did = {"failed": 0}
        if chosen.captures:
            did = run(chosen.captures, chosen.to, jobs=chosen.jobs, tell=_say, **settings)
            print("%(captures)d captures, %(done)d done now, %(failed)d of them failed" % did)
        if chosen.report:
            print(report(chosen.to).to_string(index=False))
    except (OSError, ValueError) as error:
        _say(str(error))
        return 2
    return 1 if did["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())

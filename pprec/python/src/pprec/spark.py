# SPDX-License-Identifier: BSD-3-Clause
"""An archive of captures beyond one machine: pprec.archive's tables, made by Spark.

    spark = SparkSession.builder.getOrCreate()
    pprec.spark.run(spark, "s3a://captures/", "s3a://archive/")
    pprec.spark.report(spark, "s3a://archive/").show()

Executors want this package and pyarrow. Captures on a file system that all of them have (file:) are read where they
lie. Of any other store Spark reads them (binaryFile), whole and in memory, and those larger than content_max_bytes
come through pyarrow.fs as a stream, which knows S3, GCS, Azure and HDFS by their addresses.

A run does what is not done: paths whose bytes, time and recipe are not in `done`. Of each batch the tables are
written first and `done` last, and what a capture left before is replaced as a partition, so a run that broke
off is run again and leaves no row twice."""
from __future__ import annotations

import hashlib
import os
import threading
import time
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple
from urllib.parse import unquote, urlparse

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from . import store
from .store import DONE, Listed

ENDINGS = ("pcap", "pcapng", "cap")
COMPRESSED = ("", ".gz", ".zst", ".xz")
PATTERN = "*.{%s}" % ",".join(ending + last for ending in ENDINGS for last in COMPRESSED)

# What a task reads, and what is committed together.
TASK_BYTES = 256 << 20
BATCH_FILES = 20000
CONTENT_MAX_BYTES = 1 << 30


class Run(NamedTuple):
    """What a run did."""

    captures: int
    done: int
    failed: int


# --- On executors ---

@contextmanager
def _local(path: str) -> Iterator[str]:
    """A name under which the library can open a capture of any store."""
    address = urlparse(path)
    if address.scheme in ("", "file"):
        yield unquote(address.path)
        return
    from pyarrow import fs
    system, inside = fs.FileSystem.from_uri(path.replace("s3a://", "s3://", 1))
    stream = system.open_input_stream(inside)
    reading, writing = os.pipe()

    def pump() -> None:
        with os.fdopen(writing, "wb") as pipe:
            try:
                while piece := stream.read(1 << 20):
                    pipe.write(piece)
            except BrokenPipeError:
                pass  # the reader has had enough: the capture is damaged

    pumping = threading.Thread(target=pump, daemon=True)
    pumping.start()
    try:
        yield "/proc/self/fd/%d" % reading
    finally:
        os.close(reading)
        pumping.join()
        stream.close()


def _measured(file: Listed, content: Optional[bytes], settings: Mapping[str, Any]) -> store.Measured:
    begun = time.monotonic()
    try:
        if content is not None:
            measured = store.measure(file, content, settings, digest=hashlib.sha256(content).hexdigest())
        else:
            with _local(file.path) as name:
                measured = store.measure(file, name, settings)
    except Exception as error:  # one capture is no reason to lose a job: it is in the table of failures
        if isinstance(error, ValueError):
            raise
        trains, summaries = store.schemas()
        return store.Measured(trains.empty_table(), summaries.empty_table(), store.done_row(
            file, settings, error=type(error).__name__, reason=str(error), passing=True))
    measured.done["seconds"] = time.monotonic() - begun
    return measured


def _told(measured: store.Measured, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Rows of one capture: each is a train, a summary or what was done, and null of the other two."""
    done = pa.Table.from_pylist([measured.done], schema=DONE)
    for name, table in (("train", measured.trains), ("summary", measured.summaries), ("done", done)):
        for batch in table.to_batches(max_chunksize=50000):
            columns = [pa.StructArray.from_arrays(batch.columns, fields=list(batch.schema)) if field.name == name
                       else pa.nulls(batch.num_rows, field.type) for field in schema]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _schema() -> pa.Schema:
    trains, summaries = store.schemas()
    return pa.schema([(name, pa.struct(list(of))) for name, of in (
        ("train", trains), ("summary", summaries), ("done", DONE))])


def _task(settings: Mapping[str, Any]) -> Any:
    """What mapInArrow runs: batches of captures in, rows of all three kinds out."""
    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        schema = _schema()
        for batch in batches:
            has_content = "content" in batch.schema.names
            for i in range(batch.num_rows):
                path, size, modified = (batch.column(name)[i] for name in ("path", "length", "modificationTime"))
                file = Listed(path.as_py(), size.as_py(), modified.cast(pa.int64()).as_py())
                content = batch.column("content")[i].as_py() if has_content else None
                yield from _told(_measured(file, content, settings), schema)
    return run


# --- On the driver ---

def _listing(spark: SparkSession, source: Sequence[str]) -> DataFrame:
    """Paths, lengths and times: the contents are not read for it."""
    files = (spark.read.format("binaryFile").option("recursiveFileLookup", "true").option("pathGlobFilter", PATTERN)
             .load(list(source)))
    return files.select("path", "length", F.col("modificationTime"))


def _in_store(spark: SparkSession, root: str) -> Tuple[Any, Any]:
    """A path, and the file system that it is in, by what Spark knows of stores."""
    session: Any = spark
    path = session._jvm.org.apache.hadoop.fs.Path(root)
    return path, path.getFileSystem(session._jsc.hadoopConfiguration())


def _exists(spark: SparkSession, root: str) -> bool:
    path, system = _in_store(spark, root)
    return bool(system.exists(path))


def _delete(spark: SparkSession, root: str) -> None:
    path, system = _in_store(spark, root)
    system.delete(path, True)


def _spark_done() -> str:
    return ("path string, bytes bigint, modified timestamp, recipe string, digest string, file string, "
            "days array<string>, trains bigint, streams bigint, packets bigint, seconds double, error string, "
            "reason string, passing boolean")


def done(spark: SparkSession, target: str) -> DataFrame:
    """What was done, the newest row of each path."""
    if not _exists(spark, target + "/done"):
        return spark.createDataFrame([], _spark_done())
    rows = spark.read.schema(_spark_done()).parquet(target + "/done")
    newest = rows.withColumn("place", F.expr("row_number() over (partition by path order by _metadata.file_name desc)"))
    return newest.filter("place = 1").drop("place")


def _pending(files: DataFrame, before: DataFrame, recipe: str) -> DataFrame:
    known = before.filter("not passing").select(
        F.col("path").alias("p"), F.col("bytes").alias("b"), F.col("modified").alias("m"), F.col("recipe").alias("r"))
    same = ((files.path == known.p) & (files.length == known.b) & (files.modificationTime == known.m)
            & (known.r == recipe))
    return files.join(known, same, "left_anti")


def _dealt(pending: Sequence[Any], tasks: int) -> List[List[Any]]:
    """To each task about as many bytes: the largest first, to who has least."""
    hands: List[List[Any]] = [[] for _ in range(tasks)]
    load = [0] * tasks
    for row in sorted(pending, key=lambda row: (-row.length, row.path)):
        least = load.index(min(load))
        hands[least].append(row)
        load[least] += row.length + (1 << 16)
    return [hand for hand in hands if hand]


def _by_path(spark: SparkSession, rows: Sequence[Any]) -> DataFrame:
    total = sum(row.length for row in rows)
    tasks = min(len(rows), max(4 * spark.sparkContext.defaultParallelism, total // TASK_BYTES + 1))
    hands = _dealt(rows, tasks)
    several = spark.sparkContext.parallelize(range(len(hands)), len(hands)).flatMap(lambda i: hands[i])
    return spark.createDataFrame(several, "path string, length bigint, modificationTime timestamp")


def _by_content(spark: SparkSession, rows: Sequence[Any]) -> DataFrame:
    """Spark opens them: a batch for Python holds one, or memory would hold as many as fit a count."""
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1")
    files = spark.read.format("binaryFile").load([row.path for row in rows])
    return files.select("path", "length", "modificationTime", "content")


def _rows(spark: SparkSession, batch: Sequence[Any], settings: Mapping[str, Any], content: Optional[bool],
          content_max_bytes: int) -> DataFrame:
    from pyspark.sql.pandas.types import from_arrow_schema
    schema = from_arrow_schema(_schema(), prefer_timestamp_ntz=False)

    def opened_by_spark(row: Any) -> bool:
        wanted = urlparse(row.path).scheme not in ("", "file") if content is None else content
        return wanted and row.length <= content_max_bytes

    parts = []
    for make, chosen in ((_by_content, [row for row in batch if opened_by_spark(row)]),
                         (_by_path, [row for row in batch if not opened_by_spark(row)])):
        if chosen:
            parts.append(make(spark, chosen).mapInArrow(_task(settings), schema))
    return parts[0] if len(parts) == 1 else parts[0].union(parts[1])


def _forget(spark: SparkSession, target: str, before: Mapping[str, Any], paths: Sequence[str]) -> None:
    """Takes out what earlier versions of these captures left: their days may be others now."""
    for path in paths:
        row = before.get(path)
        if row is None:
            continue
        for day in row.days:
            for name in ("trains", "summaries"):
                _delete(spark, "%s/%s/day=%s/file=%s" % (target, name, day, row.file))
        if row.reason is not None:
            _delete(spark, "%s/failures/file=%s" % (target, row.file))


def _write(rows: DataFrame, target: str, partitions: Tuple[str, ...]) -> None:
    (rows.write.mode("overwrite").option("partitionOverwriteMode", "dynamic").option("compression", "zstd")
     .partitionBy(*partitions).parquet(target))


def _commit(told: DataFrame, target: str) -> Tuple[int, int]:
    """Tables first, `done` last. Returns how many were done, and failed."""
    told = told.persist(StorageLevel.DISK_ONLY)
    try:
        for name, table in (("train", "trains"), ("summary", "summaries")):
            rows = told.filter(F.col(name).isNotNull()).select(name + ".*")
            _write(rows, "%s/%s" % (target, table), ("day", "file"))
        finished = told.filter(F.col("done").isNotNull()).select("done.*").coalesce(1).persist()
        _write(finished.filter("reason is not null"), target + "/failures", ("file",))
        finished.write.mode("append").option("compression", "zstd").parquet(target + "/done")
        counted = finished.agg(F.count("*"), F.count("reason")).first()
        assert counted is not None
        return int(counted[0]), int(counted[1])
    finally:
        told.unpersist()


def run(spark: SparkSession, source: Any, target: str, *, content: Optional[bool] = None,
        content_max_bytes: int = CONTENT_MAX_BYTES, batch_files: int = BATCH_FILES, **settings: Any) -> Run:
    """Does what is not done of the captures below source, one or several addresses.

    content: whether Spark reads the captures; None: it does where executors cannot open the path themselves.
    settings: pprec.Settings. They and the library's version are the recipe: another one does all again."""
    source = [source] if isinstance(source, str) else list(source)
    target = target.rstrip("/")
    files = _listing(spark, source).persist()
    before = done(spark, target).persist()
    pending = sorted(_pending(files, before, store.recipe(settings)).collect(), key=lambda row: str(row.path))
    known: Dict[str, Any] = {}
    if pending:
        paths = spark.createDataFrame([(row.path,) for row in pending], "path string")
        known = {row.path: row for row in before.join(paths, "path").select("path", "file", "days", "reason").collect()}
    finished = failed = 0
    for begin in range(0, len(pending), batch_files):
        batch = pending[begin:begin + batch_files]
        _forget(spark, target, known, [row.path for row in batch])
        counts = _commit(_rows(spark, batch, settings, content, content_max_bytes), target)
        finished, failed = finished + counts[0], failed + counts[1]
    captures = files.count()
    files.unpersist()
    before.unpersist()
    return Run(captures, finished, failed)


def table(spark: SparkSession, target: str, name: str) -> DataFrame:
    """A table of the archive: trains, summaries or failures. Days and files are partitions, by their names."""
    spark.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
    return spark.read.parquet("%s/%s" % (target.rstrip("/"), name))


def report(spark: SparkSession, target: str) -> DataFrame:
    """A row for each path and month: files, streams, trains, share decided, capacity, changes."""
    summaries = table(spark, target, "summaries").select(*store.REPORT_READS)
    for end in ("source", "destination"):
        address = F.regexp_replace(F.coalesce(end, F.lit("")), store.PORT, "")
        summaries = summaries.withColumn(end + "_address", address)
    schema = ", ".join("%s %s" % of for of in store.REPORT.items())
    return (summaries.groupBy("source_address", "destination_address").applyInPandas(store.report_of, schema)
            .orderBy("source", "destination", "month"))

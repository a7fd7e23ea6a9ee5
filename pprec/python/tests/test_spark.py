# SPDX-License-Identifier: BSD-3-Clause
"""Spark on this machine: 1000 captures, damaged ones among them. Without PySpark or Java it is skipped, loudly."""
import os
import shutil
import sys

import pytest

import pprec
from pprec import archive, store

CAPTURES = int(os.environ.get("SPARK_CAPTURES", 1000))


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("java is missing: make deps-spark")
    os.environ["PYSPARK_PYTHON"] = sys.executable  # executors are of this environment, too
    session = (sql.SparkSession.builder.master("local[2]").appName("pprec")
               .config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "4")
               .config("spark.driver.memory", "1g").config("spark.driver.bindAddress", "127.0.0.1")
               .config("spark.driver.host", "127.0.0.1").config("spark.sql.session.timeZone", "UTC")
               .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse"))).getOrCreate())
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def make(tree, room, count):
    """Of the fixtures and the captures of ns-3 in turn, each ninth cut short in its last record; in months of their
    own, as far as directories tell."""
    vectors = tree / "tests/vectors"
    models = [vectors / "same-ethernet.pcap", vectors / "lab-srt-3-over-10.pcap", vectors / "same.pcapng",
              vectors / "lab-tcp-over-10.pcap", vectors / "ns3/forward_none.pcap.gz", vectors / "caplen-absurd.pcap"]
    room.mkdir()
    for i in range(count):
        model = models[i % len(models)]
        content = model.read_bytes()
        place = room / ("m%02d" % (i % 12)) / ("%04d-%s" % (i, model.name))
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(content[:-7] if i % 9 == 4 else content)
    return room


@pytest.fixture(scope="module")
def captures(tree, tmp_path_factory):
    return make(tree, tmp_path_factory.mktemp("many") / "captures", CAPTURES)


@pytest.fixture(scope="module")
def both(spark, captures, tmp_path_factory):
    """The same captures by Spark and by one machine."""
    from pprec import spark as pprec_spark
    roots = [str(tmp_path_factory.mktemp("archives") / name) for name in ("spark", "machine")]
    did = pprec_spark.run(spark, str(captures), roots[0])
    alone = archive.run([captures], roots[1], jobs=2)
    return pprec_spark, roots, did, alone


def rows(table):
    """Without what names the archive's machine: `file:` stands before Spark's paths."""
    return sorted((row["path"].replace("file:", ""), row["time_ns"], row["capacity_bps"] or 0, row["state"],
                   row["source"]) for row in table)


def test_the_same_as_on_one_machine(spark, both):
    pprec_spark, roots, did, alone = both
    assert tuple(did) == (alone["captures"], alone["done"], alone["failed"]) and did.captures == CAPTURES
    assert did.failed > CAPTURES / 9
    told = [row.asDict() for row in pprec_spark.table(spark, roots[0], "trains").select(
        "path", "time_ns", "capacity_bps", "state", "source").collect()]
    assert rows(told) == rows(archive.table(roots[1], "trains").to_pylist())


def test_failures_have_reasons(spark, both):
    pprec_spark, roots, did, _ = both
    failures = pprec_spark.table(spark, roots[0], "failures").collect()
    assert len(failures) == did.failed
    assert all(row.reason and row.error for row in failures)
    assert any("damaged at byte" in row.reason for row in failures)


def test_the_reports_agree(spark, both):
    pprec_spark, roots, _, _ = both
    of_spark = [row.asDict() for row in pprec_spark.report(spark, roots[0]).collect()]
    alone = archive.report(roots[1]).to_dict("records")
    assert len(of_spark) == len(alone) >= 3
    for got, want in zip(of_spark, alone):
        assert {key: value for key, value in got.items() if value == value and value is not None} == pytest.approx(
            {key: value for key, value in want.items() if value == value})


def test_what_is_done_is_not_done_again(spark, both, captures):
    pprec_spark, roots, _, _ = both
    before = pprec_spark.table(spark, roots[0], "trains").count()
    assert pprec_spark.run(spark, str(captures), roots[0]) == (CAPTURES, 0, 0)
    assert pprec_spark.table(spark, roots[0], "trains").count() == before


@pytest.fixture
def few(tree, tmp_path):
    return make(tree, tmp_path / "few", 12)


@pytest.mark.parametrize("content", [True, False])
def test_changed_captures_are_replaced(spark, few, tree, tmp_path, content):
    """Read by Spark, and where they lie; in batches."""
    from pprec import spark as pprec_spark
    root = str(tmp_path / "archive")
    assert pprec_spark.run(spark, str(few), root, content=content, batch_files=5).done == 12
    target = few / "m00" / "0000-same-ethernet.pcap"
    assert pprec_spark.table(spark, root, "trains").filter("path like '%0000-same%'").count() == 5
    shutil.copy(tree / "tests/vectors/lab-rtp-over-10.pcap", target)
    assert pprec_spark.run(spark, str(few), root, content=content).done == 1
    told = pprec_spark.table(spark, root, "trains").filter("path like '%0000-same%'")
    assert {row.day for row in told.collect()} == {"2026-11-21"} and told.count() == 14
    cured = few / "m04" / "0004-forward_none.pcap.gz"
    shutil.copy(tree / "tests/vectors/ns3/forward_none.pcap.gz", cured)
    assert pprec_spark.run(spark, str(few), root, content=content).failed == 0
    failures = {os.path.basename(row.path) for row in pprec_spark.table(spark, root, "failures").collect()}
    assert cured.name not in failures and failures


def test_a_run_that_broke_off_leaves_no_row_twice(spark, few, tmp_path):
    from pprec import spark as pprec_spark
    root = tmp_path / "archive"
    pprec_spark.run(spark, str(few), str(root))
    before = pprec_spark.table(spark, str(root), "trains").count()
    shutil.rmtree(root / "done")
    assert pprec_spark.run(spark, str(few), str(root)).done == 12
    assert pprec_spark.table(spark, str(root), "trains").count() == before


def test_settings_that_cannot_be_are_no_table_of_failures(spark, few, tmp_path):
    from pprec import spark as pprec_spark
    with pytest.raises(Exception, match="layer"):
        pprec_spark.run(spark, str(few), str(tmp_path / "archive"), layer="seven")


def test_a_stream_from_any_store(tree, tmp_path):
    """What is too large for Spark's binaryFile comes through a pipe, also where the capture ends early."""
    pytest.importorskip("pyspark")
    from pprec import spark as pprec_spark
    for name in ("same-ethernet.pcap", "cut-in-record.pcap", "caplen-absurd-in-first.pcap"):
        path = tree / "tests/vectors" / name
        with pprec_spark._local("file://" + str(path)) as here:
            assert here == str(path)
    listed = store.Listed("local:none", 1, 0)
    assert pprec_spark._measured(listed, None, {}).done["passing"] is True
    assert pprec.read((tree / "tests/vectors/same-ethernet.pcap").read_bytes()).trains.num_rows == 5

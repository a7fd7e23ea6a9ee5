# SPDX-License-Identifier: BSD-3-Clause
"""An archive of one machine: what is done is not done again, what changed is, failures have a table."""
import json
import os
import shutil
import subprocess

import pytest

from pprec import archive, store


@pytest.fixture
def captures(tree, tmp_path):
    room = tmp_path / "captures"
    room.mkdir()
    for name in ("same-ethernet.pcap", "lab-srt-3-over-10.pcap", "cut-in-record.pcap", "no-packets.pcap"):
        shutil.copy(tree / "tests/vectors" / name, room)
    return room


def trains(root):
    return archive.table(root, "trains").sort_by([("path", "ascending"), ("time_ns", "ascending")])


def test_what_is_done_is_not_done_again(captures, tmp_path):
    root = str(tmp_path / "archive")
    assert archive.run([captures], root, jobs=2) == {"captures": 4, "done": 4, "failed": 1}
    before = trains(root)
    assert archive.run([captures], root) == {"captures": 4, "done": 0, "failed": 0}
    os.utime(captures / "same-ethernet.pcap")
    assert archive.run([captures], root) == {"captures": 4, "done": 1, "failed": 0}, "touched: looked at"
    assert trains(root) == before
    assert archive.run([captures], root) == {"captures": 4, "done": 0, "failed": 0}
    assert archive.run([captures], root, filter="median")["done"] == 4, "another recipe"
    assert len(trains(root)) == len(before)


def test_what_changed_is_replaced(tree, captures, tmp_path):
    root = str(tmp_path / "archive")
    archive.run([captures], root)
    changed = captures / "same-ethernet.pcap"
    shutil.copy(tree / "tests/vectors/lab-rtp-over-10.pcap", changed)
    assert archive.run([captures], root)["done"] == 1
    days = set(archive.table(root, "trains").filter(
        archive.pc.equal(archive.table(root, "trains")["path"], str(changed)))["day"].to_pylist())
    assert days == {"2026-11-21"}, "what it left on another day is gone"


def test_failures_and_their_cure(tree, captures, tmp_path):
    root = str(tmp_path / "archive")
    archive.run([captures], root)
    failures = archive.table(root, "failures").to_pylist()
    assert [os.path.basename(row["path"]) for row in failures] == ["cut-in-record.pcap"]
    assert "damaged at byte 1368" in failures[0]["reason"] and failures[0]["trains"] == 3
    shutil.copy(tree / "tests/vectors/same-ethernet.pcap", captures / "cut-in-record.pcap")
    archive.run([captures], root)
    with pytest.raises(FileNotFoundError):
        archive.table(root, "failures")


def test_a_run_that_broke_off_leaves_no_row_twice(captures, tmp_path):
    root = tmp_path / "archive"
    archive.run([captures], str(root))
    before = trains(root)
    shutil.rmtree(root / "done")
    archive.run([captures], str(root))
    assert trains(root) == before


def test_the_program(captures, tmp_path, capsys):
    root = str(tmp_path / "archive")
    assert archive.main(["--to", root, str(captures)]) == 1
    told = capsys.readouterr()
    assert "4 captures, 4 done now, 1 of them failed" in told.out
    assert "cut-in-record.pcap: damaged at byte 1368" in told.err and told.err.count("\n") == 1
    assert archive.main(["--to", root, "--report"]) == 0
    told = capsys.readouterr().out
    assert "decided_share" in told and "10.77.0.1" in told
    assert archive.main(["--to", root, str(tmp_path / "none.pcap")]) == 1
    assert "none.pcap" in capsys.readouterr().err
    assert archive.main(["--to", root, str(captures), "--layer", "seven"]) == 2


def decided_share(program, capture):
    run = subprocess.run([program, "--json", "-r", str(capture)], capture_output=True, text=True)
    states = [row["state"] for row in map(json.loads, run.stdout.splitlines()) if row["type"] == "train"]
    return sum(state in ("converged", "shaped", "fair", "policed", "varying") for state in states) / len(states)


def test_the_report(program, captures, tmp_path):
    root = str(tmp_path / "archive")
    archive.run([captures], root)
    report = archive.report(root).set_index("source")
    assert list(report.columns) == [name for name in store.REPORT if name != "source"]
    srt = report.loc["10.77.0.1"]
    assert srt["month"] == "2026-11" and srt["files"] == 1
    assert srt["decided_share"] == decided_share(program, captures / "lab-srt-3-over-10.pcap")
    assert 10.0e6 < srt["capacity_bps"] < 10.1e6


def test_moves():
    import numpy as np
    assert store.moves(np.array([])) == 0
    assert store.moves(np.array([10, 10.5, 9.6, 10.4])) == 0
    assert store.moves(np.array([10, 5, 5.1, 4.9, 10])) == 2


def test_months_and_changes_between_captures():
    import pandas as pd
    rows = [dict(path="f%d" % i, day=day, stream="1", source="a:1", destination="b:2", first_ns=i, trains=10, decided=5,
                 decided_first_bps=bps, decided_last_bps=bps, changes=0, capacity_bps=bps, state="converged",
                 source_address="a", destination_address="b")
            for i, (day, bps) in enumerate([("2026-01-03", 1e7), ("2026-01-30", 1e7), ("2026-02-01", 5e6)])]
    told = store.report_of(pd.DataFrame(rows)).to_dict("records")
    assert [(row["month"], row["changes"], row["capacity_bps"]) for row in told] == [
        ("2026-01", 0, 1e7), ("2026-02", 1, 5e6)]
    assert told[0]["decided_share"] == 0.5

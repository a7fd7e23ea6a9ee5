# SPDX-License-Identifier: BSD-3-Clause
"""read() tells of every capture what pprec tells: each key of its JSON is a column of the same value."""
import json
import subprocess

import pytest

import pprec

# Of the program, not of the capture; `time` of a summary is that of the report. Hops are asked of a Stream.
PROGRAMS_OWN = {"type", "schema", "unlogged", "unshown", "positions", "offsets_ns", "hops", "hops_count", "narrow_hop",
                "narrow_hop_last", "narrow_link_bps", "hops_why", "tight_hop", "tight_hop_last", "tight_link_bps",
                "tight_why"}


def told(program, capture, *options):
    run = subprocess.run([program, "--json", "--packets", "-r", str(capture), *options], capture_output=True, text=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def same(key, want, got):
    if want is None or got is None:
        return want is got
    if key == "time":
        return round(want * 1e9) == pytest.approx(got.value, abs=256)  # a double holds no nanoseconds
    if key == "time_to_converge_s":
        return abs(want - got) < 0.00051
    if isinstance(want, float):
        return abs(want - got) <= 0.051
    return round(got) == want if isinstance(want, int) else got == want


def compare(name, records, rows, leave_out):
    assert len(records) == len(rows), name
    for record, row in zip(records, rows):
        for key, want in record.items():
            if key in leave_out:
                continue
            assert key in row, "%s: %s is no column" % (name, key)
            assert same(key, want, row[key]), "%s: %s is %r, and pprec says %r" % (name, key, row[key], want)


def check(program, capture, *options, **settings):
    records = told(program, capture, *options)
    reading = pprec.read(capture, errors="keep", packets=True, **settings)
    trains = [record for record in records if record["type"] == "train"]
    compare(capture.name, trains, reading.trains.to_pylist(), PROGRAMS_OWN)

    def order(of):
        return of["source"], of["stream"]

    compare(capture.name, sorted((r for r in records if r["type"] == "summary"), key=order),
            sorted(reading.summaries.to_pylist(), key=order), PROGRAMS_OWN | {"time"})
    packets = [pair for train in trains for pair in zip(train["positions"], train["offsets_ns"])]
    assert packets == list(zip(reading.packets["position"].to_pylist(), reading.packets["offset_ns"].to_pylist()))
    return len(trains)


def test_of_the_fixtures(program, fixtures):
    assert len(fixtures) > 40
    assert sum(check(program, capture) for capture in fixtures) > 200


def test_of_ns3(program, ns3):
    assert len(ns3) == 61
    assert sum(check(program, capture) for capture in ns3) > 3000


def test_columns_that_are_no_keys_are_on_the_page(program, tree):
    capture = tree / "tests/vectors/same-ethernet.pcap"
    reading = pprec.read(capture, packets=True)
    page = (tree / "docs/python.md").read_text()
    for kind, table in (("train", reading.trains), ("summary", reading.summaries)):
        keys = set(next(record for record in told(program, capture) if record["type"] == kind))
        for name in (set(table.column_names) ^ keys) - PROGRAMS_OWN:
            assert "`%s`" % name in page, "%s of %s" % (name, kind)
    for name in set(reading.packets.column_names) - set(reading.trains.column_names):
        assert "`%s`" % name in page, name


def test_with_settings(program, tree):
    capture = tree / "tests/vectors/classic.pcap"
    assert check(program, capture, "--classic", "-n", "4", classic=True, train_length=4) > 0
    capture = tree / "tests/vectors/lab-srt-3-over-10.pcap"
    assert check(program, capture, "--layer", "42", "--filter", "median", layer="42", filter="median") > 0

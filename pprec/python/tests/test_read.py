# SPDX-License-Identifier: BSD-3-Clause
"""Captures by name, directory and as bytes; damage; many at once."""
import gzip
import lzma
import shutil
import warnings

import pyarrow as pa
import pytest

import pprec

SAME = "same-ethernet.pcap"


@pytest.fixture
def vectors(tree):
    return tree / "tests/vectors"


def figures(reading):
    return (reading.trains.drop_columns(["file"]), reading.summaries.drop_columns(["file", "file_last"]))


def test_bytes_are_a_capture(vectors):
    assert figures(pprec.read((vectors / SAME).read_bytes())) == figures(pprec.read(vectors / SAME))


def test_a_directory_means_the_captures_in_it(vectors, tmp_path):
    (tmp_path / "deep").mkdir()
    shutil.copy(vectors / SAME, tmp_path / "deep" / "b.pcap")
    shutil.copy(vectors / "same.pcapng", tmp_path / "a")
    (tmp_path / "notes.txt").write_text("no capture")
    reading = pprec.read(tmp_path)
    assert reading.files["file"].to_pylist() == [str(tmp_path / "a"), str(tmp_path / "deep" / "b.pcap")]
    assert reading.files["trains"].to_pylist() == [5, 5]


def test_jobs_change_nothing(fixtures):
    one = pprec.read(fixtures, errors="keep", packets=True)
    four = pprec.read(fixtures, errors="keep", packets=True, jobs=4)
    assert one.trains == four.trains and one.summaries == four.summaries and one.files == four.files
    assert one.packets == four.packets


@pytest.mark.parametrize("ending, opener", [("gz", gzip.open), ("xz", lzma.open)])
def test_compressed_captures(vectors, tmp_path, ending, opener):
    packed = tmp_path / ("same.pcap." + ending)
    with opener(packed, "wb") as file:
        file.write((vectors / SAME).read_bytes())
    try:
        reading = pprec.read(tmp_path)
    except pprec.SystemRefusedError as error:
        pytest.skip("the library was built without: %s" % error)
    assert figures(reading) == figures(pprec.read(vectors / SAME))
    assert figures(pprec.read(packed.read_bytes())) == figures(reading)


def test_what_is_no_capture_is_said(tmp_path):
    (tmp_path / "notes").write_text("not one of them, and longer than a header of any kind")
    with pytest.raises(pprec.SystemRefusedError, match="^[^[]*no capture's format") as caught:
        pprec.read(tmp_path / "notes")
    assert caught.value.errno is None


def test_rotated_files_are_one_capture(vectors, tmp_path):
    whole = (vectors / SAME).read_bytes()
    head, size = whole[:24], 16 + int.from_bytes(whole[32:36], "little")
    middle = 24 + 10 * size  # inside the third train of four packets
    (tmp_path / "1.pcap").write_bytes(whole[:middle])
    (tmp_path / "2.pcap").write_bytes(head + whole[middle:])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of both sides of a path
        together, apart = pprec.read(tmp_path, together=True), pprec.read(tmp_path)
    assert together.trains["file"].to_pylist() == [str(tmp_path / "1.pcap")] * 3 + [str(tmp_path / "2.pcap")] * 2
    assert together.summaries["file_last"].to_pylist() == [str(tmp_path / "2.pcap")]
    assert together.summaries.num_rows == 1 and together.trains["lost"].to_pylist() == [0] * 5
    assert apart.summaries.num_rows == 2


def test_both_sides_of_a_path_are_named(vectors, tmp_path):
    for name in "recv.pcap", "send.pcap":
        shutil.copy(vectors / SAME, tmp_path / name)
    with pytest.warns(UserWarning, match="send.pcap has stream [0-9a-f]+ again after .*recv.pcap, and both are told"):
        assert pprec.read(tmp_path).summaries.num_rows == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        together = pprec.read(tmp_path, together=True)
    assert together.summaries.num_rows == 1 and together.files["repeated"][0].as_py() > 0


def test_damage_is_raised_with_what_was_read(vectors):
    with pytest.raises(pprec.DamagedError, match="cut-in-record.pcap: damaged at byte 1368") as caught:
        pprec.read([vectors / "cut-in-record.pcap", vectors / SAME])
    assert caught.value.reading.files["trains"].to_pylist() == [3, 5]


def test_damage_is_kept(vectors, tmp_path):
    reading = pprec.read([vectors / "caplen-absurd.pcap", vectors / SAME, tmp_path / "none.pcap"], errors="keep")
    assert reading.failures["error"].to_pylist() == ["DamagedError", "SystemRefusedError"]
    assert all(reading.failures["reason"].to_pylist())
    assert reading.trains.num_rows > 5


def test_no_capture_is_an_error(tmp_path):
    for nothing in ([], tmp_path):
        with pytest.raises(pprec.NothingFoundError) as caught:
            pprec.read(nothing)
        assert isinstance(caught.value, FileNotFoundError) and isinstance(caught.value, pprec.SystemRefusedError)
    with pytest.raises(OSError, match="none.pcap"):
        pprec.read(tmp_path / "none.pcap")


def test_what_cannot_be_is_refused(vectors):
    with pytest.raises(pprec.InvalidError, match="layer"):
        pprec.read(vectors / SAME, layer="seven")
    with pytest.raises(pprec.InvalidError):
        pprec.read(vectors / SAME, bpf="no such thing")
    with pytest.raises(pprec.InvalidError, match="port: .*70000"):
        pprec.read(vectors / SAME, port=70000)
    with pytest.raises(TypeError, match="no setting"):
        pprec.read(vectors / SAME, layers="l2")
    with pytest.raises(pprec.InvalidError, match="raise nor keep"):
        pprec.read(vectors / SAME, errors="ignore")


def test_of_nothing_the_tables_have_all_columns(vectors):
    nothing, something = (pprec.read(vectors / name, packets=True, changes=True) for name in ("no-packets.pcap", SAME))
    for name in ("trains", "summaries", "packets", "changes", "files"):
        assert getattr(nothing, name).schema.remove_metadata() == getattr(something, name).schema, name
    assert nothing.trains.num_rows == 0


def test_frames_of_pandas(vectors):
    frames = pprec.read(vectors / "lab-srt-3-over-10.pcap", packets=True).to_pandas()
    assert frames.trains["verdict"].dtype == "category"
    assert str(frames.trains["time"].dtype) == "datetime64[ns, UTC]"
    assert frames.packets.groupby(["file", "stream", "train"], observed=True).size().sum() == len(frames.packets)
    assert frames.summaries["capacity_bps"].between(10.0e6, 10.1e6).all()


def test_changes(vectors):
    changes = pprec.read(vectors / "lab-srt-3-over-10.pcap", changes=True).changes.to_pylist()
    assert changes[0]["was_state"] == "insufficient" and changes[-1]["state"] == "converged"
    assert all(before["state"] == after["was_state"] for before, after in zip(changes, changes[1:]))


def test_parquet_and_back(vectors, tmp_path):
    import pyarrow.parquet as pq
    trains = pprec.read(vectors / SAME).trains
    pq.write_table(trains, tmp_path / "trains.parquet")
    assert pq.read_table(tmp_path / "trains.parquet").to_pylist() == trains.to_pylist()
    assert trains.schema.field("time").type == pa.timestamp("ns", "UTC")

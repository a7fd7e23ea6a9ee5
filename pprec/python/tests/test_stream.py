# SPDX-License-Identifier: BSD-3-Clause
"""Arrivals pushed as arrays, estimates, callbacks, errors."""
import socket
import threading

import numpy as np
import pytest
from arriving import SOURCE, link

import pprec


def test_an_array_gives_an_estimate(chance):
    with pprec.Stream() as stream:
        stream.push(link(10e6, chance))
        estimate = stream.estimate(SOURCE, 7)
        assert estimate.state == "converged" and pprec.is_sure(estimate.state)
        assert estimate.low_bps <= 10e6 <= estimate.high_bps
        assert stream.streams() == [(SOURCE, "00000007")]
        assert stream.estimate() == estimate == stream.estimate(SOURCE, "00000007")
        assert stream.path_estimate(SOURCE).capacity_bps == estimate.capacity_bps
        assert stream.summary().counts.lost == 0
        assert stream.totals().counts.packets == stream.summary().counts.packets == 660


def test_what_is_free_and_hops_can_be_asked(chance):
    stream = pprec.Stream()
    stream.push(link(10e6, chance))
    assert stream.available().state in ("unknown", "tentative", "at_least", "converged")
    summary, hops = stream.hops()
    assert summary.trains == 0 and hops == []


def test_the_array_is_not_copied(chance):
    """What the library is given is the array itself: in pieces, views of it, and read-only it is taken too."""
    whole, pieces = link(10e6, chance), pprec.Stream()
    whole.flags.writeable = False
    for part in np.split(whole, [1, 100, 101, 500]):
        assert not part.flags.owndata
        pieces.push(part)
    at_once = pprec.Stream()
    at_once.push(whole)
    assert pieces.estimate() == at_once.estimate()


def test_what_is_no_array_of_arrivals_is_refused(chance):
    batch = link(10e6, chance, trains=4)
    with pprec.Stream() as stream:
        for wrong in (batch.tolist(), batch["seq"], np.zeros(3), None):
            with pytest.raises(TypeError, match="arrival_dtype"):
                stream.push(wrong)
        with pytest.raises(ValueError, match="one behind the other"):
            stream.push(batch[::2])
        assert stream.totals().counts.packets == 0
        stream.push(batch[:0])


def test_arrivals_begin_unknown():
    batch = pprec.arrivals(2)
    assert batch.dtype == pprec.arrival_dtype and len(batch) == 2
    assert (batch["sent_ns"] == pprec.UNKNOWN_NS).all() and (batch["departed_ns"] == pprec.UNKNOWN_NS).all()
    assert (batch["destination"]["ip"] == 0).all()


def test_errors_are_exceptions(chance):
    batch = link(10e6, chance, trains=4)
    with pprec.Stream() as stream:
        impossible = batch.copy()
        impossible["position"][3] = 17
        with pytest.raises(pprec.InvalidError, match="position") as caught:
            stream.push(impossible)
        assert isinstance(caught.value, ValueError) and caught.value.code < 0
        contradicting = batch.copy()
        contradicting["train_length"][1] = 8
        with pytest.raises(pprec.ForeignError):
            stream.push(contradicting)
        with pytest.raises(pprec.ForeignError):
            stream.push_rtp(SOURCE, b"\x00\x01", 0)
        with pytest.raises(LookupError):
            stream.estimate("192.0.2.9:1", 7)
        for number in (1 << 40, -1):
            with pytest.raises(LookupError):
                stream.estimate(SOURCE, number)
        with pytest.raises(LookupError):
            stream.path_estimate("192.0.2.9:1")
        assert stream.totals().foreign > 0
    with pytest.raises(ValueError, match="closed"):
        stream.push(batch)
    with pytest.raises(pprec.InvalidError, match="window"):
        pprec.Stream(window=-1 & 0xffffffff)
    with pytest.raises(ValueError, match="window"):
        pprec.Stream(window=-1)
    with pytest.raises(ValueError, match="key: 3 bytes"):
        pprec.Stream(key=b"abc")
    with pytest.raises(TypeError, match="windows"):
        pprec.Stream(windows=1)


def test_room_is_refused_by_reason(chance):
    stream = pprec.Stream(streams_max=1)
    stream.push(link(10e6, chance, trains=8, stream=1))
    with pytest.raises(pprec.RefusedError):
        stream.push(link(10e6, chance, trains=8, stream=2))
    assert stream.refused()["room"] > 0


def test_callbacks_come_after_the_call_and_may_ask(chance):
    seen = []
    stream = pprec.Stream(on_train=lambda train: seen.append((train.train, stream.summary().counts.trains)),
                          on_estimate=lambda change: seen.append(change.capacity.state),
                          on_summary=lambda summary: seen.append(summary.capacity.capacity_bps))
    with stream:
        stream.push(link(10e6, chance))
    assert "converged" in seen and 9.9e6 < seen[-1] < 10.1e6
    assert sum(isinstance(item, tuple) for item in seen) == 120


def test_what_a_callback_raises_comes_out(chance):
    def no(train):
        raise ZeroDivisionError

    stream = pprec.Stream(on_train=no)
    with pytest.raises(ZeroDivisionError):
        stream.push(link(10e6, chance))
    stream.close()


def test_what_is_kept_is_taken_once(chance):
    stream = pprec.Stream(keep=("trains", "packets", "changes"), most=1000)
    stream.push(link(10e6, chance))
    stream.finish()
    table = stream.table("changes")
    assert table["state"].to_pylist()[-1] == "converged"
    trains, packets = stream.take("trains"), stream.take("packets")
    assert len(trains) == 120 and len(packets) == 660
    assert (packets["train_row"][trains["first_packet"].astype(int)] == np.arange(120)).all()
    assert len(stream.take("trains")) == 0 and stream.missed() == 0
    stream = pprec.Stream(keep=("trains",), most=1000)
    stream.push(link(10e6, chance, trains=1100, begins_ns=10**12, stream=8, long=2))
    assert len(stream.take("trains")) == 1000 and stream.missed() >= 99
    with pytest.raises(ValueError, match="keep"):
        pprec.Stream(keep=("everything",))
    with pytest.raises(ValueError, match="callback"):
        pprec.Stream(keep=("trains",), on_train=print)


def test_rows_outlive_their_stream(chance):
    stream = pprec.Stream(keep=("trains",))
    stream.push(link(10e6, chance))
    stream.finish()
    trains = stream.take("trains")
    del stream
    assert (trains["train"]["size_bytes"] == 1000).all()


def test_congestion(chance):
    told = []
    stream = pprec.Stream(on_congestion=told.append, congestion_interval_ms=1000)
    stream.push(link(10e6, chance))
    assert len(told) >= 10 and told[-1].queueing_ns is not None and told[-1].lost == 0


def test_reset_forgets(chance):
    stream = pprec.Stream()
    stream.push(link(10e6, chance))
    stream.reset(SOURCE, 7)
    assert stream.estimate().state == "insufficient"


def test_datagrams_of_pptrans_and_of_a_socket():
    """A probe, byte by byte (version 1, train of 2), by push and through a port of this host."""
    probes = [b"PP\x11" + bytes([i]) + b"\0\0\0\x05" + i.to_bytes(4, "big") + bytes(6) + bytes(82) for i in range(2)]
    with pprec.Stream(keep=("trains",)) as stream:
        for i, probe in enumerate(probes):
            stream.push_datagram(SOURCE, probe, 10**18 + i * 10**6)
        assert stream.streams() == [(SOURCE, "00000005")] and len(stream.take("trains")) == 1
    with pprec.Stream(keep=("trains",)) as stream, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        stream.listen(port, ip=4)
        for probe in probes:
            sender.sendto(probe, ("127.0.0.1", port))
        assert stream.fileno() >= 0 and stream.dispatch() == 2
        assert len(stream.take("trains")) == 1
        with pytest.raises(pprec.InvalidError):
            stream.listen(port)
        with pytest.raises(ValueError):
            stream.join("192.0.2.1")
    with pprec.Stream() as stream, pytest.raises(OSError) as caught:
        stream.listen(port, interface="no-such-interface")
    assert isinstance(caught.value, pprec.Error)


def test_all_errors_are_of_error(chance):
    batch = link(10e6, chance, trains=4)
    closed = pprec.Stream()
    closed.close()
    with pprec.Stream() as stream:
        for said, call in (
                ("listen: .*70000", lambda: stream.listen(70000)),
                ("listen: ", lambda: stream.listen(-1)),
                ("listen: ", lambda: stream.listen(9000, ip=1 << 40)),
                ("listen: ", lambda: stream.listen(9000, buffer_bytes=1 << 40)),
                ("no address and port", lambda: stream.push_rtp("moon", b"\x80\x00", 0)),
                ("no address and port", lambda: stream.push_rtp(("192.0.2.1", 70000), b"\x80\x00", 0)),
                ("no address and port", lambda: stream.push_datagram("moon", b"", 0)),
                ("no address and port", lambda: stream.estimate("nowhere", 7)),
                ("no address and port", lambda: stream.path_estimate("nowhere")),
                ("no address and port", lambda: pprec.endpoint_array("nowhere")),
                ("no hexadecimal number", lambda: stream.estimate(SOURCE, "moon")),
                (".", lambda: stream.push_rtp(SOURCE, b"\x80\x00", 1 << 70)),
                (".", lambda: stream.push_rtp(SOURCE, b"\x80\x00", 0, packet_bytes=-1)),
                (".", lambda: stream.tick(1 << 70)),
                ("one behind the other", lambda: stream.push(batch[::2])),
                ("none of trains", lambda: stream.take("moon")),
                ("none of trains", lambda: stream.table("moon")),
                ("take()", lambda: stream.table("packets")),
                ("moon", lambda: pprec.is_sure("moon")),
                ("most", lambda: pprec.Stream(keep=("trains",), most=-1)),
                ("keep", lambda: pprec.Stream(keep=("moon",))),
                ("callback", lambda: pprec.Stream(keep=("trains",), on_train=print)),
                ("window", lambda: pprec.Stream(window=-1)),
                ("key: 3 bytes", lambda: pprec.Stream(key=b"abc")),
                ("no address and port", lambda: pprec.Stream(sent_to="moon")),
                ("closed", lambda: closed.push(batch)),
                ("closed", closed.streams),
                ("closed", lambda: closed.estimate(SOURCE, 7))):
            with pytest.raises(pprec.InvalidError, match=said):
                call()


def test_streams_in_threads(chance):
    """Handles share nothing; one handle takes calls from several threads in turn."""
    batches = [link(10e6, chance, stream=i) for i in range(4)]
    shared, results = pprec.Stream(), {}

    def run(i):
        own = pprec.Stream()
        own.push(batches[i])
        results[i] = own.estimate().capacity_bps

    threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    threads += [threading.Thread(target=shared.streams) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4 and all(9.9e6 < bps < 10.1e6 for bps in results.values())

# SPDX-License-Identifier: BSD-3-Clause
"""Packets in as they come, estimates out: the library's handle for programs that run."""
from __future__ import annotations

from types import SimpleNamespace, TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Tuple, Type, Union

from . import words
from ._library import ffi, lib
from .errors import InvalidError, in_range
from .handle import KINDS, Handle
from .layout import UNKNOWN_NS, Clock, Rows, Timestamps, enum_of, fields_of, fits
from .words import Endpoint

if TYPE_CHECKING:
    import pyarrow as pa
    from typing_extensions import Unpack

    from .settings import Settings

StreamId = Union[int, str]


class Record(SimpleNamespace):
    """A struct of the library: its fields by their names, enums as words, addresses as text, stream ids as eight
    hexadecimal digits. Times, and the rates of estimates, that are not known are None."""

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any: ...


class Name(NamedTuple):
    """What tells a stream from others."""

    source: str
    stream: str


def record(struct: str, value: Any) -> Record:
    """Of a struct of cffi."""
    made = Record()
    for name, ctype in fields_of(struct):
        enum = enum_of(struct, name)
        field = getattr(value, name)
        if name == "reserved" or ctype.kind in ("pointer", "function", "array"):
            continue
        if enum:
            setattr(made, name, words.word(enum, int(field)) or None)
        elif ctype.cname == "struct pprec_endpoint":
            setattr(made, name, words.endpoint_text(ffi.addressof(field)) or None)
        elif ctype.kind == "struct":
            setattr(made, name, record(ctype.cname.replace("struct ", ""), field))
        elif name == "stream":
            setattr(made, name, "%08x" % field)
        else:
            unknown = field == UNKNOWN_NS or (name.endswith("_bps") and not field > 0)
            setattr(made, name, None if unknown else field)
    return made


def records(kind: str, rows: Rows) -> Iterable[Record]:
    """Of rows that a sink kept."""
    struct = KINDS[kind]
    if len(rows) == 0:
        return
    several = ffi.cast("struct %s *" % struct, rows.ctypes.data)
    for i in range(len(rows)):
        if kind == "trains":
            yield record("pprec_train", several[i].train)
        else:
            yield record(struct, several[i])


def stream_number(stream: StreamId) -> int:
    try:
        return int(stream, 16) if isinstance(stream, str) else stream
    except ValueError as error:
        raise InvalidError("stream '%s': no hexadecimal number" % stream) from error


class Stream:
    """Measures the paths of the packets that it is given: push() them, or let it listen(); then ask, or be called.

    on_train, on_estimate, on_summary, on_congestion: called with a Record, after the call that gave rise
    to it and outside the library, so that they may do anything; what they raise comes out of that call.
    keep: what to collect for take() and table() instead, of trains, packets, summaries, changes and congestion; rows
    past `most` that nobody took are counted by missed().
    settings: the fields of struct pprec_config (pprec.Settings).
    It is its own context manager, which finishes and closes it."""

    def __init__(self, *, keep: Iterable[str] = (), most: int = 1000000,
                 on_train: Optional[Callable[[Record], Any]] = None,
                 on_estimate: Optional[Callable[[Record], Any]] = None,
                 on_summary: Optional[Callable[[Record], Any]] = None,
                 on_congestion: Optional[Callable[[Record], Any]] = None,
                 **settings: Unpack[Settings]) -> None:
        callbacks = {"trains": on_train, "changes": on_estimate, "summaries": on_summary,
                     "congestion": on_congestion}
        self._callbacks: Dict[str, Callable[[Record], Any]] = {
            kind: callback for kind, callback in callbacks.items() if callback is not None}
        keep = set(keep)
        both = keep & set(self._callbacks)
        if both:
            raise InvalidError("keep: %s go to a callback already" % min(both))
        self._handle = Handle(keep | set(self._callbacks), most, settings)

    # --- Packets in ---

    def push(self, arrivals: Rows) -> None:
        """Takes packets as they arrived: an array of pprec.arrival_dtype, which the library reads where it
        lies. All are taken, whatever becomes of one; then what the last refused one says is raised:
        ForeignError, RefusedError, InvalidError."""
        fits(arrivals)
        size = arrivals.dtype.itemsize
        place = ffi.cast("struct pprec_arrival *", arrivals.ctypes.data)
        self._run(lib.pprec_push_all_sized, place, size, len(arrivals))

    def push_datagram(self, source: Endpoint, payload: bytes, received_ns: int, *,
                      destination: Optional[Endpoint] = None, payload_bytes: Optional[int] = None,
                      clock: int = Clock.REALTIME, stamped_by: int = Timestamps.KERNEL) -> None:
        """Takes a UDP payload of pptrans; payload_bytes: where not all of it is at hand."""
        to = words.endpoint(destination) if destination is not None else ffi.NULL
        self._run(lib.pprec_push_datagram, words.endpoint(source), to, ffi.from_buffer(payload), len(payload),
                  len(payload) if payload_bytes is None else payload_bytes,
                  {"ns": received_ns, "clock": clock, "source": stamped_by})

    def push_rtp(self, source: Endpoint, packet: bytes, received_ns: int, *, packet_bytes: Optional[int] = None,
                 clock: int = Clock.REALTIME, stamped_by: int = Timestamps.KERNEL) -> None:
        """Takes an RTP packet. ForeignError for what is none, as RTCP on the same port."""
        self._push_media(lib.pprec_push_rtp, source, packet, received_ns, packet_bytes, clock, stamped_by)

    def push_srt(self, source: Endpoint, packet: bytes, received_ns: int, *, packet_bytes: Optional[int] = None,
                 clock: int = Clock.REALTIME, stamped_by: int = Timestamps.KERNEL) -> None:
        """Takes an SRT packet. ForeignError for what is none."""
        self._push_media(lib.pprec_push_srt, source, packet, received_ns, packet_bytes, clock, stamped_by)

    def _push_media(self, function: Any, source: Endpoint, packet: bytes, received_ns: int,
                    packet_bytes: Optional[int], clock: int, stamped_by: int) -> None:
        self._run(function, words.endpoint(source), ffi.from_buffer(packet), len(packet),
                  len(packet) if packet_bytes is None else packet_bytes,
                  {"ns": received_ns, "clock": clock, "source": stamped_by})

    def tick(self, now_ns: int) -> None:
        """Nothing came up to then: closes trains that will not complete."""
        self._run(lib.pprec_tick, now_ns)

    def finish(self) -> None:
        """The input ends: what is in flight is told, then a summary a stream."""
        self._run(lib.pprec_finish)

    # --- A source of its own ---

    def listen(self, port: int, *, interface: Optional[str] = None, ip: int = 0, share_port: bool = False,
               buffer_bytes: Optional[int] = None, sources: Iterable[str] = ()) -> None:
        """Opens a UDP port, which dispatch() reads. SystemRefusedError where the system does not let it."""
        options = ffi.new("struct pprec_socket_options *")
        lib.pprec_socket_options_init_sized(options, ffi.sizeof(options[0]))
        listed = [ffi.new("char[]", source.encode()) for source in sources]
        keep = [ffi.new("char[]", interface.encode()) if interface else ffi.NULL,
                ffi.new("char *[]", [*listed, ffi.NULL]) if listed else ffi.NULL, listed]
        options.share_port, options.interface_name, options.sources = share_port, keep[0], keep[1]
        with in_range("listen"):
            options.port, options.ip = port, ip
            if buffer_bytes is not None:
                options.buffer_bytes = buffer_bytes
        self._run(lib.pprec_listen, options)

    def join(self, group: str, interface: Optional[str] = None) -> None:
        """Receives a group as well: "GROUP" or "GROUP@SOURCE"."""
        self._run(lib.pprec_join, group.encode(), interface.encode() if interface else ffi.NULL)

    def leave(self, group: str, interface: Optional[str] = None) -> None:
        """Of a group joined with the same words."""
        self._run(lib.pprec_leave, group.encode(), interface.encode() if interface else ffi.NULL)

    def fileno(self) -> int:
        """To be watched for reading, so that select and asyncio take the stream itself; -1 without a source."""
        with self._handle.lock:
            return int(lib.pprec_fd(self._handle.open_handle()))

    def dispatch(self, packets_max: int = 0) -> int:
        """Reads what waits, without waiting; how many packets. Best a few milliseconds after the descriptor became
        readable, and ten times a second besides: the kernel has stamped them."""
        return self._run(lib.pprec_dispatch, packets_max)

    # --- Results ---

    def streams(self) -> List[Name]:
        """The streams that are known now."""
        found: List[Name] = []
        source, stream = ffi.new("struct pprec_endpoint *"), ffi.new("uint32_t *")
        with self._handle.lock:
            handle = self._handle.open_handle()
            for index in range(lib.pprec_streams(handle)):
                lib.pprec_stream_at(handle, index, source, stream)
                found.append(Name(words.endpoint_text(source), "%08x" % stream[0]))
        return found

    def estimate(self, source: Optional[Endpoint] = None, stream: Optional[StreamId] = None) -> Record:
        """The estimate of a stream; without names, of the only one there is. LookupError without such a stream."""
        result = ffi.new("struct pprec_capacity *")
        self._ask(lib.pprec_estimate, source, stream, result)
        return record("pprec_capacity", result)

    def path_estimate(self, source: Endpoint, destination: Optional[Endpoint] = None) -> Record:
        """The estimate of the path between two endpoints, of all its streams. LookupError without such a path."""
        result = ffi.new("struct pprec_capacity *")
        to = words.endpoint(destination) if destination is not None else ffi.NULL
        self._find("no path from %s" % (source,), lib.pprec_path_estimate, words.endpoint(source), to, result)
        return record("pprec_capacity", result)

    def summary(self, source: Optional[Endpoint] = None, stream: Optional[StreamId] = None) -> Record:
        """A stream since its first packet."""
        result = ffi.new("struct pprec_summary *")
        self._ask(lib.pprec_get_summary_sized, source, stream, result, ffi.sizeof(result[0]))
        return record("pprec_summary", result)

    def available(self, source: Optional[Endpoint] = None, stream: Optional[StreamId] = None) -> Record:
        """What other traffic leaves free of a stream's narrow link."""
        result = ffi.new("struct pprec_available *")
        self._ask(lib.pprec_get_available, source, stream, result)
        return record("pprec_available", result)

    def hops(self, source: Optional[Endpoint] = None, stream: Optional[StreamId] = None) -> Tuple[Record, List[Record]]:
        """Where a stream's narrow link is, and the least capacity of the path's first links, hop by hop."""
        summary, hops = ffi.new("struct pprec_hops_summary *"), ffi.new("struct pprec_hop[64]")
        self._ask(lib.pprec_get_hops_sized, source, stream, hops, len(hops), summary, ffi.sizeof(summary[0]))
        return (record("pprec_hops_summary", summary),
                [record("pprec_hop", hops[i]) for i in range(min(summary.hops_told, len(hops)))])

    def totals(self) -> Record:
        """All streams together."""
        result = ffi.new("struct pprec_totals *")
        with self._handle.lock:
            lib.pprec_get_totals_sized(self._handle.open_handle(), result, ffi.sizeof(result[0]))
        return record("pprec_totals", result)

    def refused(self) -> Dict[str, int]:
        """How many were refused, by reason; foreign ones are in totals()."""
        with self._handle.lock:
            handle = self._handle.open_handle()
            return {words.word("pprec_reason", reason): int(lib.pprec_refused(handle, reason))
                    for reason in range(lib.PPREC_REASONS)}

    def reset(self, source: Endpoint, stream: StreamId) -> None:
        """Forgets what is known of a stream's path, as when it is another one now."""
        self._ask(lib.pprec_reset_stream, source, stream)

    def take(self, kind: str) -> Rows:
        """What was kept of a kind since the last call, as an array of the library's structs."""
        return self._handle.take(kind)

    def table(self, kind: str) -> pa.Table:
        """The same as an Arrow table, with the columns of read(). Of packets there is take() alone: their rows are
        numbered by those of trains."""
        if kind == "packets":
            raise InvalidError("packets: take() trains and packets")
        import pyarrow as pa

        from . import tables
        taken = self._handle.take(kind)
        columns = tables.trains(taken) if kind == "trains" else tables.columns_of(KINDS[kind], taken)
        return pa.table({name: column for name, column in columns.items()
                         if name not in ("file", "first_file", "last_file")})  # of captures

    def missed(self) -> int:
        """Rows for which there was no room, as nobody took them."""
        return self._handle.missed()

    # --- Inside ---

    def _run(self, function: Any, *arguments: Any) -> int:
        try:
            return self._handle.call(function, *arguments)
        finally:
            self._tell()

    def _tell(self) -> None:
        for kind, callback in self._callbacks.items():
            for told in records(kind, self._handle.take(kind)):
                callback(told)

    def _ask(self, function: Any, source: Optional[Endpoint], stream: Optional[StreamId], *arguments: Any) -> None:
        if source is None or stream is None:
            known = self.streams()
            if len(known) != 1:
                raise LookupError("there are %d streams: say which" % len(known))
            source, stream = known[0]
        self._find("no stream %s from %s" % (stream, source), function, words.endpoint(source), stream_number(stream),
                   *arguments)

    def _find(self, lack: str, function: Any, *arguments: Any) -> None:
        """Calls what the library refuses only where it does not know what is asked for."""
        with self._handle.lock:
            self._handle.open_handle()  # a stream that is closed is another error
            try:
                self._handle.call(function, *arguments)
            except InvalidError as error:
                raise LookupError(lack) from error

    def close(self) -> None:
        """Gives back its memory and its port. What was kept can still be taken."""
        self._handle.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        try:
            if kind is None:
                self.finish()
        finally:
            self.close()

# SPDX-License-Identifier: BSD-3-Clause
# core.py LIBRARY: core.c in Python: pushes the same packets by ctypes, and reads the same estimate.
import ctypes
import sys
from ctypes import POINTER, Structure, byref, c_double, c_int, c_int64, c_uint8, c_uint16, c_uint32, c_void_p

UNKNOWN_NS = -(1 << 63)
CLOCK_OTHER, TIMESTAMPS_USER = 3, 4
TRAINS, LONG_EVERY, LONG, FRAME_NS, LATE_NS = 120, 4, 16, 800000, 20000


class Stamp(Structure):
    _fields_ = [("ns", c_int64), ("clock", c_uint8), ("source", c_uint8)]


class Endpoint(Structure):
    _fields_ = [("address", c_uint8 * 16), ("port", c_uint16), ("ip", c_uint8)]


class Arrival(Structure):
    _fields_ = [("source", Endpoint), ("destination", Endpoint), ("kind", c_int), ("stream", c_uint32),
                ("train", c_uint32), ("seq", c_uint32), ("position", c_uint16), ("train_length", c_uint16),
                ("payload_bytes", c_uint32), ("header_bytes", c_uint32), ("received", Stamp),
                ("sent_ns", c_int64), ("departure_train", c_uint32), ("departure_span_ns", c_int64),
                ("departed_ns", c_int64)]


class Capacity(Structure):
    _fields_ = [("state", c_int), ("capacity_bps", c_double), ("low_bps", c_double), ("high_bps", c_double),
                ("rest", c_uint8 * 1024)]


class Late:
    chance = 1

    def ns(self):
        self.chance = (self.chance * 1664525 + 1013904223) & 0xffffffff
        return (self.chance >> 8) % LATE_NS


def arrivals():
    late, seq = Late(), 0
    for train in range(TRAINS):
        length = LONG if train % LONG_EVERY == LONG_EVERY - 1 else 2
        for i in range(length):
            begins_ns = train * 100000000
            yield Arrival(source=Endpoint(ip=4), stream=7, train=train, seq=seq, position=i, train_length=length,
                          payload_bytes=1000 - 46, sent_ns=begins_ns, departure_train=(train - 1) & 0xffffffff,
                          received=Stamp(begins_ns + i * FRAME_NS + late.ns(), CLOCK_OTHER, TIMESTAMPS_USER),
                          departure_span_ns=20000 if train > 0 else UNKNOWN_NS, departed_ns=UNKNOWN_NS)
            seq += 1


def main():
    library = ctypes.CDLL(sys.argv[1])
    library.pprec_state_name.restype = ctypes.c_char_p
    library.pprec_error.restype = ctypes.c_char_p
    library.pprec_error.argtypes = [c_void_p]
    library.pprec_new.argtypes = [POINTER(c_void_p), c_void_p]
    library.pprec_push_sized.argtypes = [c_void_p, POINTER(Arrival), ctypes.c_size_t]
    library.pprec_estimate.argtypes = [c_void_p, POINTER(Endpoint), c_uint32, POINTER(Capacity)]
    library.pprec_free.argtypes = [c_void_p]
    handle, capacity = c_void_p(), Capacity()
    if library.pprec_new(byref(handle), None) < 0:
        sys.exit(library.pprec_error(handle).decode())
    for arrival in arrivals():
        if library.pprec_push_sized(handle, byref(arrival), ctypes.sizeof(arrival)) < 0:
            sys.exit(library.pprec_error(handle).decode())
    if library.pprec_estimate(handle, byref(Endpoint(ip=4)), 7, byref(capacity)) < 0:
        sys.exit("no such stream")
    print(library.pprec_state_name(capacity.state).decode(), "%.6g %.6g %.6g" % (
        capacity.capacity_bps, capacity.low_bps, capacity.high_bps))
    library.pprec_free(handle)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes corpus/dissect: the first frame of each capture of tests/vectors/same-*, after
the byte by which fuzz_dissect.c picks its link type."""
import glob
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
PICK = {1: 0, 113: 1, 276: 2, 101: 3, 0: 4, 108: 5, 9: 6, 105: 7, 127: 8}

for path in glob.glob(os.path.join(HERE, "../vectors/same-*.pcap")):
    data = open(path, "rb").read()
    order = "<" if data[0] in (0x4D, 0xD4) else ">"
    dlt, = struct.unpack(order + "I", data[20:24])
    kept, = struct.unpack(order + "I", data[32:36])
    name = os.path.basename(path)[len("same-"):-len(".pcap")]
    with open(os.path.join(HERE, "corpus/dissect", name), "wb") as out:
        out.write(bytes([PICK[dlt]]) + data[40:40 + kept])

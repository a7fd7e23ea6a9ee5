#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes corpus/dissect: the first frame of each capture of tests/vectors/same-*, after
the byte by which fuzz_dissect.c picks its link type. Corpus/media: frames of RTP with and
without send times, audio between them, and SRT, as fuzz_media.c reads them. And of corpus/push
trains whose load dies at a hop, as fuzz_push.c reads them."""
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


def code(value):
    """The exponent and mantissa that come nearest from below."""
    return max(c for c in range(256) if (c if c < 8 else (8 + (c & 7)) << ((c >> 3) - 1)) <= value)


def packet(kind, gap_ns, size, header):
    return bytes([kind | len(header), code(gap_ns), code(size)]) + header


def rtp(frames, timed):
    out, seq, now = b"", 0, 0
    for frame in range(frames):
        for at in range(5):
            gap = 800000 if at else 30000000
            now += gap
            sent = frame * 33200000 + at * 10000
            header = struct.pack(">BBHII", 0x90 if timed else 0x80, 96, seq & 0xFFFF, frame * 3000, 7)
            if timed:
                header += struct.pack(">HHB", 0xBEDE, 1, 0x32)
                header += struct.pack(">I", (sent << 18) // 10**9 & 0xFFFFFF)[1:]
            out += packet(0, gap, 954 if at < 4 else 300, header)
            seq += 1
        out += packet(0x80, 1000, 120, struct.pack(">BBHII", 0x80, 111, frame, frame * 960, 8))
    return out


def srt(packets):
    out = b""
    for seq in range(packets):
        header = struct.pack(">IIII", seq, 0xE0000001 + seq, seq // 10 * 120000 + seq % 10, 9)
        out += packet(0x40, 800000 if seq % 10 else 100000000, 1332, header)
    return out


for name, data in ("rtp", b"\x30" + rtp(12, False)), ("rtp-with-send-times", b"\x33" + rtp(12, True)), \
        ("rtp-send-times-to-be-found", b"\x30" + rtp(40, True)), ("srt", b"\x30" + srt(64)):
    with open(os.path.join(HERE, "corpus/media", name), "wb") as out:
        out.write(data)


# As trains.h has them.
def train(log2, delay, span, gaps):
    gaps += (min(1 << log2, 16) - len(gaps)) * gaps[-1:]
    return bytes([log2 - 1, code(20000000) | 1, delay, span, code(1472)]) + bytes(map(code, gaps))


def located(rounds, paced):
    """Six links of 80 and 20 Mbit/s, the fourth the narrow one. A load of one, which ends its train early, and of six. And
    trains of 16 paced at some 200 Mbit/s, which the links spread, and some 0.4, which they do not."""
    out, span = b"", 0
    for at in range(rounds):
        for hop in range(6):
            load_ns = 150000 * (4 if hop >= 3 else 1)
            out += train(1, 0, span, [0, 600000])  # it tells how the one before it left
            span = 0
            if paced and at % 4 == 1:
                out += train(4, 0x0d, hop, [0] + 15 * [load_ns])
                span = code(800000)
            elif paced and at % 4 == 3:
                out += train(4, 0x0d, hop, [0, 400000000, 0])
                span = code(400000000)
            elif at % 4 < 2:
                out += train(2, 0x15, hop, [0, 0, load_ns])
            else:
                out += train(3, 0x05, hop, [0, 0, 0, 0, 0, 0, 0, 6 * load_ns])
    return out


for name, data in ("located", b"\xff" + located(18, False)), ("located-and-paced", b"\xff" + located(32, True)):
    with open(os.path.join(HERE, "corpus/push", name), "wb") as out:
        out.write(data)

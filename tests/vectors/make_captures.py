#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the captures of this directory, byte by byte; see README.md.

Unless a name says otherwise a capture holds five trains of four probes, frames of
1000 bytes with FCS that follow each other in 800 us, which is 10 Mbit/s; a train
every 100 ms. Everything else in them is chosen to be left out.
"""
import gzip
import lzma
import os
import struct
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TRAINS, LENGTH, GAP_NS, SPACING_NS = 5, 4, 800_000, 100_000_000
EPOCH_NS = 1_700_000_000_000_000_000
STREAM = 0x5EED0002
SNAP = 96


# --- Packets ---

def probe(train, position, length=LENGTH):
    log2 = length.bit_length() - 1
    sent_ns = EPOCH_NS + train * SPACING_NS
    return struct.pack("!2sBBIIIHQ", b"PP", 0x10 | log2, position, STREAM,
                       train * length + position, train, 1, sent_ns)


def udp(payload, ports=(40000, 9000)):
    return struct.pack("!HHHH", *ports, 8 + len(payload), 0) + payload


def ipv4(body, protocol=17, options=b"", fragment=0, source=1):
    header = struct.pack("!BBHHHBBH4s4s", 0x45 + len(options) // 4, 0,
                         20 + len(options) + len(body), 7, fragment, 64, protocol, 0,
                         bytes([192, 0, 2, source]), bytes([198, 51, 100, 9]))
    return header + options + body


def ipv6(body, protocol=17, extensions=b""):
    return struct.pack("!IHBB", 6 << 28, len(extensions) + len(body), protocol, 64) \
        + bytes.fromhex("20010db8" + "00" * 11 + "01") \
        + bytes.fromhex("20010db8" + "00" * 11 + "09") + extensions + body


def packets(wrap=ipv4, size=954, make=probe):
    """(time, IP packet), the UDP payload filled up to size."""
    for train in range(TRAINS):
        for position in range(LENGTH):
            head = make(train, position)
            at = EPOCH_NS + train * SPACING_NS + 5_000_000 + position * GAP_NS
            yield at, wrap(udp(head + bytes(size - len(head))))


# --- Link layers: IP packet -> frame ---

MACS = bytes.fromhex("0200000000020200000000 01".replace(" ", ""))
LLC_SNAP = bytes.fromhex("aaaa03000000")


def ip_type(ip):
    return b"\x08\x00" if ip[0] >> 4 == 4 else b"\x86\xdd"


def ethernet(ip):
    return MACS + ip_type(ip) + ip


def vlan(ip):
    return MACS + bytes.fromhex("8100002a") + ip_type(ip) + ip


def qinq(ip):
    return MACS + bytes.fromhex("88a80007" "8100002a") + ip_type(ip) + ip


def ppp_type(ip):
    return b"\x00\x21" if ip[0] >> 4 == 4 else b"\x00\x57"


def session(ip):
    return bytes.fromhex("1100" "0001") + struct.pack("!H", 2 + len(ip)) + ppp_type(ip) + ip


def pppoe(ip):
    return MACS + b"\x88\x64" + session(ip)


def vlan_pppoe(ip):
    return MACS + bytes.fromhex("81000007" "8864") + session(ip)


def mpls(ip):
    # one label, 16, the last, 64 hops
    return MACS + bytes.fromhex("8847" "00010140") + ip


def vlan_mpls(ip):
    # of another kind, three labels; their lowest bits elsewhere are set
    return MACS + bytes.fromhex("8100002a" "8848" "ffffe0ff" "00011041" "00012140") + ip


def sll(ip):
    return bytes.fromhex("0000" "0001" "0006" "0200000000010000") + ip_type(ip) + ip


def sll2(ip):
    return ip_type(ip) + bytes.fromhex("0000" "00000002" "0001" "00" "06" "0200000000010000") + ip


def raw(ip):
    return ip


def null_little(ip):
    return struct.pack("<I", 2 if ip[0] >> 4 == 4 else 30) + ip


def loop(ip):
    return struct.pack(">I", 2 if ip[0] >> 4 == 4 else 24) + ip


def ppp(ip):
    return bytes.fromhex("ff030021") + ip


def ppp_bare(ip):
    return bytes.fromhex("0021") + ip


def ppp_compressed(ip):
    return bytes.fromhex("21") + ip


def wlan_body(ip):
    return LLC_SNAP + ip_type(ip) + ip


def radiotap(ip):
    # version 0, 10 bytes, flags alone, no padding; QoS data from an access point
    tap = bytes.fromhex("0000" "0a00" "02000000" "00" "00")
    return tap + bytes.fromhex("8802" "0000") + MACS + MACS[:6] + b"\0\0" + b"\0\0" + wlan_body(ip)


def radiotap_padded(ip):
    # time and flags: the 802.11 header of 26 bytes is padded to 28
    tap = bytes.fromhex("0000" "1800" "03000000") + bytes(8) + b"\x20" + bytes(7)
    return tap + bytes.fromhex("8802" "0000") + MACS + MACS[:6] + b"\0\0" + b"\0\0" + b"\0\0" \
        + wlan_body(ip)


# --- Formats ---

def pcap(records, dlt=1, order="<", nano=True, snap=SNAP):
    magic = 0xA1B23C4D if nano else 0xA1B2C3D4
    out = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, snap, dlt)
    for at, frame in records:
        seconds, rest = divmod(at, 10**9)
        kept = frame[:snap]
        out += struct.pack(order + "IIII", seconds, rest if nano else rest // 1000, len(kept),
                           len(frame)) + kept
    return out


def block(order, kind, body):
    body += bytes(-len(body) % 4)
    total = 12 + len(body)
    return struct.pack(order + "II", kind, total) + body + struct.pack(order + "I", total)


def option(order, code, value):
    return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)


def pcapng(records, dlt=1, order="<", resolution=9, snap=SNAP):
    """resolution: if_tsresol, the negative power of 10, or of 2 with the top bit."""
    units = 2 ** (resolution & 0x7F) if resolution & 0x80 else 10**resolution
    options = option(order, 9, bytes([resolution])) + option(order, 0, b"")
    out = block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
    out += block(order, 1, struct.pack(order + "HHI", dlt, 0, snap) + options)
    for at, frame in records:
        ticks = at * units // 10**9
        kept = frame[:snap]
        out += block(order, 6, struct.pack(order + "IIIII", 0, ticks >> 32, ticks & 0xFFFFFFFF,
                                           len(kept), len(frame)) + kept)
    return out


def pcapng_in_turns(links):
    """An interface for each (link type, link); packets are of each in turn."""
    out = block("<", 0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    for dlt, _ in links:
        out += block("<", 1, struct.pack("<HHI", dlt, 0, SNAP) + option("<", 9, bytes([9]))
                     + option("<", 0, b""))
    for i, (at, ip) in enumerate(packets()):
        frame = links[i % len(links)][1](ip)
        out += block("<", 6, struct.pack("<IIIII", i % len(links), at >> 32, at & 0xFFFFFFFF,
                                         len(frame[:SNAP]), len(frame)) + frame[:SNAP])
    return out


def frames(link=ethernet, **how):
    return [(at, link(ip)) for at, ip in packets(**how)]


# --- What is in the directory ---

def same():
    """The same arrivals in every format and link type: one summary."""
    yield "same-ethernet.pcap", pcap(frames())
    yield "same-micro.pcap", pcap(frames(), nano=False)
    yield "same-big-endian.pcap", pcap(frames(), order=">")
    yield "same-big-endian-micro.pcap", pcap(frames(), order=">", nano=False)
    yield "same.pcapng", pcapng(frames())
    yield "same-micro.pcapng", pcapng(frames(), resolution=6)
    yield "same-big-endian.pcapng", pcapng(frames(), order=">")
    yield "same-big-endian-micro.pcapng", pcapng(frames(), order=">", resolution=6)
    yield "same-two-links.pcapng", pcapng_in_turns([(1, ethernet), (101, raw)])
    for name, link, dlt in LINKS:
        yield f"same-{name}.pcap", pcap(frames(link), dlt=dlt, snap=128)
    yield "same-pppoe-ipv6.pcap", pcap(frames(pppoe, wrap=ipv6, size=934), snap=128)
    yield "same-mpls-ipv6.pcap", pcap(frames(mpls, wrap=ipv6, size=934), snap=128)
    yield "same-ip-options.pcap", pcap(frames(wrap=lambda body: ipv4(body, options=b"\1" * 8),
                                              size=954 - 8))
    yield "same-ipv6.pcap", pcap(frames(wrap=ipv6, size=934))
    hop_then_atomic = bytes([44, 0, 1, 4, 0, 0, 0, 0]) + bytes([17, 0, 0, 0, 0, 0, 0, 9])
    yield "same-ipv6-extensions.pcap", pcap(
        frames(wrap=lambda body: ipv6(body, 0, hop_then_atomic), size=934 - 16), snap=128)
    yield "same-snapped-to-headers.pcap", pcap(frames(), snap=14 + 20 + 8 + 26)


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout


def packed():
    """By zlib, liblzma and the program zstd, whatever their versions make of it."""
    whole, ng = pcap(frames()), pcapng(frames())
    yield "same-packed.pcap.gz", gzip.compress(whole, mtime=0)
    yield "same-packed.pcap.zst", zstd(whole)
    yield "same-packed.pcap.xz", lzma.compress(whole)
    yield "same-packed.pcapng.gz", gzip.compress(ng, mtime=0)
    for name, pack in (("gz", lambda data: gzip.compress(data, mtime=0)), ("zst", zstd),
                       ("xz", lzma.compress)):
        yield f"same-in-two-members.pcap.{name}", pack(whole[:1000]) + pack(whole[1000:])
        # noise behind the packets, so that the cut is there
        noise = bytes((i * i * 167 >> 7) & 255 for i in range(2000))
        yield f"cut.pcap.{name}", pack(whole[:24 + 12 * (16 + SNAP)]) + pack(struct.pack(
            "<IIII", 1_700_000_009, 0, 2000, 2000) + noise)[:-300]
    sum_wrong = bytearray(gzip.compress(whole, mtime=0))
    sum_wrong[-8] ^= 1
    yield "checksum-wrong.pcap.gz", bytes(sum_wrong)


LINKS = [("vlan", vlan, 1), ("qinq", qinq, 1), ("pppoe", pppoe, 1),
         ("vlan-pppoe", vlan_pppoe, 1), ("mpls", mpls, 1), ("vlan-mpls", vlan_mpls, 1), ("sll", sll, 113), ("sll2", sll2, 276),
         ("raw", raw, 101), ("null", null_little, 0), ("loop", loop, 108), ("ppp", ppp, 9),
         ("ppp-bare", ppp_bare, 9), ("ppp-compressed", ppp_compressed, 9),
         ("radiotap", radiotap, 127), ("radiotap-padded", radiotap_padded, 127)]


def odd():
    """Right, but not what one would like."""
    at = EPOCH_NS
    fragments = [(at, ethernet(ipv4(udp(probe(9, 0) + bytes(900)), fragment=0x2000))),
                 (at, ethernet(ipv4(bytes(400), fragment=0x0072)))]
    yield "fragments-among.pcap", pcap(fragments + frames())
    yield "snapped-in-udp.pcap", pcap(frames(), snap=14 + 20 + 4)
    yield "no-packets.pcap", pcap([])
    back = frames()
    # LCP's echo requests, and a pseudowire: labels, then a control word and Ethernet
    others = [(at, MACS + bytes.fromhex("8864" "1100" "0001" "000a" "c021" "0901000800000000")),
              (at, MACS + bytes.fromhex("8847" "00010140" "00000000") + ethernet(ipv4(udp(bytes(40)))))]
    yield "session-and-label-among.pcap", pcap(others + frames(pppoe))
    yield "snapped-in-session.pcap", pcap(frames(pppoe), snap=14 + 7)
    yield "snapped-in-labels.pcap", pcap(frames(vlan_mpls), snap=14 + 4 + 4 + 4 + 3)
    yield "time-backwards.pcap", pcap(back[:8] + [(t - 3 * SPACING_NS, f) for t, f in back[8:]])
    yield "every-packet-twice.pcap", pcap([(t + i * 4000, f) for t, f in frames() for i in (0, 1)])
    yield "link-type-unknown.pcap", pcap(frames(), dlt=147)
    yield "classic.pcap", pcap(frames(make=lambda train, i: bytes([train * LENGTH + i]) + b"\xa5" * 9))


def damaged():
    whole = pcap(frames())
    record = 16 + SNAP
    yield "empty.pcap", b""
    yield "cut-in-file-header.pcap", whole[:20]
    yield "cut-in-record-header.pcap", whole[:24 + 12 * record + 9]
    yield "cut-in-record.pcap", whole[:24 + 12 * record + 40]
    yield "caplen-absurd.pcap", whole[:24 + 12 * record + 8] + b"\xff" * 8 + whole[24 + 12 * record + 16:]
    yield "caplen-absurd-in-first.pcap", whole[:24 + 8] + b"\xff" * 8 + whole[24 + 16:]
    zero = struct.pack("<IIII", 1_700_000_000, 0, 0, 0)
    yield "record-of-zero-bytes.pcap", whole[:24] + zero + whole[24:]
    yield "nanoseconds-past-a-second.pcap", whole[:24] + struct.pack(
        "<IIII", 1_700_000_000, 2**31, 60, 60) + bytes(60) + whole[24:]
    ng = pcapng(frames())
    yield "cut-in-block.pcapng", ng[:-50]
    yield "block-length-absurd.pcapng", ng[:-4] + struct.pack("<I", 13)


for vectors in (same(), odd(), damaged(), packed()):
    for name, data in vectors:
        with open(os.path.join(HERE, name), "wb") as out:
            out.write(data)

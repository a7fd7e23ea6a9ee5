# SPDX-License-Identifier: BSD-3-Clause
"""Where the tests find this tree: its captures, its headers, and the program to compare with."""
import gzip
import os
import pathlib
import random

import pytest

TREE = pathlib.Path(__file__).resolve().parents[3]
VECTORS = TREE / "tests" / "vectors"
BIN = pathlib.Path(os.environ.get("BIN", TREE / "build" / "bin"))


@pytest.fixture(scope="session")
def tree():
    return TREE


@pytest.fixture(scope="session")
def program():
    path = BIN / "pprec"
    if not path.exists():
        pytest.fail("%s is missing: make" % path)
    return str(path)


@pytest.fixture(scope="session")
def ns3(tmp_path_factory):
    """The kept captures of ns-3, unpacked."""
    room = tmp_path_factory.mktemp("ns3")
    found = []
    for packed in sorted((VECTORS / "ns3").glob("*.pcap.gz")):
        plain = room / packed.name[:-3]
        plain.write_bytes(gzip.decompress(packed.read_bytes()))
        found.append(plain)
    return found


@pytest.fixture(scope="session")
def fixtures():
    return sorted(path for path in VECTORS.iterdir() if path.suffix in (".pcap", ".pcapng"))


@pytest.fixture
def chance():
    seed = int(os.environ.get("PP_SEED", random.SystemRandom().randrange(1 << 32)))
    print("PP_SEED=%d" % seed)
    return random.Random(seed)

# SPDX-License-Identifier: BSD-3-Clause
"""The extension module, and whether the library that was loaded with it is one that it can use."""
from typing import Tuple

try:
    from ._native import ffi as ffi
    from ._native import lib as lib
except ImportError as error:  # most often a shared library that is missing
    raise ImportError("pprec: its extension module does not load (%s); it wants libpprec.so.0, libpcap and, where "
                      "the library was built with them, libsodium and others" % error) from error


def _number(version: str) -> Tuple[int, ...]:
    return tuple(int(part) for part in version.split("-")[0].split("."))


def text(words: object) -> str:
    """A C string; "" for NULL."""
    return "" if words == ffi.NULL else ffi.string(words).decode("utf-8", "replace")


built_for = text(lib.HEADER_VERSION)
header_digest = text(lib.HEADER_DIGEST)
loaded = text(lib.pprec_version())

# A later library knows by the sizes that it is told which fields there are. An earlier one would
# give callbacks less than they copy.
if _number(loaded) < _number(built_for):
    raise ImportError("pprec: libpprec is of version %s, and this module was built for %s" % (loaded, built_for))

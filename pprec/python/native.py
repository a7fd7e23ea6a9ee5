# SPDX-License-Identifier: BSD-3-Clause
"""Makes the extension module pprec._native from libpprec's own headers (cffi, API mode).

No struct is written down here: pprec.h goes through the C preprocessor, loses the bodies of its
inline functions, and is what cffi parses. The C compiler then compiles the same header, and cffi
compares both layouts, so neither can be off by a field. libpprec is found by pkg-config.
"""
import hashlib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from typing import List

import cffi

HERE = pathlib.Path(__file__).resolve().parent
SINK = HERE / "src" / "pprec" / "sink.h"
HEADERS = ("core.h", "media.h", "source.h")


def pkg_config(*options: str) -> List[str]:
    """Words that pkg-config says of libpprec."""
    command = [os.environ.get("PKG_CONFIG", "pkg-config"), *options, "pprec"]
    try:
        return shlex.split(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit("pprec: libpprec is not found by pkg-config: install libpprec-dev, or set "
                 "PKG_CONFIG_PATH to where pprec.pc is (%s)" % error)


def preprocessed(header: pathlib.Path, include: List[str]) -> str:
    """The declarations of a header and of what it includes, without those of the system:
    cffi knows the types of stdint.h by itself."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    with tempfile.TemporaryDirectory() as empty:
        for name in ("stddef.h", "stdint.h"):
            (pathlib.Path(empty) / name).touch()
        command = [*compiler, "-E", "-P", "-undef", "-nostdinc", "-isystem", empty, *include, str(header)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def without_bodies(text: str) -> str:
    """Leaves out inline functions: the ones in _sized, which they wrap, are called instead."""
    left, position = [], 0
    for found in re.finditer(r"static\s+inline\b[^{;]*\{", text):
        if found.start() < position:
            continue
        left.append(text[position:found.start()])
        depth, position = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[position], 0)
            position += 1
    return "".join(left) + text[position:]


def header_directory() -> pathlib.Path:
    """Where pprec/pprec.h is installed."""
    directory = subprocess.run([os.environ.get("PKG_CONFIG", "pkg-config"), "--variable=includedir", "pprec"],
                               check=True, capture_output=True, text=True).stdout.strip()
    return pathlib.Path(directory) / "pprec"


def header_digest(directory: pathlib.Path) -> str:
    """Tells one version of the public headers from another; pprec.header_digest is that of the build."""
    digest = hashlib.sha256()
    for name in HEADERS:
        digest.update((directory / name).read_bytes())
    return digest.hexdigest()


def make_builder() -> cffi.FFI:
    include = pkg_config("--cflags")
    directory = header_directory()
    builder = cffi.FFI()
    # sink.h includes pprec.h: the struct of a row is the library's, and a few words more.
    builder.cdef(without_bodies(preprocessed(SINK, [*include, "-I%s" % directory.parent])))
    builder.cdef("#define PPREC_UNKNOWN_NS ...\nstatic char *const HEADER_VERSION;\nstatic char *const HEADER_DIGEST;")
    builder.set_source(
        "pprec._native",
        '#include "sink_code.h"\n'
        "static char *const HEADER_VERSION = PPREC_VERSION;\n"
        'static char *const HEADER_DIGEST = "%s";\n' % header_digest(directory),
        include_dirs=[str(SINK.parent), str(directory.parent)],
        libraries=["pprec"],
        library_dirs=[word[2:] for word in pkg_config("--libs") if word.startswith("-L")],
        # Beside the module, where a wheel brings it; else the system's.
        extra_link_args=["-Wl,-rpath,$ORIGIN"],
        extra_compile_args=["-std=c11", "-Wall", "-Wextra"],
    )
    return builder


builder = make_builder()

if __name__ == "__main__":
    builder.compile(verbose=True)

# SPDX-License-Identifier: BSD-3-Clause
"""Layouts are the headers': those of this tree, by the compiler, field by field; and a header that is another one
fails."""
import importlib.util
import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

import pprec
from pprec import settings, words
from pprec._library import ffi
from pprec.layout import dtype_of

STRUCTS = sorted(name for name in ffi.list_types()[1] if name.startswith("pprec_") and name != "pprec")


@pytest.fixture(scope="module")
def native(tree):
    """native.py, as the build has it, without building."""
    spec = importlib.util.spec_from_file_location("native", tree / "pprec/python/native.py")
    module = importlib.util.module_from_spec(spec)
    if subprocess.run(["pkg-config", "--exists", "pprec"]).returncode:
        pytest.skip("PKG_CONFIG_PATH does not lead to pprec.pc")
    spec.loader.exec_module(module)
    return module


def test_built_from_the_headers_of_this_tree(tree, native):
    assert pprec.header_digest == native.header_digest(tree / "pprec"), "the headers have changed: make python"


def offsets_by_the_compiler(tree, room):
    """A program that prints what the C compiler makes of each struct."""
    lines = []
    for struct in STRUCTS:
        lines.append('printf("%s - %%zu 0\\n", sizeof(struct %s));' % (struct, struct))
        lines += ['printf("%s %s %%zu %%zu\\n", offsetof(struct %s, %s), sizeof(((struct %s *)0)->%s));' % (
            struct, field, struct, field, struct, field) for field, _ in ffi.typeof("struct " + struct).fields]
    source = room / "layout.c"
    source.write_text("#include <pprec/pprec.h>\n#include <stdio.h>\nint main(void) { %s return 0; }\n" % "\n".join(lines))
    subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-I%s" % tree, "-o", room / "layout", source], check=True)
    return subprocess.run([room / "layout"], check=True, capture_output=True, text=True).stdout.splitlines()


def test_every_field_is_where_the_compiler_has_it(tree, tmp_path):
    assert len(STRUCTS) >= 15 and "pprec_arrival" in STRUCTS
    checked = 0
    for line in offsets_by_the_compiler(tree, tmp_path):
        struct, field, first, second = line.split()
        ctype = ffi.typeof("struct " + struct)
        if field == "-":
            assert ffi.sizeof(ctype) == int(first), struct
            continue
        described = dict(ctype.fields)[field]
        assert (described.offset, ffi.sizeof(described.type)) == (int(first), int(second)), line
        checked += 1
    assert checked > 150


def test_every_field_of_the_headers_is_known(tree):
    """Nothing of a struct is lost on the way: the names of the header's text are those of the module."""
    for header in ("core.h", "source.h"):
        text = re.sub(r"/\*.*?\*/", "", (tree / "pprec" / header).read_text(), flags=re.S)
        for struct, body in re.findall(r"struct (pprec_\w+) \{(.*?)\n\};", text, flags=re.S):
            names = [re.search(r"\(\*(\w+)\)|(\w+)(?:\[[^]]*\])?$", part.strip(' \n;')) for declaration in body.split(";")
                     for part in (re.split(r",(?![^(]*\))", declaration) if "(" not in declaration else [declaration])
                     if part.strip(" \n;")]
            wanted = [found.group(1) or found.group(2) for found in names if found]
            assert wanted == [name for name, _ in ffi.typeof("struct " + struct).fields], struct


def test_types_of_numpy_cover_the_struct():
    for struct in STRUCTS:
        assert dtype_of(struct).itemsize == ffi.sizeof("struct " + struct)


@pytest.mark.parametrize("change, found", [
    (("uint32_t stream;\n    uint32_t train;", "uint64_t stream;\n    uint32_t train;"), False),
    (("    uint16_t position;      /* in", "    uint16_t train_;\n    uint16_t position;      /* in"), False),
    (("a parameter is out of its range: pprec_error() names it", "a comment"), False),
    ((), True)])
def test_a_drift_is_found(tree, native, tmp_path, change, found):
    """Of a header with another layout, or any other text, the digest is another one."""
    room = tmp_path / "pprec"
    room.mkdir()
    for name in native.HEADERS:
        text = (tree / "pprec" / name).read_text()
        changed = text.replace(*change, 1) if change and name == "core.h" else text
        assert not change or name != "core.h" or changed != text
        (room / name).write_text(changed)
    assert (native.header_digest(room) == pprec.header_digest) is found


def test_a_wrong_layout_is_refused_by_cffi(tree, native, tmp_path):
    """What keeps the module from being wrong: declarations that differ from what the compiler sees do not load."""
    import cffi
    wrong = cffi.FFI()
    wrong.cdef("struct pprec_stamp { int64_t ns; uint32_t clock; uint8_t source; };")
    wrong.set_source("drifted", "#include <pprec/core.h>", include_dirs=[str(tree)])
    with pytest.raises(Exception, match="wrong|error"):
        wrong.compile(tmpdir=str(tmp_path))
        sys.path.insert(0, str(tmp_path))
        try:
            import drifted
            drifted.ffi.sizeof("struct pprec_stamp")
        finally:
            sys.path.remove(str(tmp_path))


def test_settings_are_those_of_the_struct():
    assert sorted(settings.Settings.__annotations__) == sorted(settings.names())


def test_words():
    assert words.word("pprec_state", pprec.State.CONVERGED) == "converged"
    assert words.number("pprec_verdict", "sender_limited") == pprec.Verdict.SENDER_LIMITED
    assert pprec.sure_states() == ["converged", "shaped", "fair", "policed", "varying"]
    assert "adaptive" in pprec.filters()
    with pytest.raises(ValueError):
        words.number("pprec_state", "certain")


def test_an_older_library_is_refused(tmp_path):
    """The module copies as much of a train as its header has."""
    package = pathlib.Path(pprec.__file__).parent
    code = ("import sys; sys.path.insert(0, %r); import pprec._library" % str(package.parent))
    library = (package / "_library.py").read_text().replace('text(lib.HEADER_VERSION)', '"99.0.0"')
    copy = tmp_path / "pprec"
    copy.mkdir()
    for file in package.iterdir():
        if file.is_file() and file.name != "_library.py":
            (copy / file.name).symlink_to(file)
    (copy / "_library.py").write_text(library)
    run = subprocess.run([sys.executable, "-c", code.replace(str(package.parent), str(tmp_path))],
                         capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode and "is of version" in run.stderr and "99.0.0" in run.stderr

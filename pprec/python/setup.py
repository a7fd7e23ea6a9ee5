# SPDX-License-Identifier: BSD-3-Clause
"""What pyproject.toml cannot say: the version is the library's, the extension module is native.py's."""
import pathlib
import re

from setuptools import setup

HERE = pathlib.Path(__file__).resolve().parent


def version() -> str:
    """Of the archive; in the tree of the library, of its header."""
    stated = HERE / "VERSION"
    if stated.exists():
        return stated.read_text().strip()
    header = (HERE.parent / "core.h").read_text()
    found = re.search(r'PPREC_VERSION "(.*)"', header)
    assert found is not None, "core.h has no PPREC_VERSION"
    return found.group(1)


setup(version=version(), cffi_modules=["native.py:builder"],
      options={"bdist_wheel": {"py_limited_api": "cp39"}})

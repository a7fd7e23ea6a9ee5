# SPDX-License-Identifier: BSD-3-Clause
"""Words and addresses: the library's enums and endpoints as text, and back."""
from __future__ import annotations

import ipaddress
from functools import lru_cache
from typing import Any, Dict, List, Tuple, Union

import numpy as np

from ._library import ffi, lib, text
from .errors import InvalidError
from .layout import dtype_of

Endpoint = Union[str, Tuple[str, int]]

def _speller(enum: str) -> Any:
    """The function that spells an enum: its name and _name()."""
    return getattr(lib, enum + "_name", None)


def spells(enum: str) -> bool:
    return _speller(enum) is not None


@lru_cache(maxsize=None)
def word(enum: str, value: int) -> str:
    """The word of an enum's value; "" where it has none, as of PPREC_WHY_NONE."""
    return text(_speller(enum)(value))


def number(enum: str, spelt: str) -> int:
    """The value that a word stands for. InvalidError where none does."""
    for value in range(len(ffi.typeof("enum " + enum).elements)):
        if word(enum, value) == spelt:
            return value
    raise InvalidError("'%s': no %s of libpprec" % (spelt, enum.replace("pprec_", "")))


def is_sure(state: Union[str, int]) -> bool:
    """Whether an estimate of this state is meant to be used."""
    value = number("pprec_state", state) if isinstance(state, str) else state
    return bool(lib.pprec_state_is_sure(value))


def sure_states() -> List[str]:
    """The states that are answers, by this library."""
    return [word("pprec_state", value) for value in range(len(ffi.typeof("enum pprec_state").elements))
            if lib.pprec_state_is_sure(value)]


def filters() -> Dict[str, str]:
    """Names of the filters, and a line on each."""
    known: Dict[str, str] = {}
    while lib.pprec_filter_name(len(known)) != ffi.NULL:
        known[text(lib.pprec_filter_name(len(known)))] = text(lib.pprec_filter_usage(len(known)))
    return known


def endpoint_text(endpoint: Any) -> str:
    """"192.0.2.1:9000", "[2001:db8::1]:9000" of a struct pprec_endpoint *; "" for none."""
    room = ffi.new("char[64]")
    lib.pprec_endpoint_text(endpoint, room, 64)
    return "" if endpoint.ip == 0 else text(room)


def endpoint(value: Endpoint) -> Any:
    """A struct pprec_endpoint * of "192.0.2.1:9000", "[2001:db8::1]:9000" or (address, port)."""
    if isinstance(value, str):
        address, _, port = value.rpartition(":")
    else:
        address, port = value[0], str(value[1])
    try:
        known = ipaddress.ip_address(address.strip("[]"))
        made = ffi.new("struct pprec_endpoint *", {"port": int(port), "ip": known.version})
    except (ValueError, OverflowError) as error:
        raise InvalidError("'%s': no address and port, as 192.0.2.1:9000 or [2001:db8::1]:9000" % (value,)) from error
    ffi.memmove(made.address, known.packed, len(known.packed))
    return made


def endpoint_array(value: Endpoint) -> Any:
    """The same as an element for arrays of arrivals: batch["source"] = endpoint_array("192.0.2.1:9000")."""
    made = endpoint(value)
    return np.frombuffer(bytes(ffi.buffer(made)), dtype=dtype_of("pprec_endpoint"))[0]

# SPDX-License-Identifier: BSD-3-Clause
"""Settings of a handle: the fields of struct pprec_config, by their names."""
from __future__ import annotations

from typing import Any, List, Mapping, TypedDict

from ._library import ffi, lib
from .errors import InvalidError
from .words import Endpoint, endpoint


class Settings(TypedDict, total=False):
    """What can be set; left out, a setting is the library's default. pprec/core.h says what each is."""

    layer: str
    filter: str
    window: int
    train_length: int
    classic: bool
    expect: int
    streams_max: int
    key: bytes
    max_age_s: int
    whole_window: bool
    sent_to: Endpoint
    memory_bytes: int
    address_streams_max: int
    idle_s: int
    estimate_change: float
    estimate_interval_ms: int
    congestion_interval_ms: int
    abs_send_time_id: int


def names() -> List[str]:
    """Settings that this library has: all of the struct but what the package sets itself."""
    return [name for name, field in ffi.typeof("struct pprec_config").fields
            if name not in ("struct_bytes", "user") and field.type.kind != "function"]


def configure(settings: Mapping[str, Any], alive: List[Any]) -> Any:
    """A struct pprec_config * with these settings. alive: gets what must live as long as it does.
    TypeError for what is no setting, InvalidError for what cannot be one."""
    config = ffi.new("struct pprec_config *")
    lib.pprec_config_init_sized(config, ffi.sizeof(config[0]))
    known = names()
    for name, value in settings.items():
        if name not in known:
            raise TypeError("'%s' is no setting; there are %s" % (name, ", ".join(known)))
        try:
            _set(config, name, value, alive)
        except (OverflowError, TypeError) as error:
            raise InvalidError("%s: %r is out of its range (%s)" % (name, value, error)) from error
    return config


def _set(config: Any, name: str, value: Any, alive: List[Any]) -> None:
    if name == "key":
        if len(value) != lib.PPREC_KEY_BYTES:
            raise InvalidError("key: %d bytes, not %d" % (len(value), lib.PPREC_KEY_BYTES))
        alive.append(ffi.new("uint8_t[]", bytes(value)))
        config.key = alive[-1]
    elif name == "sent_to":
        config.sent_to = endpoint(value)[0]
    elif isinstance(value, str):
        alive.append(ffi.new("char[]", value.encode()))
        setattr(config, name, alive[-1])
    else:
        setattr(config, name, value)

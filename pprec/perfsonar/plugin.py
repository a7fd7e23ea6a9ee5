# SPDX-License-Identifier: BSD-3-Clause
"""What the test `capacity` and the tool `pprec` share: JSON in and out as pScheduler's plug-ins have it, and what
their specifications and results are. Python's own library is enough."""
import datetime
import html
import ipaddress
import json
import re
import sys

SPEC_SCHEMA = 1
RESULT_SCHEMA = 1
DEFAULT_DURATION_S = 45  # most links are decided in 8 to 30 s
LAYERS = ("udp", "ip", "l2", "wire")

HOST = re.compile(r"[A-Za-z0-9_][A-Za-z0-9-]{0,62}(\.[A-Za-z0-9][A-Za-z0-9-]{0,62})*\.?")
DURATION = re.compile(r"P(?:(?P<weeks>\d+(?:\.\d+)?)W)?(?:(?P<days>\d+(?:\.\d+)?)D)?"
                      r"(?:T(?:(?P<hours>\d+(?:\.\d+)?)H)?(?:(?P<minutes>\d+(?:\.\d+)?)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?")


# --- In and out ---

def fail(message, status=1):
    """One line on standard error, nothing on standard output."""
    sys.stderr.write(message.rstrip() + "\n")
    sys.exit(status)


def succeed(value):
    """A method's answer."""
    json.dump(value, sys.stdout)
    sys.stdout.write("\n")
    sys.exit(0)


def without_comments(value):
    """Pairs whose name begins with # are comments in pScheduler's JSON."""
    if isinstance(value, dict):
        return {name: without_comments(item) for name, item in value.items() if not name.startswith("#")}
    if isinstance(value, list):
        return [without_comments(item) for item in value]
    return value


def load(kind=dict):
    """Standard input, which must be an object (or what kind says)."""
    try:
        value = without_comments(json.load(sys.stdin))
    except ValueError as error:
        fail("Invalid JSON: %s" % error)
    if not isinstance(value, kind):
        fail("Invalid JSON: not what this method takes")
    return value


# --- Values ---

def seconds_of(duration):
    """Of an ISO 8601 duration without months or years. ValueError where it is none."""
    found = DURATION.fullmatch(duration) if isinstance(duration, str) else None
    if found is None or duration.endswith(("P", "T")):
        raise ValueError("'%s' is not a valid ISO 8601 duration" % (duration,))
    parts = {name: float(value) for name, value in found.groupdict().items() if value is not None}
    return datetime.timedelta(**parts).total_seconds()


def is_address(text):
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _host(value):
    return isinstance(value, str) and (is_address(value) or (len(value) <= 255 and bool(HOST.fullmatch(value))))


def _node(value):
    """A host, and perhaps a port; addresses of IPv6 in brackets."""
    if not isinstance(value, str):
        return False
    found = re.fullmatch(r"\[([0-9A-Fa-f:.]+)\](:\d{1,5})?", value)
    if found is not None:
        return is_address(found.group(1))
    return _host(re.sub(r":\d{1,5}$", "", value))


def _duration(value):
    try:
        return 2 <= seconds_of(value) <= 3600
    except ValueError:
        return False


def _group(value):
    """GROUP or GROUP@SOURCE, as of pprec -g."""
    if not isinstance(value, str):
        return False
    group, _, source = value.partition("@")
    return (is_address(group) and ipaddress.ip_address(group).is_multicast
            and ("@" not in value or (is_address(source) and not ipaddress.ip_address(source).is_multicast
                                      and ipaddress.ip_address(source).version == ipaddress.ip_address(group).version)))


def _whole(least, most):
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _length(value):
    return _whole(2, 256)(value) and value & (value - 1) == 0


def _layer(value):
    return value in LAYERS if isinstance(value, str) else _whole(0, 1000)(value)


def _hosts(value):
    return isinstance(value, list) and len(value) > 0 and all(_host(item) for item in value)


# Name, whether it is so, what it is to be, and its text for people.
SPEC = (
    ("schema", _whole(1, SPEC_SCHEMA), "the number 1", None),
    ("source", _host, "a host name or an address", "Source"),
    ("source-node", _node, "a host with or without a port", "Source Node"),
    ("dest", _host, "a host name or an address", "Destination"),
    ("dest-node", _node, "a host with or without a port", "Destination Node"),
    ("receivers", _hosts, "a list of hosts", "Further Receivers"),
    ("group", _group, "GROUP or GROUP@SOURCE, numeric", "Multicast Group"),
    ("ip-version", lambda value: value in (4, 6) and not isinstance(value, bool), "4 or 6", "IP Version"),
    ("port", _whole(1, 65535), "from 1 to 65535", "Port"),
    ("duration", _duration, "an ISO 8601 duration from 2 seconds to an hour", "Duration"),
    ("packet-size", _whole(64, 9100), "bytes at the layer, from 64 to 9100", "Packet Size"),
    ("train-length", _length, "a power of two from 2 to 256", "Train Length"),
    ("interval", _whole(1, 60000), "milliseconds from train to train, from 1 to 60000", "Interval (ms)"),
    ("layer", _layer, "udp, ip, l2, wire or a number of bytes", "Layer"),
    ("dscp", _whole(0, 63), "from 0 to 63", "DSCP"),
    ("ttl", _whole(1, 255), "from 1 to 255", "Hop Limit"),
)


def spec_is_valid(spec):
    """(True, "OK"), or (False, why not)."""
    known = {name: (right, meant) for name, right, meant, _ in SPEC}
    if not isinstance(spec, dict):
        return False, "A specification is an object"
    for name, value in spec.items():
        if name not in known:
            return False, "Unknown option '%s'" % name
        right, meant = known[name]
        if not right(value):
            return False, "%s: %s is not %s" % (name, json.dumps(value), meant)
    if "dest" not in spec:
        return False, "Missing dest"
    if "receivers" in spec and "group" not in spec:
        return False, "receivers: only a multicast group has several"
    if "group" in spec and "ip-version" in spec and (
            ipaddress.ip_address(spec["group"].partition("@")[0]).version != spec["ip-version"]):
        return False, "group: not of ip-version %d" % spec["ip-version"]
    return True, "OK"


def valid_spec(spec):
    """The same specification; fails where it is none."""
    valid, message = spec_is_valid(spec)
    if not valid:
        fail(message)
    return spec


def result_is_valid(result):
    """(True, "OK"), or (False, why not)."""
    if not isinstance(result, dict) or not isinstance(result.get("succeeded"), bool):
        return False, "A result says whether it succeeded"
    if not _whole(1, RESULT_SCHEMA)(result.get("schema", 1)):
        return False, "schema: higher than %d" % RESULT_SCHEMA
    if not result["succeeded"]:
        return True, "OK"
    if not isinstance(result.get("receivers"), list) or not result["receivers"]:
        return False, "Missing receivers"
    for receiver in result["receivers"]:
        if not isinstance(receiver, dict) or not isinstance(receiver.get("state"), str):
            return False, "Each receiver has a state"
        if not all(isinstance(receiver.get(name), (int, float, type(None))) for name in ("capacity", "low", "high")):
            return False, "capacity, low and high are numbers"
    return True, "OK"


# --- For people ---

def rate(bps):
    if bps is None:
        return "not known"
    for unit, size in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if bps >= size:
            return "%.4g %s" % (bps / size, unit)
    return "%.4g bit/s" % bps


def formatted(rows, mime):
    """Rows of a name and a value, as text or as a table of HTML."""
    if mime == "text/plain":
        width = max(len(name) for name, _ in rows)
        return "\n".join("%s %s" % ((name + " ").ljust(width + 4, "."), value) for name, value in rows)
    if mime == "text/html":
        cells = "\n".join("<tr><td>%s</td><td>%s</td></tr>" % (html.escape(name), html.escape(str(value)))
                          for name, value in rows)
        return "<table>\n%s\n</table>" % cells
    fail("Unsupported MIME type \"%s\"" % mime)
    return None


def mime_wanted():
    return sys.argv[1] if len(sys.argv) > 1 else "text/plain"

"""Which protocol is spoken, by the names that its frames have around their payload."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

ENVELOPES: Final[Mapping[str, tuple[tuple[str, ...], int]]] = {
    "relay": (("protocolVersion", "messageType", "senderRole", "requestId", "payload"), 3),
    "hook": (("v", "type", "payload"), 2),
}
"""By protocol: the names in an envelope, and how many of them must be there."""
_SURE: Final = {
    "relay": (b'"messageType"', b'"senderRole"'),
    "hook": (b'"v"', b'"type"', b'"payload"'),
}


def speaks(names: Collection[str]) -> str:
    """The protocol of an object with these names; "" for no frame of any."""
    for protocol, (known, least) in ENVELOPES.items():
        if sum(name in names for name in known) >= least:
            return protocol
    return ""


def spoken_in(data: bytes | str) -> str:
    """The protocol of the frames in a line or a file; "" where none shows it.

    Frames may stand in it as texts, in texts: their names do all the same.
    """
    line = data.encode(errors="replace") if isinstance(data, str) else data
    names = line.replace(b"\\", b"")
    for protocol, marks in _SURE.items():
        if all(mark in names for mark in marks):
            return protocol
    return ""

"""Traces, ours and those of live runs: only what a reader of frames would have seen of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import msgspec

from sim.check.entry import CLOSED, DELIVERED, DOUBLED, FAULT, FRAME, LOST, OPENED, BadLine, Entry
from sim.check.lines import decoded
from sim.check.protocols import judged
from sim.core.errors import UsageError
from sim.core.trace import decode_header, is_snapshot, is_trace
from sim.scenario.parse import parse_scenario

_SEEN: Final = (b'{"kind":"Frame', b'{"kind":"Connection', b'{"kind":"Fault')
_KIND: Final = b'{"kind":"'
_WHAT: Final = {
    "FrameSent": FRAME,
    "FrameDelivered": DELIVERED,
    "FrameLost": LOST,
    "ConnectionOpened": OPENED,
    "ConnectionClosed": CLOSED,
}


class _Line(msgspec.Struct):
    """The facts of the events that tell of frames."""

    kind: str
    n: int
    at: int
    link: str = ""
    sender: str = ""
    receiver: str = ""
    client: str = ""
    server: str = ""
    lane: str = ""
    sent: int = -1
    nth: int = 0
    by: str = ""
    why: str = ""
    code: int = 1006
    reason: str = ""
    fault: str = ""
    host: str = ""
    frame: msgspec.Raw = msgspec.Raw()


class _Bad(msgspec.Struct):
    type: str = ""
    text: str | None = None


def _bad_text(data: bytes) -> str | None:
    try:
        return _bad(data).text
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        return msgspec.convert(json.loads(data), _Bad).text


_line = msgspec.json.Decoder(_Line).decode
_bad = msgspec.json.Decoder(_Bad).decode


class TraceReader:
    """Reads the lines of a trace. Facts of an entry are the event's."""

    def __init__(self) -> None:
        self._clients: dict[str, str] = {}

    def read(self, number: int, line: bytes) -> Entry | BadLine | None:
        """What a line says; None for events that no frame shows, and for snapshots."""
        if not line.startswith(_SEEN):
            return self._other(number, line)
        try:
            event = _event(line)
            what = _WHAT.get(event.kind)
            if what is None:
                return self._fault(number, event)
            text = _text_of(event.frame) if what is FRAME else ""
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            return BadLine(number, len(line.decode(errors="replace")) + 1, f"no event: {error}")
        if what is OPENED:
            self._clients[event.link] = event.client
        up = event.sender == self._clients.get(event.link)
        return Entry(what, number, event.at, event.link, up, text, facts=event)

    def _fault(self, number: int, event: _Line) -> Entry | None:
        """``duplicate D.slack#1 D>S 14``, or any other fault."""
        words = event.fault.split()
        if not words:
            return None
        if len(words) < 4 or words[0] != "duplicate":
            return Entry(FAULT, number, event.at, facts=event)
        sender = words[2].partition(">")[0]
        event.nth = int(words[3]) if words[3].isdigit() else 0
        up = sender == self._clients.get(words[1])
        return Entry(DOUBLED, number, event.at, words[1], up, facts=event)

    def _other(self, number: int, line: bytes) -> BadLine | None:
        """Lines that say nothing of frames, if they are whole."""
        stripped = line.strip()
        if not stripped or is_snapshot(stripped) or is_trace(stripped):
            return None
        if stripped.startswith(_KIND) and stripped.endswith(b"}"):
            return None
        value = decoded(stripped.decode(errors="replace"))
        if isinstance(value, ValueError):
            column = len(line.decode(errors="replace")) + 1
            return BadLine(number, column, "the line ends in the middle of an event")
        return BadLine(number, 1, "no event of a trace")


def protocol_in(line: bytes) -> str:
    """The protocol that a trace's header names; "" where it names none."""
    try:
        return decode_header(Path("the trace"), line).protocol
    except UsageError:
        return ""


def judged_sides(line: bytes, protocol: str) -> frozenset[str]:
    """The kinds of host that a trace's header lets one judge.

    What a scenario's puppets do, the scenario has told them to do: where there is a puppet
    of a kind, nothing of that kind is a finding. Outside programs are always judged.
    """
    sides = judged(protocol).sides
    try:
        header = decode_header(Path("the trace"), line)
        scenario = parse_scenario(header.source, "the trace's scenario") if header.source else None
    except UsageError:
        return sides  # damaged, or a scenario of another version
    if scenario is None:
        return sides
    puppets = {one.kind for one in scenario.participants if one.puppet is not None}
    return sides - (puppets - set(header.outside))


def _event(line: bytes) -> _Line:
    """The facts of a line. Raises MsgspecError, ValueError or RecursionError."""
    try:
        return _line(line)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        # Only the standard library reads a lone surrogate's escape, which a trace may have.
        value = json.loads(line)
        raw = json.dumps(value.pop("frame", None), separators=(",", ":")).encode()
        event = msgspec.convert(value, _Line)
        event.frame = msgspec.Raw(raw)
        return event


def _text_of(frame: msgspec.Raw) -> str:
    """The frame as it stood on the wire, or would have."""
    data = bytes(frame)
    if data.startswith(b'{"type":"(bad)"'):
        text = _bad_text(data)
        if text is not None:
            return text
    return data.decode()

"""The index of a trace, read in slices: five numbers per event.

Nothing waits for it. What it gives is speed for whole-trace questions (how
many turn.end? where is the next fault?), and offsets, so that a jump need not
bisect any more.
"""

from __future__ import annotations

import json
from array import array
from typing import Any

import msgspec

from sim.core.errors import TraceError
from sim.core.event import AnyEvent
from sim.view.tracefile import DAMAGED, TraceFile

KINDS: tuple[str, ...] = tuple(sorted(one.__name__ for one in AnyEvent.__args__))
"""All kinds of events; ``Columns.kind`` holds places in this list."""

_PLACE = {name: place for place, name in enumerate(KINDS)}
_SNAPSHOT = "Snapshot"


class _Word(msgspec.Struct):
    """Of a frame, a request or an act only the word for it."""

    type: Any = ""
    tag: Any = msgspec.field(name="is", default="")
    family: Any = msgspec.field(name="messageType", default="")


class _Slim(msgspec.Struct):
    """What the index takes of a line; all the rest is passed over undecoded."""

    kind: str
    n: int
    at: int = 0
    link: str = ""
    host: str = ""
    sender: str = ""
    caller: str = ""
    client: str = ""
    type: Any = ""
    what: Any = ""
    timer: Any = ""
    target: Any = ""
    frame: _Word | str | int | float | bool | list[Any] | None = None
    request: _Word | str | int | float | bool | list[Any] | None = None
    act: _Word | str | int | float | bool | list[Any] | None = None


_decoder = msgspec.json.Decoder(_Slim)


def _read(line: bytes) -> _Slim:
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return msgspec.convert(json.loads(line), _Slim)


def _word(slim: _Slim) -> str:
    """The frame's type, the request's or act's word, or what was noted."""
    if slim.kind in ("FrameDelivered", "FrameLost"):
        return str(slim.type)
    for value in (slim.frame, slim.request, slim.act):
        if isinstance(value, _Word):
            return str(value.tag or value.type or value.family or "")
    return str(slim.what or slim.timer or "")


class Words:
    """Texts as small numbers."""

    def __init__(self) -> None:
        self.texts: list[str] = [""]
        self._places: dict[str, int] = {"": 0}

    def place(self, text: str) -> int:
        """The number of a text, a new one when it is new."""
        found = self._places.get(text)
        if found is None:
            found = self._places[text] = len(self.texts)
            self.texts.append(text)
        return found


class Columns:
    """One entry per event that has been read so far.

    ``offset`` bytes, ``at`` µs, ``kind`` a place in KINDS, ``host`` (who sent, called
    or did it), ``link`` and ``type`` places in ``words.texts``. ``clients``: who has connected.
    """

    def __init__(self, trace: TraceFile) -> None:
        self.trace = trace
        self.offset = array("Q")
        self.at = array("q")
        self.kind = bytearray()
        self.host = array("I")
        self.link = array("I")
        self.type = array("I")
        self.words = Words()
        self.clients: dict[str, None] = {}
        self._next = trace.first
        trace.offsets = self.offset

    def __len__(self) -> int:
        return len(self.offset)

    @property
    def done(self) -> bool:
        """Whether all events of the trace are in (it may grow again)."""
        return len(self.offset) >= self.trace.count

    def read(self, events: int) -> int:
        """Read up to so many more events; how many there were."""
        data, place, end = self.trace.data, self._next, self.trace.end
        begun = len(self.offset)
        words = self.words.place
        while place < end and len(self.offset) - begun < events:
            stop = data.find(b"\n", place, end)
            slim = self._slim(data[place:stop])
            if slim.kind != _SNAPSHOT and self._is_next(slim, place):
                self.offset.append(place)
                self.at.append(slim.at)
                self.kind.append(_PLACE.get(slim.kind, 255))
                self.host.append(words(slim.host or slim.sender or slim.caller or slim.client))
                self.link.append(words(slim.link))
                self.type.append(words(_word(slim)))
                if slim.client and slim.client not in self.clients:
                    self.clients[slim.client] = None
            place = stop + 1
        self._next = place
        return len(self.offset) - begun

    def _slim(self, line: bytes) -> _Slim:
        try:
            return _read(line)
        except (ValueError, RecursionError, msgspec.DecodeError) as error:
            if not self.trace.lenient:
                n = len(self.offset)
                told = f"{self.trace.name}: step {n}: no event of this format: {error}"
                raise TraceError(told) from error
            return _Slim("Noted", len(self.offset), what=DAMAGED)

    def _is_next(self, slim: _Slim, place: int) -> bool:
        """Whether a line goes on where the one before ended; what is missing gets a row, too."""
        missing = slim.n - len(self.offset)
        if missing and self.trace.lenient:
            for _ in range(min(missing, self.trace.count - len(self.offset))):
                self.offset.append(place)
                self.at.append(slim.at)
                self.kind.append(_PLACE["Noted"])
                self.host.append(0)
                self.link.append(0)
                self.type.append(self.words.place(DAMAGED))
        return missing >= 0 or not self.trace.lenient

    def kind_of(self, n: int) -> str:
        """The kind of an event that has been read."""
        return KINDS[self.kind[n]]

    def type_of(self, n: int) -> str:
        """Its frame type or word."""
        return self.words.texts[self.type[n]]


def place_of(kind: str) -> int:
    """What ``Columns.kind`` holds for a kind."""
    return _PLACE[kind]

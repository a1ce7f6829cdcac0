"""What every parser of frames does before it looks at one: texts, objects, booby traps.

A protocol gives its own judge of decoded frames; this sees to it that nothing
which a peer or a caller passes in makes the parser raise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, Generic, Protocol, TypeVar, cast

import attrs

from sim.wire.decode import NotJson, decode_json
from sim.wire.exact import exact
from sim.wire.javascript import as_double, number_text

MISSING: Final = object()
"""Stands for the value of a key that is not there, where null must be told from it."""


class Judged(Protocol):
    """What a judge answers, for instance a ``ParseResult``."""

    @property
    def ok(self) -> bool:
        """Whether the frame is good."""


V = TypeVar("V", bound=Judged)


@attrs.frozen
class Entrance(Generic[V]):
    """How one protocol's frames are judged.

    ``judge`` takes a decoded value, the original to make the message around, and
    whether it is to be lenient: then validators must see through subclasses of dict and
    str. ``not_json`` answers for unreadable texts, ``unreadable`` for objects that
    cannot even be looked at.
    """

    judge: Callable[[Any, Any, bool], V]
    not_json: Callable[[str], V]
    unreadable: Callable[[str], V]

    def admit(self, raw: object) -> V:
        """Judge a text frame as received, or a decoded object. Never raises."""
        if issubclass(type(raw), str):
            try:
                frame = decode_json(str.__str__(cast(str, raw)))
            except NotJson as fault:
                return self.not_json(str(fault))
            return self.judge(frame, frame, False)
        return self._admit_object(raw)

    def _admit_object(self, raw: object) -> V:
        """An object that this program holds.

        A first look asks for plain types. Where it finds fault, a second one sees
        through subclasses, without running code of theirs.
        """
        try:
            verdict = self.judge(raw, raw, False)
            if verdict.ok or not issubclass(type(raw), dict):
                return verdict
        except Exception:  # a key's __eq__ or __hash__, for instance
            pass
        try:
            return self.judge(exact(raw), raw, True)
        except Exception as fault:
            return self.unreadable(type(fault).__name__)


def shown(value: object) -> str:
    """A short text for a value of any type, for an error message."""
    if value is MISSING:
        return "undefined"
    if value is None:
        return "null"
    if type(value) is str:
        return repr(value if len(value) <= 80 else value[:80] + "…")
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is int or type(value) is float:
        number = as_double(value)
        return number_text(number) if math.isfinite(number) else str(number)
    return "(an array)" if issubclass(type(value), (list, tuple)) else "(an object)"

"""What a filter may ask about one step; nothing is decoded before somebody asks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import Any

import attrs

from sim.core.event import Event
from sim.view.columns import Columns
from sim.view.scene import kind_of
from sim.view.tracefile import TraceFile

REQUEST_FIELDS = ("requestId", "reopenOf", "request", "about", "interactionId", "interaction")
STATE_FIELDS = ("status", "state", "result", "outcome")


@attrs.define
class Lookup:
    """Where the facts of steps come from.

    ``text`` gives what is visible of an event, ``names`` the real ids by the
    diagram's names (R1), ``sets`` the steps behind selectors and ``finding``.
    """

    trace: TraceFile
    columns: Columns
    text: Callable[[Event], str] = lambda event: ""
    names: Mapping[str, str] = attrs.field(factory=dict)
    sets: dict[str, Collection[int]] = attrs.field(factory=dict)

    def facts(self, n: int) -> Facts:
        """The facts of one step."""
        return Facts(self, n)


class Facts:
    """One step, field by field. Texts come as lists: any of them may match."""

    def __init__(self, lookup: Lookup, n: int) -> None:
        self.lookup = lookup
        self.n = n

    @cached_property
    def event(self) -> Event:
        return self.lookup.trace.event(self.n)

    @cached_property
    def subject(self) -> Any:
        """The frame, request, act or row that the event is about."""
        event: Any = self.event
        for field in ("frame", "request", "act", "value", "data"):
            found = getattr(event, field, None)
            if found is not None:
                return found
        sent = getattr(event, "sent", None)
        if isinstance(sent, int) and 0 <= sent < self.n:
            return getattr(self.lookup.trace.event(sent), "frame", None)
        call = getattr(event, "call", None)
        if isinstance(call, int) and 0 <= call < self.n:
            return getattr(self.lookup.trace.event(call), "request", None)
        return None

    @property
    def _read(self) -> bool:
        return self.n < len(self.lookup.columns)

    @cached_property
    def visible(self) -> str:
        return self.lookup.text(self.event).casefold()

    def texts(self, field: str) -> list[str]:
        """The values of a text field; empty where the step has none."""
        return [text for text in _TEXTS[field](self) if text]

    def number(self, field: str) -> float | None:
        """The value of ``step``, ``t`` (seconds), ``size`` (bytes) or ``gen``."""
        if field == "step":
            return self.n
        if field == "t":
            at = self.lookup.columns.at[self.n] if self._read else self.event.at
            return at / 1_000_000
        if field == "size":
            start, end = self.lookup.trace.span(self.n)
            return end - start
        generation = self.link().rpartition("#")[2]
        return int(generation) if generation.isdigit() else None

    def within(self, selector: str) -> bool:
        """Whether the step belongs to a set: ``@marked``, ``finding`` …"""
        return self.n in self.lookup.sets.get(selector, ())

    def kind(self) -> str:
        if self._read:
            return self.lookup.columns.kind_of(self.n)
        return type(self.event).__name__

    def link(self) -> str:
        if self._read:
            return self.lookup.columns.words.texts[self.lookup.columns.link[self.n]]
        return str(getattr(self.event, "link", ""))

    def type(self) -> str:
        if self._read:
            return self.lookup.columns.type_of(self.n)
        return str(getattr(self.event, "type", "")) or kind_of(self.subject)


def _hosts(facts: Facts) -> Iterator[str]:
    for field in ("host", "sender", "receiver", "caller", "callee", "client", "server"):
        yield str(getattr(facts.event, field, ""))


def _direction(facts: Facts) -> Iterator[str]:
    event: Any = facts.event
    for source, target in (("sender", "receiver"), ("caller", "callee"), ("client", "server")):
        if hasattr(event, source):
            yield f"{getattr(event, source)}>{getattr(event, target)}"


def _lane(facts: Facts) -> Iterator[str]:
    yield str(getattr(facts.event, "lane", ""))
    yield facts.link().partition(".")[2].partition("#")[0]


def _ids(facts: Facts, fields: tuple[str, ...]) -> Iterator[str]:
    subject = facts.subject
    if not isinstance(subject, Mapping):
        return
    payload = subject.get("payload")
    for record in (subject, payload if isinstance(payload, Mapping) else {}):
        for field in fields:
            value = record.get(field)
            if isinstance(value, str) and value:
                yield value


def _requests(facts: Facts) -> Iterator[str]:
    shown = {real: name for name, real in facts.lookup.names.items()}
    for real in _ids(facts, REQUEST_FIELDS):
        yield real
        yield shown.get(real, "")


def _messages(facts: Facts) -> Iterator[str]:
    yield from _ids(facts, ("message",))
    reply = getattr(facts.event, "reply", None)
    if isinstance(reply, Mapping):
        yield str(reply.get("message", ""))


_TEXTS: Mapping[str, Callable[[Facts], Iterator[str]]] = {
    "type": lambda facts: iter((facts.type(), facts.kind())),
    "link": lambda facts: iter((facts.link(),)),
    "dir": _direction,
    "lane": _lane,
    "host": _hosts,
    "msg": _messages,
    "req": _requests,
    "state": lambda facts: _ids(facts, STATE_FIELDS),
    "choice": lambda facts: iter((str(getattr(facts.event, "fault", "")),)),
}
TEXT_FIELDS = tuple(_TEXTS)
NUMBER_FIELDS = ("gen", "step", "t", "size")

"""What a judge of frames must know of a protocol: parser, view, oracles, catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Protocol

import attrs

from sim.core.errors import UsageError
from sim.core.event import Event
from sim.core.invariant import Invariant
from sim.protocols.hook.catalogue import ROWS
from sim.protocols.hook.catalogue.frame_tables import CHECKS
from sim.protocols.hook.frames import DESKTOP_TO_SERVER, MESSAGES, SERVER_TO_DESKTOP
from sim.protocols.hook.invariants import INVARIANTS
from sim.protocols.hook.oracles.frames import DesktopFramesPass, ServerFramesPass
from sim.protocols.hook.parse import parse_hook_message
from sim.protocols.hook.view import HookView
from sim.wire.result import ParseResult


class View(Protocol):
    """A fold that the oracles ask."""

    @property
    def kinds(self) -> tuple[type[Event], ...]:
        """The event classes that matter to it."""

    def on(self, event: Event) -> None:
        """The next event."""


@attrs.frozen
class Judged:
    """One protocol, as far as frames are concerned.

    ``sections`` of the document by catalogue row, ``wrong_way`` by message type who may not
    send it (True: the client), ``parsed`` by side the rule that a refused frame breaks with
    its rows, ``fields`` the rows that are about one field, by its path.
    """

    name: str
    parse: Callable[[str], ParseResult]
    view: Callable[[], View]
    invariants: tuple[type[Invariant], ...]
    sections: Mapping[str, str]
    wrong_way: Mapping[str, bool]
    parsed: Mapping[str, tuple[str, tuple[str, ...]]]
    fields: Mapping[str, tuple[str, ...]]

    def rows_of(self, path: str | None, otherwise: tuple[str, ...]) -> tuple[str, ...]:
        """The rows of the catalogue that a field's fault breaks, as near as it is known."""
        while path:
            if path in self.fields:
                return self.fields[path]
            path = path.rpartition(".")[0]
        return otherwise


PASSED = ("HK-203",)


def _hook() -> Judged:
    by_client = {DESKTOP_TO_SERVER: False, SERVER_TO_DESKTOP: True}
    fields: dict[str, tuple[str, ...]] = {}
    for check in CHECKS:
        if check.path is not None:
            rows = fields.get(check.path, ())
            fields[check.path] = rows if check.row in rows else (*rows, check.row)
    return Judged(
        name="hook",
        parse=parse_hook_message,
        view=lambda: HookView(0, frames_only=True),
        invariants=tuple(one for one in INVARIANTS if one.from_frames),
        sections={row.id: row.section for row in ROWS.values()},
        wrong_way={
            kind: by_client[cls.DIRECTION]
            for kind, cls in MESSAGES.items()
            if cls.DIRECTION in by_client
        },
        parsed={one.obeyed_by: (one.name, PASSED) for one in (DesktopFramesPass, ServerFramesPass)},
        fields=fields,
    )


_PROTOCOLS: Mapping[str, Callable[[], Judged]] = {"hook": cache(_hook)}


def judged(protocol: str) -> Judged:
    """The record of a protocol. Raises UsageError for one that is not known."""
    try:
        return _PROTOCOLS[protocol]()
    except KeyError:
        known = ", ".join(_PROTOCOLS)
        raise UsageError(f"no protocol is called {protocol!r}; there is {known}") from None


def invariants_of(record: Judged, view: Any, sides: frozenset[str]) -> list[Invariant]:
    """The oracles that judge these sides."""
    makers: Any = record.invariants
    return [make(view) for make in makers if make.obeyed_by in sides]

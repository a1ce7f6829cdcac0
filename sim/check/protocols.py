"""What a judge of frames must know of a protocol: parser, view, oracles, catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any, Protocol, cast

import attrs

from sim.core.errors import UsageError
from sim.core.event import Event
from sim.core.invariant import Invariant
from sim.protocols import register
from sim.protocols.hook.catalogue import ROWS
from sim.protocols.hook.catalogue.frame_tables import CHECKS
from sim.protocols.hook.constants import HOOK_PROVIDERS
from sim.protocols.hook.frames import DESKTOP_TO_SERVER, MESSAGES, SERVER_TO_DESKTOP
from sim.protocols.hook.invariants import INVARIANTS
from sim.protocols.hook.oracles.frames import DesktopFramesPass, ServerFramesPass
from sim.protocols.hook.parse import parse_hook_message
from sim.protocols.hook.swift import swift
from sim.protocols.hook.view import HookView
from sim.wire.convert import reader
from sim.wire.message import Message
from sim.wire.mirror import NEVER_SURE, Swift
from sim.wire.result import ParseResult


class View(Protocol):
    """A fold that the oracles ask."""

    @property
    def kinds(self) -> tuple[type[Event], ...]:
        """The event classes that matter to it."""

    def on(self, event: Event) -> None:
        """The next event."""


@attrs.frozen(eq=False)
class Judged:
    """One protocol, as far as frames are concerned.

    ``centre`` is the kind of host that the others, ``clients``, connect to.
    ``sections`` of the document by catalogue row, ``wrong_way`` by message type who may not
    send it (True: the client), ``parsed`` by side the rule that a refused frame breaks with
    its rows, ``fields`` the rows that are about one field, by its path. ``lane_of`` says
    which channel a frame shows its connection to be for ("": none), ``learn_lane`` tells
    that to a view, ``client_of`` is the name of the client that a frame of the type
    ``greeting`` gives. ``forms`` are the rules that frames must pass the parser, ``readers`` make
    the typed payload of each type, ``swift`` reads the usual frames at once.
    """

    name: str
    centre: str
    clients: tuple[str, ...]
    parse: Callable[[str], ParseResult]
    view: Callable[[], View]
    invariants: tuple[type[Invariant], ...]
    sections: Mapping[str, str]
    wrong_way: Mapping[str, bool]
    parsed: Mapping[str, tuple[str, tuple[str, ...]]]
    fields: Mapping[str, tuple[str, ...]]
    lane_of: Callable[[Message], str]
    learn_lane: Callable[[Any, str, str], None]
    greeting: str
    client_of: Callable[[Message], str]
    forms: tuple[type[Invariant], ...]
    readers: Mapping[str, Callable[[Any], Any]]
    swift: Callable[[], Swift]

    @property
    def sides(self) -> frozenset[str]:
        """The kinds of host that write frames."""
        return frozenset((self.centre, *self.clients))

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of all rules that frames can show."""
        return tuple(one.name for one in (*self.forms, *self.invariants))

    def sentence_of(self, rule: str) -> str:
        """What a rule says."""
        return _sentences(self)[rule]

    def sections_of(self, rows: tuple[str, ...]) -> tuple[str, ...]:
        """Where the protocol's document says so."""
        return _sections(self, rows)

    def named(self, words: Sequence[str]) -> frozenset[str]:
        """The rules of these names, and those that watch these rows of the catalogue.

        Raises UsageError for a word that is neither.
        """
        rules: dict[str, None] = {}
        for word in words:
            found = [
                one.name
                for one in (*self.forms, *self.invariants)
                if word == one.name or word.upper() in one.catalogue
            ]
            if not found:
                near = get_close_matches(word, self.rules, n=3, cutoff=0.4)
                hint = f"; did you mean {' or '.join(near)}?" if near else ""
                if word.upper() in self.sections:
                    hint = f": {word.upper()} cannot be judged by frames alone"
                raise UsageError(f"no rule about frames is called {word!r}{hint}")
            rules.update(dict.fromkeys(found))
        return frozenset(rules)

    def rows_of(self, path: str | None, otherwise: tuple[str, ...]) -> tuple[str, ...]:
        """The rows of the catalogue that a field's fault breaks, as near as it is known."""
        while path:
            if path in self.fields:
                return self.fields[path]
            path = path.rpartition(".")[0]
        return otherwise


@cache
def _sentences(record: Judged) -> Mapping[str, str]:
    return {one.name: one.sentence for one in (*record.forms, *record.invariants)}


@cache
def _sections(record: Judged, rows: tuple[str, ...]) -> tuple[str, ...]:
    found = (record.sections.get(row, "") for row in rows)
    return tuple(dict.fromkeys(section for section in found if section))


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
        centre="server",
        clients=("desktop",),
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
        lane_of=_lane_of,
        learn_lane=_learn_lane,
        greeting="hello",
        client_of=_client_of,
        forms=(DesktopFramesPass, ServerFramesPass),
        readers={kind: reader(cls) for kind, cls in MESSAGES.items()},
        swift=swift,
    )


def _relay() -> Judged:
    from sim.protocols.relay import MESSAGES as FAMILIES
    from sim.protocols.relay import parse_relay_message
    from sim.protocols.relay.catalogue import ROWS as RELAY_ROWS
    from sim.protocols.relay.constants import CONTROLLER, NODE, RELAY
    from sim.protocols.relay.frames.envelope import (
        CONTROLLER_TO_RELAY,
        NODE_TO_RELAY,
        PEER_TO_RELAY,
    )
    from sim.protocols.relay.invariants import INVARIANTS as RELAY_INVARIANTS
    from sim.protocols.relay.oracles import envelope
    from sim.protocols.relay.relay.plan import RelayPlan
    from sim.protocols.relay.view import RelayView

    to_relays = (PEER_TO_RELAY, CONTROLLER_TO_RELAY, NODE_TO_RELAY)
    forms = (envelope.RelayFramesPass, envelope.ControllerFramesPass, envelope.NodeFramesPass)
    return Judged(
        name="relay",
        centre=RELAY,
        clients=(CONTROLLER, NODE),
        parse=parse_relay_message,
        view=lambda: RelayView(RelayPlan(), frames_only=True),
        invariants=tuple(one for one in RELAY_INVARIANTS if one.from_frames and one not in forms),
        sections={row.id: row.section for row in RELAY_ROWS.values()},
        wrong_way={
            family: cls.SENDERS == (RELAY,)
            for family, cls in FAMILIES.items()
            if cls.SENDERS == (RELAY,) or RELAY not in cls.SENDERS and cls.DIRECTION in to_relays
        },
        parsed={one.obeyed_by: (one.name, one.catalogue) for one in forms},
        fields={},
        lane_of=lambda message: "",
        learn_lane=lambda view, conn, lane: None,
        greeting="hello",
        client_of=lambda message: str(getattr(message.body, "node_id", "") or ""),
        forms=forms,
        readers={family: reader(cls) for family, cls in FAMILIES.items()},
        swift=lambda: NEVER_SURE,
    )


def _lane_of(message: Message) -> str:
    kind, body = message.type, cast(Any, message.body)
    if kind == "task.dispatch":
        lane: str = body.external_key.partition(":")[0]
        return lane if lane in HOOK_PROVIDERS else ""
    if kind.startswith("provider."):
        return str(body.provider)
    return "slack" if kind.startswith(("bind.", "prefs.")) else ""


def _learn_lane(view: HookView, conn: str, lane: str) -> None:
    link = view.links.get(conn)
    if link is not None:
        link.lane = lane
        view.by_lane[link.client, lane] = link


def _client_of(message: Message) -> str:
    return str(cast(Any, message.body).device_id)


_JUDGED: Mapping[str, Callable[[], Judged]] = {"hook": cache(_hook), "relay": cache(_relay)}


def judged(protocol: str) -> Judged:
    """The record of a protocol. Raises UsageError for one that is not known, or not judged."""
    name = register.protocol(protocol).name
    if name not in _JUDGED:
        able = ", ".join(_JUDGED)
        raise UsageError(f"nobody judges frames of the {name} protocol; name one of: {able}")
    return _JUDGED[name]()


def invariants_of(record: Judged, view: Any, sides: frozenset[str]) -> list[Invariant]:
    """The oracles that judge these sides."""
    makers: Any = record.invariants
    return [make(view) for make in makers if make.obeyed_by in sides]

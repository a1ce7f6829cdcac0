"""What a judge of frames must know of a protocol: parser, view, oracles, catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any, Protocol, cast

import attrs

from sim.channel.services import SERVICES
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
    its rows, ``fields`` the rows that are about one field, by its path. ``lanes`` are its
    channels; ``lane_of`` says which channel a frame shows its connection to be for ("": none),
    ``learn_lane`` tells that to a view, ``side_of`` the kind of client on such a channel,
    ``seen_of`` what a view knows of a connection. ``sent_by_client`` says on a channel which
    end has sent a frame, where the frame itself does (None: it does not).
    ``greetings``: the types that begin a connection, and whether the client sends them;
    ``client_of`` is the name of the client that its ``greeting`` gives, ``is_anew`` whether a
    second greeting (with the payload of the first) is one of another connection. ``forms``
    are the rules that frames must pass the parser, ``readers`` make the typed payload of each
    type, ``swift`` reads the usual frames at once. ``fine_clock`` and ``whole_story`` are
    the rules that a log of whole seconds, or one that begins in the middle, cannot show.
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
    lanes: tuple[str, ...]
    lane_of: Callable[[Message], str]
    learn_lane: Callable[[Any, str, str], None]
    side_of: Callable[[str], str]
    seen_of: Callable[[Any, str], Any]
    sent_by_client: Callable[[Message, str], bool | None]
    greetings: Mapping[str, bool]
    client_of: Callable[[Message], str]
    is_anew: Callable[[Mapping[str, Any], Mapping[str, Any]], bool]
    forms: tuple[type[Invariant], ...]
    readers: Mapping[str, Callable[[Any], Any]]
    swift: Callable[[], Swift]
    fine_clock: frozenset[str]
    whole_story: frozenset[str]

    @property
    def greeting(self) -> str:
        """The type of the frame with which a client introduces itself."""
        return next(kind for kind, is_his in self.greetings.items() if is_his)

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

    def knows(self, word: str) -> bool:
        """Whether a rule about frames has this name, or watches this row of the catalogue."""
        return any(
            word == one.name or word.upper() in one.catalogue
            for one in (*self.forms, *self.invariants)
        )

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
NAMELESS = "?"
"""Of a client whose greeting gives no name."""


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
        lanes=SERVICES,
        lane_of=_lane_of,
        learn_lane=_learn_lane,
        side_of=lambda lane: "desktop",
        seen_of=lambda view, conn: view.links.get(conn),
        sent_by_client=lambda message, lane: None,
        greetings={"hello": True, "welcome": False},
        client_of=_client_of,
        is_anew=_is_anew,
        forms=(DesktopFramesPass, ServerFramesPass),
        readers={kind: reader(cls) for kind, cls in MESSAGES.items()},
        swift=swift,
        fine_clock=frozenset(("progress-is-throttled", "durations-are-measured")),
        whole_story=HOOK_STORY,
    )


def _relay() -> Judged:
    from sim.protocols.relay import parse_relay_message
    from sim.protocols.relay.catalogue import ROWS as RELAY_ROWS
    from sim.protocols.relay.constants import CONTROLLER, NODE, RELAY
    from sim.protocols.relay.invariants import INVARIANTS as RELAY_INVARIANTS
    from sim.protocols.relay.oracles import envelope
    from sim.protocols.relay.relay.plan import RelayPlan
    from sim.protocols.relay.view import RelayView

    forms = (envelope.RelayFramesPass, envelope.ControllerFramesPass, envelope.NodeFramesPass)
    return Judged(
        name="relay",
        centre=RELAY,
        clients=(CONTROLLER, NODE),
        parse=parse_relay_message,
        view=lambda: RelayView(RelayPlan(), frames_only=True),
        invariants=tuple(one for one in RELAY_INVARIANTS if one.from_frames and one not in forms),
        sections={row.id: row.section for row in RELAY_ROWS.values()},
        wrong_way=_one_way_families(),
        parsed={one.obeyed_by: (one.name, one.catalogue) for one in forms},
        fields={},
        lanes=(CONTROLLER, NODE),
        lane_of=_role_in,
        learn_lane=_learn_role,
        side_of=lambda lane: NODE if lane == NODE else CONTROLLER,
        seen_of=lambda view, conn: view.sessions.get(conn),
        sent_by_client=_is_of_its_role,
        greetings={"hello": True, "hello_ack": False},
        client_of=lambda message: str(getattr(message.body, "node_id", None) or NAMELESS),
        is_anew=lambda payload, before: bool(payload == before),
        forms=forms,
        readers={},
        swift=lambda: NEVER_SURE,
        fine_clock=frozenset(),
        whole_story=RELAY_STORY,
    )


def _one_way_families() -> Mapping[str, bool]:
    """Which families only a relay sends (True), or only its peers (False)."""
    from sim.protocols.relay import MESSAGES as FAMILIES
    from sim.protocols.relay.constants import RELAY
    from sim.protocols.relay.frames import envelope

    to_relays = (envelope.PEER_TO_RELAY, envelope.CONTROLLER_TO_RELAY, envelope.NODE_TO_RELAY)
    return {
        family: cls.SENDERS == (RELAY,)
        for family, cls in FAMILIES.items()
        if cls.SENDERS == (RELAY,) or (RELAY not in cls.SENDERS and cls.DIRECTION in to_relays)
    }


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


def _is_anew(payload: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    """A desktop says hello once: a second one is another connection's, unless it corrects it."""
    return bool(payload == before or payload["deviceId"] != before["deviceId"])


def _role_in(message: Message) -> str:
    """A relay's connection is for the role that its hello names; others' frames say who sends,
    which on a connection of a log may be a third."""
    role: str = message.wire["payload"].get("role", "") if message.type == "hello" else ""
    return role


def _is_of_its_role(message: Message, lane: str) -> bool | None:
    """Whether who dialled has sent it: what others sign was handed on by the relay."""
    if message.sender == "relay":
        return False
    return message.sender == lane if lane else None


def _learn_role(view: Any, conn: str, lane: str) -> None:
    session = view.sessions.get(conn)
    if session is not None:
        session.lane = lane


HOOK_STORY = frozenset(
    (
        "speaks-of-its-own-turns",
        "ack-comes-first",
        "reopen-comes-first",
        "cancel-names-what-runs",
        "answers-echo-their-question",
        "prefs-are-answered",
        "provider-prefs-are-answered",
        "behavior-is-answered",
        "binding-requests-are-answered",
        "tools-are-answered",
        "hello-comes-first",
        "durations-are-measured",
        "decisions-are-presses",
        "one-decision-per-card",
    )
)
"""Rules that what came before the log's first line may have obeyed."""
RELAY_STORY: frozenset[str] = frozenset()
"""The same; of the relay no rule that frames show looks back."""


_JUDGED: Mapping[str, Callable[[], Judged]] = {"hook": cache(_hook), "relay": cache(_relay)}


JUDGED: tuple[str, ...] = tuple(_JUDGED)
"""The protocols whose frames can be judged."""


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

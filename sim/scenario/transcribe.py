"""A trace written back as a scenario that runs to the same digest.

What people, agents, puppets and faults did stands there literally, with its
virtual time (``@at``, ``@act``, ``@fault``); what twins sent stands there as
arrows, which expect it again. Where an act happened while an arrow was still
on its way, the two cannot be one sequence: then acts and arrows become the two
branches of a ``par``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import permutations
from typing import Any

import attrs
import msgspec

from sim.core.errors import ScenarioError, UsageError
from sim.core.event import (
    Acted,
    Event,
    FaultInjected,
    FrameDelivered,
    FrameSent,
    HostStarted,
)
from sim.core.trace import Trace, digest_of
from sim.protocols.played import played
from sim.protocols.register import protocol
from sim.scenario.ears import ahead_us, decides, ear_of, retold, services_of
from sim.scenario.kinds import identity_in
from sim.scenario.parse import parse_scenario
from sim.scenario.playing.puppet import is_of_puppet
from sim.scenario.syntax import Scenario
from sim.scenario.vocabulary import FrameVocabulary, Vocabulary

# Arrows wait for 60 s at most; a longer silence is bridged with @at.
SILENCE_US = 30_000_000
GREETERS = ("desktop", "controller", "node")
"""Kinds of hosts that dial: a puppet's first greeting is an act of the record."""


@attrs.frozen
class Line:
    """One line to write: ``start`` is the time it stands for, ``end`` when it is over.

    ``role``: "act" (done at its time), "arrow" (waited for) or "comment".
    """

    n: int
    start: int
    end: int
    text: str
    role: str

    @property
    def is_act(self) -> bool:
        return self.role == "act"


class Transcriber:
    """Turns one trace into text."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.header = trace.header
        record = played(self.header.protocol)
        self.source = _parse_source(trace, record.words)
        self.puppets = {
            p.id: p.puppet
            for p in (self.source.participants if self.source else ())
            if p.puppet is not None
        }
        self.services = services_of(self.header)
        self.puppets.update(dict.fromkeys(self.services, frozenset()))
        self.drawn = {p.id for p in (self.source.participants if self.source else ())}
        self.kinds = dict(self.header.hosts)
        self.letters, self.words, self.typed = record.short, record.words, record.typed
        self.spoken = protocol(record.name)
        self.names: dict[tuple[str, str], str] = {}
        self.counts: dict[str, int] = {}

    def text(self) -> str:
        """The whole file."""
        lines = [*self._acts(), *self._arrows(), *self._sayings()]
        lines.sort(key=lambda line: (line.n, not line.is_act))
        head = ["sequenceDiagram", *self._head(), *self._lifelines()]
        last = self.trace.events[-1].at if self.trace.events else 0
        # What happened in one instant may come in another order: services wait for nobody.
        body = None if self.services else _in_sequence(lines)
        if body is None:
            body = _side_by_side(lines)
        return "\n".join([*head, *body, f"    %% @at {last}us", ""])

    # -- the head ----------------------------------------------------------------------

    def _head(self) -> Iterator[str]:
        header = self.header
        name = header.scenario or "a trace"
        yield f"    %% Written back from a run of {name}, digest {digest_of(self.trace.events)}."
        if self.trace.truncated:
            yield "    %% The trace was cut off: the run went on."
        yield f"    %% @protocol {self.spoken.name}"
        yield f"    %% @seed {header.seed}"
        for rule in header.without:
            yield f"    %% @rule -{rule}"
        if self.services:  # what crossed a socket has had its latency
            hosts = [name for name, _ in header.hosts]
            for caller, callee in permutations(hosts, 2):
                yield f"    %% @latency {caller}->{callee} 0us"
        if self.source is None:
            return
        for one in self.source.settings.latencies:
            yield f"    %% @latency {one.source}->{one.target} {one.low_us}us..{one.high_us}us"
        for switch in self.source.settings.features:
            yield f"    %% @feature {switch.host} {'+' if switch.on else '-'}{switch.feature}"
        for token in self.source.settings.tokens:
            nodes = "" if token.nodes is None else f" at {' '.join(token.nodes)}"
            yield f"    %% @token {token.host} {' '.join(token.scopes)}{nodes}"
        for invariant in self.source.violates:
            yield f"    %% @violates {invariant}"

    def _lifelines(self) -> Iterator[str]:
        created = {p.id for p in (self.source.participants if self.source else ()) if p.created}
        for name, kind in self.header.hosts:
            if name not in created:
                yield f"    {self._declaration(name, kind)}"
        for name, kind in self.header.hosts:
            yield f"    %% @host {name} {kind}"
            if name in self.puppets:
                manners = self.puppets[name] or frozenset()
                kept = sorted(manners - ({"handshake"} if kind in GREETERS else frozenset()))
                yield f"    %% @puppet {' '.join([name, *kept])}"

    def _declaration(self, name: str, kind: str) -> str:
        """The lifeline; its label where that says who it is."""
        drawn = self.source.participant(name) if self.source and name in self.drawn else None
        who = identity_in(drawn.label) if drawn is not None else None
        label = f" as {kind} {who}" if who is not None else ""
        return f"{'actor' if kind == 'person' else 'participant'} {name}{label}"

    # -- acts and faults ----------------------------------------------------------------

    def _acts(self) -> Iterator[Line]:
        for event in self.trace.events:
            text = self._act(event)
            if text is not None:
                yield Line(event.n, event.at, event.at, text, "act")
        if self.services:
            yield from self._retold()

    def _retold(self) -> Iterator[Line]:
        """What real services did, and the time of day."""
        events = [self.typed(event) for event in self.trace.events]
        by_us = ahead_us(events)
        for host, _ in self.header.hosts if by_us else ():
            yield Line(-1, 0, 0, f"%% @fault skew {host} {by_us}us", "act")
        for n, at, host, act in retold(events, self.services):
            if isinstance(act, str):
                yield Line(n, at, at, f"%% (not repeated) {act}", "comment")
            else:
                yield Line(n, at, at, f"%% @act {host} {plain_json(act)}", "act")

    def _act(self, event: Event) -> str | None:
        if isinstance(event, Acted):
            return f"%% @act {event.host} {plain_json(event.act)}"
        if isinstance(event, FaultInjected):
            return f"%% @fault {event.fault}"
        if isinstance(event, HostStarted) and self._is_creation(event):
            return self._creation(event.host)
        return None

    def _is_creation(self, event: HostStarted) -> bool:
        return (
            event.epoch == 1
            and self.source is not None
            and any(p.id == event.host and p.created for p in self.source.participants)
        )

    def _creation(self, host: str) -> str:
        return f"create {self._declaration(host, self.kinds[host])}\n    {host}->>{host}: it begins"

    # -- arrows --------------------------------------------------------------------------

    def _arrows(self) -> Iterator[Line]:
        # Where only puppets were told anything, an arrow out of a twin tells its agent
        # something: nobody has told these.
        acts = [event for event in self.trace.events if isinstance(event, Acted)]
        undirected = bool(acts) and all(_is_of_puppet(event.act) for event in acts)
        arrivals: dict[int, int] = {}
        for event in self.trace.events:
            if isinstance(event, FrameDelivered):
                arrivals.setdefault(event.sent, event.at)
        for event in self.trace.events:
            if not isinstance(event, FrameSent):
                continue
            wire = _wire(event.frame)
            name = self._name_of(event, wire)
            arrow = f"{event.sender}->>{event.receiver}: {name or 'no frame'}{self._items(wire)}"
            if not name:
                yield Line(event.n, event.at, event.at, f"%% (as it stands) {arrow}", "comment")
            elif event.sender in self.puppets:
                yield Line(event.n, event.at, event.at, f"%% (puppet) {arrow}", "comment")
            elif undirected and self.kinds.get(event.sender) == "desktop":
                yield Line(event.n, event.at, event.at, f"%% (by itself) {arrow}", "comment")
            elif event.n in arrivals:
                yield Line(event.n, event.at, arrivals[event.n], arrow, "arrow")
            else:
                yield Line(event.n, event.at, event.at, f"%% (never arrived) {arrow}", "comment")

    def _sayings(self) -> Iterator[Line]:
        """What was said without frames; what goes without saying is left out."""
        ear = ear_of(self.spoken.name, self.header.hosts)
        if ear is None:
            return
        for event in self.trace.events:
            for said in ear.heard(self.typed(event)):
                name, wire = said.frame.type, dict(said.frame.wire)
                if said.is_plain or said.sender in self.puppets:
                    continue
                arrow = f"{said.sender}->>{said.receiver}: {name}{self._items(wire)}"
                kind = self.kinds.get(said.sender, "")
                is_real = bool(self.services) or kind in self.header.outside
                if is_real and not decides(self.spoken.name, kind, name):
                    yield Line(said.n, said.at, said.at, f"%% (its own way) {arrow}", "comment")
                else:
                    yield Line(said.n, said.at, said.at, arrow, "arrow")

    def _name_of(self, event: FrameSent, wire: dict[str, Any]) -> str:
        """What an arrow may call the frame: its nearest name that goes this way; "" for none."""
        way = f"{self.kinds.get(event.sender)}>{self.kinds.get(event.receiver)}"
        family = str(wire.get(self.spoken.type_key))
        for name in (self.spoken.told(wire)[0], family):
            direction = self.words.direction(name) if name in self.words.frame_types() else ""
            if direction == "both" or way in direction.split("|"):
                return name
        return family if event.sender in self.puppets else ""

    def _items(self, wire: dict[str, Any]) -> str:
        payload = wire.get("payload", {})
        if not isinstance(payload, dict):
            return ""
        fields = {**wire, **payload}
        items = [
            f"{field}={self._name(field, fields[field])}"
            for field in self.letters
            if isinstance(fields.get(field), str) and fields[field]
        ]
        return f" ({', '.join(items)})" if items else ""

    def _name(self, field: str, real: str) -> str:
        letter = self.letters[field]
        if (letter, real) not in self.names:
            self.counts[letter] = self.counts.get(letter, 0) + 1
            self.names[letter, real] = f"{letter}{self.counts[letter]}"
        return self.names[letter, real]


def transcribe(trace: Trace) -> str:
    """The scenario that a trace came from, as it went.

    Raises UsageError for a trace that tells of no run.
    """
    if not trace.header.hosts:
        raise UsageError("the trace's header names no hosts: it cannot be written as a diagram")
    if not trace.events:
        raise UsageError("the trace has no events: there is nothing to write back")
    return Transcriber(trace).text()


def _in_sequence(lines: list[Line]) -> list[str] | None:
    """All lines in one sequence; None if an act would come too late."""
    written: list[str] = []
    now = 0
    for line in lines:
        if line.is_act:
            if now > line.start:
                return None
            written.append(f"    %% @at {line.start}us")
            now = line.start
        elif line.role == "arrow":
            if line.start - now > SILENCE_US:
                written.append(f"    %% @at {line.start}us")
            now = max(now, line.end)
        written.append(f"    {line.text}")
    return written


def _side_by_side(lines: list[Line]) -> list[str]:
    """Acts in one branch, arrows in the other."""
    acts = _in_sequence([line for line in lines if line.is_act])
    arrows = _in_sequence([line for line in lines if not line.is_act])
    return [
        "    par what was directed",
        *(f"    {line}" for line in acts or ()),
        "    and what was sent",
        *(f"    {line}" for line in arrows or ()),
        "    end",
    ]


def _is_of_puppet(act: Any) -> bool:
    return is_of_puppet(msgspec.to_builtins(act, enc_hook=lambda value: value.wire))


def _wire(frame: Any) -> dict[str, Any]:
    wire = frame if isinstance(frame, dict) else getattr(frame, "wire", None)
    return wire if isinstance(wire, dict) else {}


def plain_json(act: Any) -> str:
    """One line of JSON that neither Mermaid nor a line reader takes for anything else."""
    plain = msgspec.to_builtins(act, enc_hook=lambda value: value.wire)
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    return "".join(sign if _is_plain(sign) else _escaped(sign) for sign in text)


def _escaped(sign: str) -> str:
    return f"\\u{ord(sign):04x}" if ord(sign) < 0x80 else json.dumps(sign)[1:-1]


def _is_plain(sign: str) -> bool:
    """Letters and signs of any language; no control, no half of a pair, no odd blank."""
    return sign == " " or (sign.isprintable() and sign not in "%\ufeff")


def _parse_source(trace: Trace, words: FrameVocabulary) -> Scenario | None:
    """The scenario of a run; one of another version may have words that are unknown here."""
    source = trace.header.source
    if not source:
        return None
    try:
        return parse_scenario(source, "the trace's scenario", Vocabulary(frames=words))
    except ScenarioError:
        return parse_scenario(source, "the trace's scenario")

"""First pass over a file: who stands in it, and what each lifeline is."""

from __future__ import annotations

from attrs import Factory, define, evolve

from sim.scenario.grammar import (
    Raw,
    RawActivate,
    RawArrow,
    RawDeclare,
    RawDecoration,
    RawDestroy,
    RawDirective,
    RawNote,
)
from sim.scenario.kinds import (
    CHANNEL_KINDS,
    HOOK_WORD,
    KINDS,
    PROTOCOL_KINDS,
    SPELLED_OUT,
    SYNONYMS,
    kind_of_word,
    protocol_of,
)
from sim.scenario.source import Span, near
from sim.scenario.syntax import Participant

MANNERS = ("handshake", "pong")
ROSTER_WORDS = ("host", "puppet", "protocol")


@define
class _Entry:
    """What is known of one lifeline while the file is read."""

    at: Span
    label: Span | None = None
    is_actor: bool = False
    declared: bool = False
    created: bool = False
    host: str | None = None
    puppet: frozenset[str] | None = None


@define
class Roster:
    """The lifelines by id, in the order in which Mermaid draws them."""

    participants: dict[str, Participant]
    protocol: str


@define
class _Reading:
    entries: dict[str, _Entry] = Factory(dict)
    orders: list[tuple[str, list[Span]]] = Factory(list)

    def mention(self, at: Span) -> _Entry:
        return self.entries.setdefault(at.text, _Entry(at))

    def declare(self, raw: RawDeclare) -> None:
        entry = self.mention(raw.id)
        if entry.declared:
            hint = "; to bring it back use @restart" if raw.create else ""
            first = entry.at.line
            raise raw.id.fail(f"{raw.id.text} is already declared on line {first}{hint}")
        entry.at, entry.label, entry.is_actor = raw.id, raw.label, raw.is_actor
        entry.declared, entry.created = True, raw.create


def read_roster(statements: list[Raw], end: Span) -> Roster:
    """Everybody who is declared or mentioned, each with its kind."""
    reading = _Reading()
    for raw in statements:
        _note_ids(reading, raw)
    wanted = _apply_orders(reading)
    kinds = {name: _kind(entry) for name, entry in reading.entries.items()}
    protocol = _protocol(set(kinds.values()), wanted, reading, end)
    for name, kind in kinds.items():
        if kind == HOOK_WORD and protocol == "hook":
            kinds[name] = "server"
        kinds[name] = SYNONYMS.get(kinds[name], kinds[name])
    participants = {
        name: _participant(name, entry, kinds[name], protocol)
        for name, entry in reading.entries.items()
    }
    return Roster(participants, protocol)


def _note_ids(reading: _Reading, raw: Raw) -> None:
    """Take down every id that Mermaid would draw because of this statement."""
    match raw:
        case RawDeclare():
            reading.declare(raw)
        case RawArrow():
            reading.mention(raw.source)
            reading.mention(raw.target)
        case RawDestroy() | RawActivate():
            reading.mention(raw.id)
        case RawNote() | RawDecoration():
            for one in raw.ids:
                reading.mention(one)
        case RawDirective():
            for one in raw.ids:
                reading.mention(one)
            words = raw.text.words()
            if words and words[0].text[1:] in ROSTER_WORDS:
                reading.orders.append((words[0].text[1:], words))
        case _:
            pass


def _apply_orders(reading: _Reading) -> Span | None:
    """Obey ``@host``, ``@puppet`` and ``@protocol``; gives back the wanted protocol."""
    wanted: Span | None = None
    for order, words in reading.orders:
        if order == "protocol":
            if wanted is not None:
                raise words[0].fail(f"@protocol stands twice, first on line {wanted.line}")
            wanted = _only_protocol(words)
        elif order == "host":
            _obey_host(reading, words)
        else:
            _obey_puppet(reading, words)
    return wanted


def _only_protocol(words: list[Span]) -> Span:
    if len(words) != 2 or words[1].text not in PROTOCOL_KINDS:
        raise words[-1].fail("@protocol takes one protocol", PROTOCOL_KINDS)
    return words[1]


def _known(reading: _Reading, words: list[Span], usage: str) -> _Entry:
    if len(words) < 2:
        raise words[0].fail(f"write {usage}", reading.entries)
    entry = reading.entries.get(words[1].text)
    if entry is None:
        message = f"no lifeline {words[1].text!r} in this diagram"
        raise words[1].fail(message, near(words[1].text, reading.entries))
    return entry


def _obey_host(reading: _Reading, words: list[Span]) -> None:
    entry = _known(reading, words, "@host ID KIND")
    if len(words) < 3:
        raise words[-1].fail("write @host ID KIND", KINDS)
    if len(words) > 3:
        raise words[3].fail("nothing may follow the kind")
    if words[2].text not in KINDS:
        raise words[2].fail(f"unknown kind {words[2].text!r}", near(words[2].text, KINDS, limit=99))
    if entry.host is not None:
        raise words[0].fail(f"{words[1].text} has a @host already")
    entry.host = words[2].text


def _obey_puppet(reading: _Reading, words: list[Span]) -> None:
    entry = _known(reading, words, "@puppet ID [handshake] [pong]")
    if entry.puppet is not None:
        raise words[0].fail(f"{words[1].text} is a puppet already")
    for manner in words[2:]:
        if manner.text not in MANNERS:
            raise manner.fail(f"unknown manner {manner.text!r} of a puppet", MANNERS)
    entry.puppet = frozenset(manner.text for manner in words[2:])


def _kind(entry: _Entry) -> str:
    """``@host``, then (for a participant) its label, then its id."""
    if entry.host is not None:
        return entry.host
    if entry.is_actor:
        return "person"
    label = kind_of_word(entry.label.text) if entry.label is not None else None
    kind = label or kind_of_word(entry.at.text)
    if kind is None:
        name = entry.at.text[:60]
        raise entry.at.fail(
            f"what is {name!r}? Neither label nor id is a known kind; "
            f"declare 'actor {name}' for a person or write '%% @host {name} KIND'",
            KINDS,
        )
    return kind


def _protocol(kinds: set[str], wanted: Span | None, reading: _Reading, end: Span) -> str:
    """The one protocol of all lifelines."""
    sure = protocol_of(kinds - {HOOK_WORD})
    # A lifeline that @host calls a hook is one; a mere word "hook" may be the server.
    if any(entry.host == HOOK_WORD for entry in reading.entries.values()):
        sure.add("question")
    if not sure and wanted is None and HOOK_WORD in kinds:
        sure = {"hook"}
    if wanted is not None and sure - {wanted.text}:
        told = ", ".join(sorted(sure))
        raise wanted.fail(f"the participants belong to the protocol {told}", sorted(sure))
    if len(sure) > 1:
        told = " and ".join(sorted(sure))
        first = next(iter(reading.entries.values())).at
        raise first.fail(f"the participants belong to different protocols: {told}", PROTOCOL_KINDS)
    if sure:
        return sure.pop()
    if wanted is not None:
        return wanted.text
    allowed = [f"%% @protocol {name}" for name in PROTOCOL_KINDS]
    raise end.fail("nothing in this diagram tells the protocol", allowed)


def _participant(name: str, entry: _Entry, kind: str, protocol: str) -> Participant:
    is_api = kind in SPELLED_OUT.get(protocol, ())
    if entry.puppet is not None and kind in ("person", *CHANNEL_KINDS) and not is_api:
        raise entry.at.fail(f"{name} is a {kind}: only a protocol endpoint can be a puppet")
    return evolve(
        Participant(
            line=entry.at.line,
            column=entry.at.column,
            id=name,
            label=entry.label.text if entry.label is not None else name,
            kind=kind,
        ),
        is_actor=entry.is_actor,
        declared=entry.declared,
        created=entry.created,
        puppet=entry.puppet,
        is_api=is_api,
    )

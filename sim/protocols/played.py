"""What those must know of a protocol who play, judge and show its runs: one record each.

``register`` has what can be said about frames alone. A protocol is imported when it is
asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, Final, Protocol

import attrs

from sim.channel.moments import MessageAt
from sim.core.event import Event
from sim.core.invariant import Invariant
from sim.core.table import Table
from sim.protocols import register
from sim.view.changes import Timeline
from sim.view.verdict import Verdict


class StandingRow(Protocol):
    """A line about a host: what it keeps in mind, under a head, since a step."""

    @property
    def head(self) -> str:
        """What kind of thing it is about: queues, locks."""

    @property
    def key(self) -> str:
        """Which thing; one key has one line."""

    @property
    def text(self) -> str:
        """The line."""

    @property
    def since(self) -> int:
        """The step that made it so."""


class Chronicle(Protocol):
    """A fold of a run that forgets nothing: it answers for any step that it has seen.

    ``steps`` it has seen, ``view`` is what the oracles ask, ``connections`` are the states
    of connections by their names.
    """

    steps: int
    connections: dict[str, Timeline]

    @property
    def view(self) -> Any:
        """The fold that the protocol's oracles ask."""

    def on(self, plain: Event, /) -> None:
        """Take the next event, typed or as a file has it."""

    def messages(self, n: int, /) -> Iterator[MessageAt]:
        """The messages of channels as they stood after step ``n``."""

    def owner_since(self, channel: str, message: str, n: int, /) -> int | None:
        """The step that gave a message its owner."""

    def rows_of(self, host: str, n: int, /) -> Iterator[tuple[str, Any, int]]:
        """(key, row, step that wrote it) of all that a host had stored after step ``n``."""

    def standing(self, host: str, n: int, /) -> Iterable[StandingRow]:
        """What a host had in mind after step ``n``, as far as frames tell."""


@attrs.frozen(eq=False)
class Played:
    """One protocol, as far as runs are concerned.

    ``rules`` is the class of its switchable rules, ``features`` what sides may announce.
    ``judges`` makes the oracles of a view for the kinds of hosts that are twins,
    ``chronicle`` takes the surroundings that a stage tells (None: the usual ones),
    ``typed`` gives an event of a file its values back. ``legal`` says what the tables held of a
    frame: (chronicle, host at the centre, link, decoded frame, step). ``centre`` is the
    kind of host with which all others connect. ``short``: fields whose ids get short
    names, with the first letter; ``words``: what arrows may say of frames. ``offers``: acts
    by the kind of host whose person does them, each with its label.
    """

    name: str
    words: Any
    rules: Any
    features: tuple[str, ...]
    invariants: tuple[type[Invariant], ...]
    judges: Callable[[Any, frozenset[str]], list[Invariant]]
    chronicle: Callable[[Any], Chronicle]
    typed: Callable[[Event], Event]
    legal: Callable[[Any, str, str, Mapping[str, Any], int], list[Verdict]]
    centre: str
    short: Mapping[str, str]
    offers: Mapping[str, Sequence[tuple[str, Mapping[str, object]]]]

    @property
    def tables(self) -> tuple[Table, ...]:
        """Its transition tables."""
        return tuple(register.protocol(self.name).tables().values())

    def sentence_of(self, invariant: str) -> str:
        """What an invariant wants, in one sentence; "" for an unknown one."""
        return next((one.sentence for one in self.invariants if one.name == invariant), "")


def _hook() -> Played:
    from sim.protocols.hook import MESSAGES, constants
    from sim.protocols.hook.invariants import INVARIANTS, invariants_for
    from sim.protocols.hook.rules import HookRules
    from sim.protocols.hook.view_legal import legal_here
    from sim.protocols.hook.view_reading import typed
    from sim.protocols.hook.view_times import Chronicle as HookChronicle
    from sim.wire.vocabulary import Vocabulary

    said = ("hello", "/stop", "/new")
    features = dict.fromkeys(
        value
        for name, value in vars(constants).items()
        if name.startswith("HOOK_FEATURE_") and isinstance(value, str)
    )
    return Played(
        name="hook",
        words=Vocabulary(MESSAGES.values()),
        rules=HookRules,
        features=tuple(features),
        invariants=INVARIANTS,
        judges=invariants_for,
        chronicle=lambda surroundings: HookChronicle(),
        typed=typed,
        legal=legal_here,
        centre="server",
        short=MappingProxyType({"requestId": "R", "reopenOf": "R", "interactionId": "A"}),
        offers=MappingProxyType(
            {
                "person": [(f"says {text}", {"is": "say", "text": text}) for text in said],
                "desktop": [
                    ("retry", {"is": "retry"}),
                    ("types a text", {"is": "type", "text": "go on"}),
                ],
            }
        ),
    )


def _relay() -> Played:
    from sim.protocols.relay.chronicle import RelayChronicle
    from sim.protocols.relay.chronicle_legal import legal_here
    from sim.protocols.relay.chronicle_reading import typed
    from sim.protocols.relay.invariants import INVARIANTS, invariants_for
    from sim.protocols.relay.offers import OFFERS
    from sim.protocols.relay.rules import RelayRules
    from sim.protocols.relay.words import WORDS

    return Played(
        name="relay",
        words=WORDS,
        rules=RelayRules,
        features=(),
        invariants=INVARIANTS,
        judges=invariants_for,
        chronicle=RelayChronicle,
        typed=typed,
        legal=legal_here,
        centre="relay",
        short=MappingProxyType(
            {"requestId": "R", "targetRequestId": "R", "tabSessionId": "T", "replayNonce": "K"}
        ),
        offers=OFFERS,
    )


def _question() -> Played:
    from sim.protocols.question.chronicle import QuestionChronicle
    from sim.protocols.question.chronicle_reading import typed
    from sim.protocols.question.invariants import INVARIANTS, invariants_for
    from sim.protocols.question.offers import OFFERS
    from sim.protocols.question.rules import QuestionRules
    from sim.protocols.question.words import FEATURES, WORDS

    return Played(
        name="question",
        words=WORDS,
        rules=QuestionRules,
        features=FEATURES,
        invariants=INVARIANTS,
        judges=invariants_for,
        chronicle=QuestionChronicle,
        typed=typed,
        legal=lambda chronicle, host, link, frame, n: [],  # nothing is framed here
        centre="listener",
        short=MappingProxyType(
            {"requestID": "Q", "callID": "C", "sessionID": "S", "uniqueId": "K"}
        ),
        offers=OFFERS,
    )


_TABLE: Final[Mapping[str, Callable[[], Played]]] = MappingProxyType(
    {"hook": cache(_hook), "relay": cache(_relay), "question": cache(_question)}
)

PLAYED: Final = tuple(_TABLE)
"""The names of the protocols that can be played."""


def played(name: str) -> Played:
    """The record of a protocol; of the first for an empty name.

    Raises UsageError for one that is not known.
    """
    return _TABLE[register.protocol(name or register.DEFAULT_PROTOCOL).name]()

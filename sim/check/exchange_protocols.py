"""Protocols without frames: what a judge of calls over HTTP must know of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any, Final

import attrs

from sim.core.errors import UsageError
from sim.core.event import Event
from sim.core.invariant import Invariant


@attrs.frozen(eq=False)
class Exchanged:
    """One protocol, as far as recorded calls go.

    ``view`` makes the fold that the oracles ask: of a trace, or (True) of a plain record of
    calls. ``invariants`` are those that a trace can show, ``by_calls`` those of them that a
    record of calls alone shows, ``shown_with`` those that are left where hosts of some kinds
    were real programs. ``typed`` gives an event of a file its values back,
    ``sections`` are those of the document by row.
    """

    name: str
    view: Callable[[bool, int | None], Any]
    invariants: tuple[type[Invariant], ...]
    by_calls: tuple[type[Invariant], ...]
    shown_with: Callable[[Collection[str]], tuple[type[Invariant], ...]]
    typed: Callable[[Event], Event]
    sections: Mapping[str, str]

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of all rules."""
        return tuple(one.name for one in self.invariants)

    def sections_of(self, rows: tuple[str, ...]) -> tuple[str, ...]:
        """Where the protocol's document says so."""
        found = (self.sections.get(row, "") for row in rows)
        return tuple(dict.fromkeys(section for section in found if section))

    def knows(self, word: str) -> bool:
        """Whether a rule has this name, or watches this row of the catalogue."""
        return any(word == one.name or word.upper() in one.catalogue for one in self.invariants)

    def named(self, words: Sequence[str]) -> frozenset[str]:
        """The rules of these names, and those that watch these rows.

        Raises UsageError for a word that is neither.
        """
        found: dict[str, None] = {}
        for word in words:
            mine = [
                one.name
                for one in self.invariants
                if word == one.name or word.upper() in one.catalogue
            ]
            if not mine:
                near = get_close_matches(word, self.rules, n=3, cutoff=0.4)
                hint = f"; did you mean {' or '.join(near)}?" if near else ""
                raise UsageError(f"no rule of the {self.name} protocol is called {word!r}{hint}")
            found.update(dict.fromkeys(mine))
        return frozenset(found)


def _question() -> Exchanged:
    from sim.protocols.question.catalogue import ROWS
    from sim.protocols.question.chronicle_reading import typed
    from sim.protocols.question.constants import VISITOR
    from sim.protocols.question.invariants import INVARIANTS, shown_with
    from sim.protocols.question.view import QuestionView, Surroundings

    def view(is_log: bool, start_ms: int | None) -> QuestionView:
        if is_log:
            return QuestionView(Surroundings(chats={"": ""}, start_ms=start_ms), is_log=True)
        return QuestionView(Surroundings(visitors=frozenset({VISITOR})))

    return Exchanged(
        name="question",
        view=view,
        invariants=INVARIANTS,
        by_calls=tuple(one for one in INVARIANTS if one.IN_LOGS),
        shown_with=shown_with,
        typed=typed,
        sections={row.id: row.section for row in ROWS.values()},
    )


_TABLE: Final[Mapping[str, Callable[[], Exchanged]]] = {"question": cache(_question)}
EXCHANGED: Final = tuple(_TABLE)
"""The protocols whose calls can be judged."""


def exchanged(name: str | None) -> Exchanged | None:
    """The record of a protocol without frames; None for any other."""
    make = _TABLE.get(name or "")
    return None if make is None else make()

"""The order that Mermaid demands of declarations, activations and arrows.

Mermaid checks these when the whole text is read, in document order and through
all branches alike; this is the same bookkeeping, with a place for each complaint.
"""

from __future__ import annotations

from attrs import Factory, define

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
from sim.scenario.source import Span, near


@define
class _Book:
    drawn: set[str] = Factory(set)
    active: dict[str, int] = Factory(dict)
    created: Span | None = None
    destroyed: Span | None = None
    gone: dict[str, int] = Factory(dict)

    def declare(self, raw: RawDeclare) -> None:
        if raw.create:
            if raw.id.text in self.drawn:
                message = f"{raw.id.text} exists already; Mermaid creates an id only once"
                raise raw.id.fail(message, (f"@restart {raw.id.text}",))
            self._nothing_pending(raw.at)
            self.created = raw.id
        self.drawn.add(raw.id.text)

    def destroy(self, raw: RawDestroy) -> None:
        if raw.id.text not in self.drawn:
            message = f"{raw.id.text} does not exist here"
            raise raw.id.fail(message, near(raw.id.text, self.drawn))
        if raw.id.text in self.gone:
            raise raw.id.fail(f"{raw.id.text} is destroyed already, line {self.gone[raw.id.text]}")
        self._nothing_pending(raw.at)
        self.destroyed = raw.id
        self.gone[raw.id.text] = raw.at.line

    def arrow(self, raw: RawArrow) -> None:
        ends = (raw.source.text, raw.target.text)
        if self.created is not None and ends[1] != self.created.text:
            message = f"after 'create {self.created.text}' the next arrow must go to it"
            raise raw.target.fail(message, (self.created.text,))
        if self.destroyed is not None and self.destroyed.text not in ends:
            message = f"after 'destroy {self.destroyed.text}' the next arrow must touch it"
            raise raw.target.fail(message, (self.destroyed.text,))
        self.created = self.destroyed = None
        self.drawn.update(ends)
        if raw.mark == "+":
            self._activate(raw.target)
        elif raw.mark == "-":
            self._deactivate(raw.source)

    def activation(self, raw: RawActivate) -> None:
        self.drawn.add(raw.id.text)
        if raw.on:
            self._activate(raw.id)
        else:
            self._deactivate(raw.id)

    def _activate(self, at: Span) -> None:
        self.active[at.text] = self.active.get(at.text, 0) + 1

    def _deactivate(self, at: Span) -> None:
        count = self.active.get(at.text, 0)
        if count < 1:
            raise at.fail(f"{at.text} is not active here", (f"activate {at.text}",))
        self.active[at.text] = count - 1

    def _nothing_pending(self, at: Span) -> None:
        for word, one in (("create", self.created), ("destroy", self.destroyed)):
            if one is not None:
                raise at.fail(f"'{word} {one.text}' on line {one.line} still waits for its arrow")

    def close(self) -> None:
        """At the end of the file nothing may wait for an arrow."""
        for word, one in (("create", self.created), ("destroy", self.destroyed)):
            if one is not None:
                raise one.fail(f"'{word} {one.text}' is not followed by an arrow that touches it")


def check_order(statements: list[Raw]) -> None:
    """Refuse what Mermaid refuses once it has read everything."""
    book = _Book()
    for raw in statements:
        match raw:
            case RawDeclare():
                book.declare(raw)
            case RawDestroy():
                book.destroy(raw)
            case RawArrow():
                book.arrow(raw)
            case RawActivate():
                book.activation(raw)
            case RawNote() | RawDecoration() | RawDirective():
                book.drawn.update(one.text for one in raw.ids)
            case _:
                pass
    book.close()

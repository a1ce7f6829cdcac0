"""Second pass: statements become a tree, blocks and their branches nested."""

from __future__ import annotations

import re
from collections.abc import Mapping

from attrs import Factory, define

from sim.scenario.arguments import Scope, split_directive
from sim.scenario.arrows import read_arrow
from sim.scenario.directive_nodes import Final, Never
from sim.scenario.directives import ACTION_USAGES, read_action
from sim.scenario.grammar import (
    Raw,
    RawArrow,
    RawBlock,
    RawDeclare,
    RawDecoration,
    RawDestroy,
    RawDirective,
    RawEnd,
)
from sim.scenario.settings import SETTING_USAGES, Head, read_setting
from sim.scenario.source import Span
from sim.scenario.syntax import (
    Alt,
    Branch,
    Break,
    Create,
    Critical,
    Destroy,
    Loop,
    Opt,
    Par,
    Statement,
)
from sim.scenario.teaching import LESSON_USAGES, read_lesson

DEEPEST = 100
MOST_ROUNDS = 10_000
CONTINUES = {"else": "alt", "and": "par", "option": "critical"}
USAGES = {**SETTING_USAGES, **ACTION_USAGES, **LESSON_USAGES}
TIMES = re.compile(r"(?P<number>[0-9]{1,19})\s*(?:times?|次)?", re.IGNORECASE)


@define
class _Part:
    """One branch while it is filled."""

    at: Span
    label: str
    body: list[Statement] = Factory(list)


@define
class _Open:
    """A block that is not yet closed."""

    word: str
    at: Span
    parts: list[_Part]
    times: int | None = None


@define
class _Builder:
    scope: Scope
    head: Head
    title: str = ""
    stack: list[_Open] = Factory(list)

    @property
    def body(self) -> list[Statement]:
        """Where the next statement goes."""
        return self.stack[-1].parts[-1].body

    def add(self, raw: Raw) -> None:
        """Take one statement in."""
        if self.stack[-1].word == "box":
            self._check_in_box(raw)
        match raw:
            case RawArrow():
                self.head.is_over = True
                frames = self.scope.vocabulary.frames
                self.body.append(read_arrow(raw, self.scope.people, frames))
            case RawDirective():
                self._directive(raw)
            case RawBlock():
                self._block(raw)
            case RawEnd():
                self._end(raw)
            case RawDeclare(create=True):
                self._append(Create(raw.at.line, raw.at.column, raw.id.text))
            case RawDestroy():
                self._append(Destroy(raw.at.line, raw.at.column, raw.id.text))
            case RawDecoration() if raw.title:
                self.title = raw.title
            case _:
                pass  # declarations, notes, activations: the roster and Mermaid need them

    def _append(self, statement: Statement) -> None:
        self.head.is_over = True
        self.body.append(statement)

    def _check_in_box(self, raw: Raw) -> None:
        is_comment = isinstance(raw, RawDirective) and not raw.ids
        is_plain = isinstance(raw, RawDeclare) and not raw.create
        if not (is_comment or is_plain or isinstance(raw, RawEnd)):
            allowed = ("participant", "actor", "%% comment", "end")
            raise raw.at.fail("a box holds only declarations and comments", allowed)

    def _directive(self, raw: RawDirective) -> None:
        args = split_directive(raw.text, USAGES, self.scope)
        if args.word.text in SETTING_USAGES:
            change = read_setting(args, self.head)
            if change is not None:
                self.body.append(change)
            return
        if args.word.text in LESSON_USAGES:
            read_lesson(args, self.head.teaching, self.head.is_over)
            return
        action = read_action(args)
        # Assertions about the whole run may stand among the settings.
        self.head.is_over = self.head.is_over or not isinstance(action, Final | Never)
        self.body.append(action)

    def _block(self, raw: RawBlock) -> None:
        if raw.word in CONTINUES:
            self._continue(raw)
            return
        if len(self.stack) > DEEPEST:
            raise raw.at.fail(f"more than {DEEPEST} blocks inside each other")
        if raw.word not in ("rect", "box"):
            self.head.is_over = True
        times = _times(raw.text) if raw.word == "loop" else None
        part = _Part(raw.at, raw.text.text)
        self.stack.append(_Open(raw.word, raw.at, [part], times))

    def _continue(self, raw: RawBlock) -> None:
        """``else``, ``and``, ``option``: the next branch of the innermost block."""
        owner = CONTINUES[raw.word]
        innermost = self.stack[-1]
        if innermost.word != owner:
            where = (
                f"the open block is '{innermost.word}'" if innermost.word else "no block is open"
            )
            inside = [word for word, block in CONTINUES.items() if block == innermost.word]
            raise raw.at.fail(f"'{raw.word}' belongs in '{owner}'; {where}", (*inside, owner))
        innermost.parts.append(_Part(raw.at, raw.text.text))

    def _end(self, raw: RawEnd) -> None:
        if len(self.stack) == 1:
            raise raw.at.fail("'end' closes nothing here")
        closed = self.stack.pop()
        if closed.word in ("rect", "box"):
            self.body.extend(closed.parts[0].body)
        else:
            self.body.append(_node(closed))


def build_body(
    statements: list[Raw], scope: Scope, head: Head, end: Span
) -> tuple[tuple[Statement, ...], str]:
    """The tree of all statements, and the diagram's title."""
    builder = _Builder(scope, head, stack=[_Open("", end, [_Part(end, "")])])
    for raw in statements:
        builder.add(raw)
    if len(builder.stack) > 1:
        innermost = builder.stack[-1]
        raise innermost.at.fail(f"this '{innermost.word}' is never closed", ("end",))
    return tuple(builder.body), builder.title


def _times(text: Span) -> int | None:
    """``3 times`` is 3; any other text is one or more."""
    found = TIMES.fullmatch(text.text)
    if found is None:
        return None
    times = int(found["number"])
    if not 1 <= times <= MOST_ROUNDS:
        raise text.fail(f"a loop runs 1 to {MOST_ROUNDS} times", ("loop 3 times",))
    return times


def _node(block: _Open) -> Statement:
    """The finished block."""
    line, column = block.at.line, block.at.column
    first = block.parts[0]
    body = tuple(first.body)
    makers: Mapping[str, type[Opt] | type[Break]] = {"opt": Opt, "break": Break}
    if block.word in makers:
        return makers[block.word](line, column, first.label, body)
    if block.word == "loop":
        return Loop(line, column, first.label, block.times, body)
    if block.word == "critical":
        return Critical(line, column, first.label, body, _branches(block.parts[1:]))
    if block.word == "par":
        return Par(line, column, _branches(block.parts))
    return Alt(line, column, _branches(block.parts))


def _branches(parts: list[_Part]) -> tuple[Branch, ...]:
    return tuple(Branch(p.at.line, p.at.column, p.label, tuple(p.body)) for p in parts)

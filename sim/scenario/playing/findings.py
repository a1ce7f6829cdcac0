"""What a reading of the diagram found out: what failed, what is still to be checked.

The branches of an alternative have findings of their own, which count only if
the branch turns out to be the one that matched.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from sim.core.event import FrameSent
from sim.scenario.directive_nodes import Final, Never
from sim.scenario.playing.ear import Said
from sim.scenario.playing.match import Names
from sim.scenario.playing.result import Failure
from sim.scenario.playing.wording import Wording, fits_frame
from sim.scenario.syntax import Arrow, FrameText


@attrs.define(eq=False)
class Repeats:
    """A ``loop`` with text: one or more rounds, so later rounds are named by it too.

    It covers the frames of its arrows that were sent after ``since`` and, once
    the next expectation behind the loop is over, before that one (``until``).
    """

    arrows: tuple[Arrow, ...]
    since: int
    until: int | None = None

    def covers(self, event: FrameSent | Said, names: Names, wording: Wording) -> bool:
        """Whether this frame may belong to a later round."""
        if event.n <= self.since or (self.until is not None and event.n > self.until):
            return False
        return any(_is_like(arrow, event, names, wording) for arrow in self.arrows)


def _is_like(arrow: Arrow, event: FrameSent | Said, names: Names, wording: Wording) -> bool:
    text = arrow.content
    if not isinstance(text, FrameText):
        return False
    if (arrow.source, arrow.target) != (event.sender, event.receiver):
        return False
    return isinstance(fits_frame(text, event.frame, names, wording), dict)


@attrs.define(eq=False)
class Findings:
    """``finals`` and ``nevers`` are by line: a loop does not double them."""

    failures: list[Failure] = attrs.field(factory=list)
    finals: dict[int, Final] = attrs.field(factory=dict)
    nevers: dict[int, Never] = attrs.field(factory=dict)
    repeats: list[Repeats] = attrs.field(factory=list)
    into: Findings | None = None

    def fail(self, line: int, expected: str, happened: str) -> None:
        """Note a line that did not come true; the run goes on."""
        if self.into is not None:
            self.into.fail(line, expected, happened)
        else:
            self.failures.append(Failure(line, expected, happened))

    def at_the_end(self, node: Any) -> None:
        """Keep an assertion about the whole run."""
        if self.into is not None:
            self.into.at_the_end(node)
        elif isinstance(node, Final):
            self.finals[node.line] = node
        elif isinstance(node, Never):
            self.nevers[node.line] = node

    def repeated(self, repeats: Repeats) -> None:
        """Keep a loop that may go on."""
        if self.into is not None:
            self.into.repeated(repeats)
        else:
            self.repeats.append(repeats)

    def commit(self, into: Findings) -> None:
        """The branch matched: from now on all of this is found by ``into``."""
        self.into = into
        for failure in self.failures:
            into.fail(failure.line, failure.expected, failure.happened)
        nodes: Iterable[Final | Never] = (*self.finals.values(), *self.nevers.values())
        for node in nodes:
            into.at_the_end(node)
        for repeats in self.repeats:
            into.repeated(repeats)

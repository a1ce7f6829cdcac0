"""``alt``, ``opt`` and ``option``: branches that may match and never hold up a directive.

Their lines stay open while later directives and puppet arrows run. The next
expectation behind the block decides: it begins when a branch of an ``alt`` has
happened (an ``opt`` need not), and when it is over, no further frame can match;
what is on its way by then still may arrive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from sim.scenario.playing.threads import Arrives, Joined, Poll, Thread

if TYPE_CHECKING:
    from sim.scenario.playing.director import Director
    from sim.scenario.playing.findings import Findings
    from sim.scenario.playing.walk import Walk


@attrs.define(eq=False)
class Alternatives:
    """One such block on one reading. ``cutoff``: no event from this number on may match."""

    line: int
    required: bool
    director: Director
    findings: Findings
    walks: list[Walk] = attrs.field(factory=list)
    cutoff: int | None = None
    closed: bool = False

    def decide(self, *, at_the_end: bool = False) -> None:
        """The next expectation is over: nothing that is sent from now on can match."""
        if self.closed:
            return
        if self.cutoff is None:
            self.cutoff = self.director.world.next_n()
        for walk in self.walks:
            for thread in tuple(walk.thread.living()):
                if at_the_end or _has_nothing_in_flight(thread):
                    self.director.void(thread)
        self.judge()

    def has_match(self) -> bool:
        """Whether a branch has happened, or none can any more."""
        ended = [walk.thread for walk in self.walks if walk.thread.ended]
        return len(ended) == len(self.walks) or not all(thread.void for thread in ended)

    @property
    def mark(self) -> int:
        """The sending of the last arrow of what has matched so far; -1 where nothing has."""
        matched = [w.thread for w in self.walks if w.thread.ended and not w.thread.void]
        return max((thread.mark for thread in matched), default=-1)

    @property
    def is_busy(self) -> bool:
        """Whether a branch will go on without any further frame."""
        living = [thread for walk in self.walks for thread in walk.thread.living()]
        return any(not isinstance(one.waits_for, Arrives | Poll | Joined) for one in living)

    def judge(self) -> None:
        """Say which branch happened, once nothing is open any more."""
        is_over = self.cutoff is not None and all(walk.thread.ended for walk in self.walks)
        if self.closed or not is_over:
            return
        self.closed = True
        matched = [walk for walk in self.walks if not walk.thread.void]
        matched.sort(key=lambda walk: -len(_frames_of(walk.thread)))
        if matched:
            self._happened(matched[0])
            self._refuse_more(matched)
        elif self.required:
            self.findings.fail(self.line, "one branch of the block matches", self._how_far())

    def _happened(self, walk: Walk) -> None:
        walk.findings.commit(self.findings)
        for group in walk.undecided:
            group.decide()

    def _refuse_more(self, matched: list[Walk]) -> None:
        """Branches may begin alike; but two different things must not both happen."""
        first, *others = matched
        taken = _frames_of(first.thread)
        for walk in others:
            if not _frames_of(walk.thread) <= taken:
                both = f"both the branch in line {first.line} and the one in line {walk.line} did"
                self.findings.fail(self.line, "only one branch of the block matches", both)
                return

    def _how_far(self) -> str:
        """Where each branch got stuck."""
        stops = []
        for walk in self.walks:
            last = walk.thread.expected[-1] if walk.thread.expected else None
            near = f" ({last.near})" if last is not None and last.near else ""
            stops.append(
                f"the branch in line {walk.line} got as far as line {walk.thread.line}{near}"
            )
        return "none did; " + "; ".join(stops)


def _has_nothing_in_flight(thread: Thread) -> bool:
    request = thread.waits_for
    return isinstance(request, Arrives) and request.expectation.sent is None


def _frames_of(thread: Thread) -> set[int]:
    """The numbers of the events that a branch took, its own branches included."""
    taken = {one.sent for one in thread.expected if one.sent is not None}
    return taken.union(*(_frames_of(part) for part in thread.parts))

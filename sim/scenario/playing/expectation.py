"""Expectations: arrows that wait for a frame or for a channel call.

An expectation takes the first unmatched frame of its type, between its two
lifelines, whose items hold and that was sent after its thread's mark. It is
met when the frame arrives; a frame that gets lost on the way gives the match
back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs

from sim.core.event import CallIssued, FrameSent
from sim.core.op import Frame
from sim.scenario.playing.ear import Said
from sim.scenario.playing.match import Names
from sim.scenario.playing.wording import Wording, fits_frame
from sim.scenario.syntax import Arrow, FrameText

if TYPE_CHECKING:
    from sim.scenario.playing.branches import Alternatives
    from sim.scenario.playing.threads import Thread

# In which branch of which alternatives a line stands, outermost first.
Path = tuple[tuple["Alternatives", int], ...]


@attrs.define(eq=False)
class Expectation:
    """One waiting arrow. ``sent`` is the number of the event that it took.

    ``fate``: what happens to the frame: ``lose``, ``duplicate``, ``delay`` (with
    ``fate_us``), or None. ``near`` tells why the closest miss was none, ``bound``
    are the names that its frame was the first to give.
    """

    arrow: Arrow
    source: str
    target: str
    mark: int
    thread: Thread
    path: Path = ()
    text: FrameText | None = None
    frame: Frame | None = None
    wants_call: Callable[[Any], bool] | None = None
    fate: str | None = None
    fate_us: int = 0
    sent: int | None = None
    bound: dict[str, Any] = attrs.field(factory=dict)
    met: bool = False
    failed: bool = False
    near: str = ""

    @property
    def done(self) -> bool:
        return self.met or self.failed

    @property
    def is_open(self) -> bool:
        """Whether it stands in a branch that is still undecided: it may stay unmet."""
        return any(not group.closed for group, _ in self.path)

    def is_in_time(self, n: int, heard: int = -1) -> bool:
        """Whether event ``n`` came after the mark, and before the branch was decided.

        ``heard`` is the event that counts in its place for the mark, if there is one.
        """
        return max(n, heard) > self.mark and self.is_undecided_at(n)

    def is_undecided_at(self, n: int) -> bool:
        """Whether event ``n`` came before the branch was decided."""
        return all(group.cutoff is None or n < group.cutoff for group, _ in self.path)

    def is_rival(self, other: Expectation) -> bool:
        """Whether only one of the two can be part of what happened: both may see one frame."""
        for (mine, branch), (its, its_branch) in zip(self.path, other.path, strict=False):
            if mine is not its:
                return False
            if branch != its_branch:
                return True
        return False

    def takes_frame(
        self, event: FrameSent | Said, names: Names, wording: Wording, heard: int = -1
    ) -> dict[str, Any] | None:
        """The bindings, if this frame is the one; else None. ``heard``: see ``is_in_time``."""
        if event.sender != self.source or event.receiver != self.target:
            return None
        if isinstance(event, Said):
            in_time = event.is_behind(self.mark) and self.is_undecided_at(event.n)
        else:
            in_time = self.is_in_time(event.n, heard)
        if not in_time:
            return None
        if self.frame is not None:
            is_same = isinstance(event, Said) and event.frame.is_from(self.frame)
            return {} if is_same or event.frame is self.frame else None
        if self.text is None:
            return None
        found = fits_frame(self.text, event.frame, names, wording)
        if isinstance(found, str):
            self.near = f"at {seconds(event.at)} it came, but {found}"
            return None
        return found

    def takes_call(self, event: CallIssued) -> bool:
        """Whether this call is the one."""
        return (
            self.wants_call is not None
            and event.caller == self.source
            and event.callee == self.target
            and self.is_in_time(event.n)
            and self.wants_call(event.request)
        )


def seconds(us: int) -> str:
    """Virtual time for people: ``3.204 s``."""
    return f"{us / 1_000_000:.3f} s"

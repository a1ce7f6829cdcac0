"""Expectations: arrows that wait for a frame or for a channel call.

An expectation takes the first unmatched frame of its type, between its two
lifelines, whose items hold and that was sent after its thread's mark. It is
met when the frame arrives; a frame that gets lost on the way gives the match
back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from sim.core.event import CallIssued, FrameSent
from sim.core.op import Frame
from sim.scenario.playing.match import Names, fits
from sim.scenario.syntax import Arrow, FrameText


@attrs.define(eq=False)
class Expectation:
    """One waiting arrow. ``sent`` is the number of the event that it took.

    ``fate``: what happens to the frame: ``lose``, ``duplicate``, ``delay`` (with
    ``fate_us``), or None. ``near`` tells why the closest miss was none.
    """

    arrow: Arrow
    source: str
    target: str
    mark: int
    text: FrameText | None = None
    frame: Frame | None = None
    wants_call: Callable[[Any], bool] | None = None
    fate: str | None = None
    fate_us: int = 0
    optional: bool = False
    sent: int | None = None
    met: bool = False
    failed: bool = False
    near: str = ""

    @property
    def done(self) -> bool:
        return self.met or self.failed

    def takes_frame(self, event: FrameSent, names: Names) -> dict[str, Any] | None:
        """The bindings, if this frame is the one; else None."""
        if event.n <= self.mark or event.sender != self.source or event.receiver != self.target:
            return None
        if self.frame is not None:
            return {} if event.frame is self.frame else None
        if self.text is None or event.frame.type != self.text.type:
            return None
        found = fits(self.text.items, event.frame.wire.get("payload"), names)
        if isinstance(found, str):
            self.near = f"at {seconds(event.at)} it came, but {found}"
            return None
        return found

    def takes_call(self, event: CallIssued) -> bool:
        """Whether this call is the one."""
        return (
            self.wants_call is not None
            and event.n > self.mark
            and event.caller == self.source
            and event.callee == self.target
            and self.wants_call(event.request)
        )


def seconds(us: int) -> str:
    """Virtual time for people: ``3.204 s``."""
    return f"{us / 1_000_000:.3f} s"

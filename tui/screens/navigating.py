"""Moving through a run: steps, marks, lanes, matches, playing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from textual import on
from textual.screen import Screen
from textual.timer import Timer

from sim.core import event as events
from sim.core.errors import UsageError
from sim.view.timeline import faults, next_mark, previous_mark
from tui.drawing import steps
from tui.matching import Matching
from tui.screens.menus import Ask
from tui.screens.view import State, next_of_lane
from tui.session import Session
from tui.widgets.bars import TimelineBar
from tui.widgets.step_view import StepTo

SPEEDS = (0.25, 0.5, 1, 2, 4, 8, 16, 32, 64)
STEPS_PER_S = 4
LOOKED_THROUGH = 2_000
"""Matches without a line of their own that are passed over, at most, to find one with a line."""


class Navigating(Screen[None]):
    """The part of the workbench that knows where one is."""

    state: State
    speed = 2
    playing: Timer | None = None
    breaking = False
    following = False
    differences: tuple[int, ...] = ()

    def refresh_views(self) -> None:
        """Draw everything for the present state."""
        raise NotImplementedError

    notice = ""
    """What was said last; it stays until somebody goes to another step or view."""

    def say(self, text: str, role: str = "dim") -> None:
        """The message row."""
        self.notice = text
        self.query_one(TimelineBar).say(text, role)

    @property
    def session(self) -> Session:
        return self.state.session

    # -- where one is --------------------------------------------------------------------

    def go(self, step: int, *, keep: bool = False) -> None:
        """Be at a step; outside the run at its nearest end. ``keep`` what was said last.

        Who goes back from the end of a growing run is not carried off to it again.
        """
        step = min(max(step, 0), self.session.last)
        self.following = self.following and step == self.session.last
        if step != self.state.step:
            self.notice = self.notice if keep else ""
            self.state.since = self.state.step
            self.state.moment = None
            self.state.step = step
        self.refresh_views()

    @on(StepTo)
    def step_to(self, message: StepTo) -> None:
        """Somebody clicked, dragged or chose."""
        self.stop_playing()
        self.go(message.step)

    def action_step(self, by: int) -> None:
        """One shown step on, or back."""
        self.stop_playing()
        self._step(by)

    def _step(self, by: int) -> bool:
        """Whether there was one."""
        n = next(self.steps_from(self.state.step + by, by), None)
        if n is None:
            if by < 0:
                self.go(0)
            return False
        self.go(n)
        return True

    def steps_from(self, step: int, by: int) -> Iterator[int]:
        """The steps of the present view, at and behind or before a step."""
        raise NotImplementedError

    def shows(self, step: int) -> bool:
        """Whether the present view has a line for a step."""
        raise NotImplementedError

    def action_lane(self, by: int) -> None:
        """The next step of this lane."""
        found = next_of_lane(self.state, by) if self.session.count else None
        if found is None:
            self.say("no further step of this lane", "warn")
        else:
            self.go(found)

    def action_mark(self, by: int) -> None:
        """The next finding, fault or difference."""
        found = [*faults(self.session.columns), *self.differences, *self.session.marked]
        found += [violation.step for violation in self.session.violations]
        near = (
            next_mark(found, self.state.step) if by > 0 else previous_mark(found, self.state.step)
        )
        if near is None:
            self.say("no finding, fault or difference in this direction", "warn")
        else:
            self.go(near)

    def action_match(self, by: int) -> None:
        """The next step that the filter lets through."""
        matching = self.state.matching
        if not matching:
            self.say("no filter yet: press / and write one", "warn")
            return
        found = self._matching(matching, by)
        if found is None:
            self.say("no match in this direction" if matching.done else "still looking …", "warn")
        else:
            self.go(found)

    def _matching(self, matching: Matching, by: int) -> int | None:
        """The nearest match that the view has a line for, else the nearest of all."""
        go_on = matching.after if by > 0 else matching.before
        first = found = go_on(self.state.step)
        for _ in range(LOOKED_THROUGH):
            if found is None or self.shows(found):
                return first if found is None else found
            found = go_on(found)
        return first

    def action_seek(self, where: int) -> None:
        """The first or the last step."""
        self.go(0 if where == 0 else self.session.last)

    # -- playing -------------------------------------------------------------------------

    def action_play(self) -> None:
        """Play, or pause."""
        if self.playing is not None:
            self.stop_playing()
            return
        if self.state.step >= self.session.last:
            self.go(0)
        self.playing = self.set_interval(1 / (STEPS_PER_S * SPEEDS[self.speed]), self._tick)
        self._show_speed()

    def stop_playing(self) -> None:
        """Pause."""
        if self.playing is not None:
            self.playing.stop()
            self.playing = None
            self._show_speed()

    def _tick(self) -> None:
        if self.playing is None:
            return  # a tick that was under way when playing stopped
        stops = self.breaking and self.state.matching
        if not self._step(1) or (stops and stops.lets(self.state.step)):
            self.stop_playing()

    def action_speed(self, by: int) -> None:
        """Slower or faster."""
        self.speed = min(max(self.speed + by, 0), len(SPEEDS) - 1)
        if self.playing is not None:
            self.stop_playing()
            self.action_play()
        self._show_speed()

    def _show_speed(self) -> None:
        bar = self.query_one(TimelineBar)
        bar.playing = self.playing is not None
        bar.speed = f"{SPEEDS[self.speed]:g}x"
        bar.refresh()

    def action_break_on(self) -> None:
        """Play stops at matches, or not."""
        self.breaking = not self.breaking
        self.say("playing stops where the filter matches" if self.breaking else "playing runs on")

    def action_follow(self) -> None:
        """The end of a growing trace."""
        self.following = not self.following
        if self.following:
            self.session.trace.refresh()
            self.go(self.session.last)
        self.say("following the end" if self.following else "not following")

    # -- causes ----------------------------------------------------------------------------

    def action_why(self) -> None:
        """Light the causes of this step, or nothing."""
        self._light(steps.causes(self.session, self.state.step), "causes")

    def action_then(self) -> None:
        """Light what follows from this step, or nothing."""
        self._light(steps.consequences(self.session, self.state.step), "consequences")

    def _light(self, found: list[int], word: str) -> None:
        same = self.state.lit is not None and frozenset(found) == frozenset(self.state.lit)
        self.state.lit = None if same else frozenset(found)
        if not same:
            shown = " ".join(str(n) for n in found[1:14])
            self.say(f"{word} of step {self.state.step}: {shown or 'none'}")
        self.refresh_views()

    # -- go to -------------------------------------------------------------------------------

    def action_goto(self) -> None:
        """Ask where to."""
        note = "a step (17), a time (T+4.2), a frame's id (D-17) or a choice (cut …)"
        self.app.push_screen(Ask("go to", note, check=self._wrong_place), self._went)

    def _wrong_place(self, text: str) -> str:
        try:
            place_of(self.session, text)
        except UsageError as error:
            return str(error)
        return ""

    def _went(self, text: str | None) -> None:
        if text:
            self.go(place_of(self.session, text))


def place_of(session: Session, text: str) -> int:
    """The step that a text means. Raises UsageError with what may be written."""
    bare = text.strip()
    if bare.isdigit():
        n = int(bare)
        if n >= session.count:
            raise UsageError(f"the run has steps 0 to {session.last}")
        return n
    time = re.fullmatch(r"T?\+?(\d+(?:\.\d+)?)s?", bare)
    if time is not None:
        return at_time(session, round(float(time[1]) * 1e6))
    for n in range(session.count):
        event = session.event(n)
        frame = getattr(event, "frame", None)
        if isinstance(frame, dict) and frame.get("id") == bare:
            return n
        if isinstance(event, events.FaultInjected) and event.fault.startswith(bare):
            return n
    raise UsageError(f"{bare[:40]!r} is no step, no time, no frame's id and no fault of this run")


def at_time(session: Session, at_us: int) -> int:
    """The last step that has happened at a time."""
    low, high = 0, session.last
    while low < high:
        middle = (low + high + 1) // 2
        if session.event(middle).at <= at_us:
            low = middle
        else:
            high = middle - 1
    return low

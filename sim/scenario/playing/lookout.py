"""The lookout: sees every frame and call, and gives each to the arrow that waits for it."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

import attrs

from sim.core.event import CallIssued, Event, FrameDelivered, FrameLost, FrameSent
from sim.scenario.playing.ear import Ear, Said
from sim.scenario.playing.expectation import Expectation, seconds
from sim.scenario.playing.match import Names
from sim.scenario.playing.wording import Wording
from sim.world import fault, fault_choice, http_fault
from sim.world.link import FrameFlight
from sim.world.world import World

E = TypeVar("E", FrameSent | Said, CallIssued)
LATELY: Final = 256
"""Frames of real programs that may be waiting to be heard."""


class Lookout:
    """``frames`` and ``calls`` are all so far; ``holders`` says which arrows took an event.

    ``is_outside`` says whether a host is a real program. When it has written what comes from
    its socket, nobody knows: it may have written two frames at once, and the answer to the
    first stands between them for whoever gets them. So its frames count from when they are
    heard.

    ``report`` is called when an expectation is met, or has failed for good. ``ear`` hears
    what is said without frames; its sayings stand among the ``frames``.
    """

    def __init__(
        self,
        world: World,
        names: Names,
        wording: Wording,
        report: Callable[[Expectation], None],
        ear: Ear | None = None,
    ) -> None:
        self.world = world
        self.ear = ear
        self.names = names
        self.wording = wording
        self.report = report
        self.frames: list[FrameSent | Said] = []
        self.calls: list[CallIssued] = []
        self.holders: dict[tuple[int, int], list[Expectation]] = {}
        self.is_outside: Callable[[str], bool] = lambda host: False
        self._from_outside: deque[FrameSent] = deque(maxlen=LATELY)
        self._heard: dict[int, int] = {}
        self._waiting: list[Expectation] = []
        self._taken: dict[int, list[Expectation]] = {}
        self._in_flight: dict[int, None] = {}
        self._lost: dict[int, FrameLost] = {}

    def begin(self) -> None:
        """Subscribe to the events."""
        world = self.world
        world.watch(FrameSent, self._on_sent)
        world.watch(FrameDelivered, self._on_delivered)
        world.watch(FrameLost, self._on_lost)
        world.watch(CallIssued, self._on_call)
        if self.ear is not None:
            for kind in self.ear.kinds:
                world.watch(kind, self._on_told)
        world.on_flight = self._on_flight

    # -- asking ----------------------------------------------------------------------

    def expect(self, expectation: Expectation) -> None:
        """Start looking for the frame or call, in the past after the mark first."""
        if not self._look_back(expectation):
            self._waiting.append(expectation)

    def forget(self, expectation: Expectation) -> None:
        """Nobody waits for it any more; what it has taken stays taken."""
        if expectation in self._waiting:
            self._waiting.remove(expectation)
        if expectation.sent is not None:
            taken = self._taken.get(expectation.sent, [])
            if expectation in taken:
                taken.remove(expectation)

    def give_back(self, expectations: Iterable[Expectation]) -> None:
        """These lines are not part of what happened: others may have their frames."""
        for expectation in expectations:
            self.forget(expectation)
            for holders in self.holders.values():
                if expectation in holders:
                    holders.remove(expectation)
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            self.expect(one)

    def seize(self, expectation: Expectation) -> list[Expectation]:
        """Who holds a frame that this one needs, and may be told to give it back."""
        for event in _since(self.frames, expectation.mark):
            holders = self.holders.get(_key(event), [])
            if holders and event.n not in self._lost and all(one.is_open for one in holders):
                near = expectation.near
                if expectation.takes_frame(event, self.names, self.wording) is not None:
                    return list(holders)
                expectation.near = near
        return []

    def missed(self, expectation: Expectation) -> FrameSent | Said | None:
        """What the arrow waits for, had it only looked earlier: nobody else took it."""
        early = attrs.evolve(expectation, mark=-1)
        for event in self.frames:
            if event.n > expectation.mark:
                return None  # from here on it has looked itself
            is_it = early.takes_frame(event, self.names, self.wording) is not None
            if is_it and self._is_free(event, early):
                return event
        return None

    @property
    def waiting(self) -> tuple[Expectation, ...]:
        """The arrows whose frame or call has not come."""
        return tuple(self._waiting)

    def took(self, n: int) -> list[Expectation]:
        """The arrows that took an event, or one of its sayings."""
        return [one for (event, _), held in self.holders.items() if event == n for one in held]

    def is_named(self, event: FrameSent | Said) -> bool:
        """Whether an arrow of the diagram took this frame."""
        return bool(self.holders.get(_key(event)))

    # -- matching --------------------------------------------------------------------

    def _is_free(self, event: FrameSent | Said | CallIssued, expectation: Expectation) -> bool:
        return all(expectation.is_rival(one) for one in self.holders.get(_key(event), ()))

    def _look_back(self, expectation: Expectation) -> bool:
        for call in _since(self.calls, expectation.mark):
            if self._is_free(call, expectation) and expectation.takes_call(call):
                self._take_call(expectation, call)
                return True
        is_local = expectation.source == expectation.target
        since = -1 if is_local else expectation.mark - 1  # an event may say several things
        for event in (*self._heard_since(expectation.mark), *_since(self.frames, since)):
            if not self._is_free(event, expectation):
                continue
            lost = self._lost.get(event.n)
            is_over = event.n not in self._in_flight and lost is None
            if expectation.fate == "lose" and is_over:
                continue
            heard = self._heard_at(event)
            found = expectation.takes_frame(event, self.names, self.wording, heard)
            if found is None:
                continue
            if lost is None or expectation.fate == "lose":
                self._take(expectation, event, found)
                return True
            self._note_loss(expectation, lost)
        return False

    def _heard_since(self, mark: int) -> Iterable[FrameSent]:
        """What real programs had written before the mark, and was heard after it."""
        return (one for one in self._from_outside if one.n <= mark < self._heard_at(one))

    def _heard_at(self, event: FrameSent | Said) -> int:
        """The event that counts: of what is on its way from outside, one that is to come."""
        if isinstance(event, Said) or not self.is_outside(event.sender):
            return event.n
        return (
            len(self.world.events)
            if event.n in self._in_flight
            else self._heard.get(event.n, event.n)
        )

    def _note_loss(self, expectation: Expectation, lost: FrameLost) -> None:
        """A resend may still fulfil the arrow; but the diagram has named the lost copy."""
        self.holders.setdefault((lost.sent, 0), []).append(expectation)
        expectation.near = f"it was sent, but lost at {seconds(lost.at)} ({lost.why})"

    def _take(
        self, expectation: Expectation, event: FrameSent | Said, found: dict[str, Any]
    ) -> None:
        expectation.bound = found
        self.names.bind(found)
        self.holders.setdefault(_key(event), []).append(expectation)
        if isinstance(event, Said):
            expectation.sent = event.n if event.place < 0 else event.place
            self._befall(expectation, event)
            self._meet(expectation)
            return
        expectation.sent = event.n
        if event.n not in self._in_flight:
            self._meet(expectation)
            return
        self._taken.setdefault(event.n, []).append(expectation)
        flight = self._flight(event)
        if flight is not None:  # else it is just being written: _on_flight comes next
            self._see_flight(expectation, flight)

    def _take_call(self, expectation: Expectation, call: CallIssued) -> None:
        self.holders.setdefault(_key(call), []).append(expectation)
        expectation.sent = call.n
        self._meet(expectation)

    def _meet(self, expectation: Expectation) -> None:
        self.forget(expectation)
        expectation.met = True
        self.report(expectation)

    def _befall(self, expectation: Expectation, said: Said) -> None:
        """A request over HTTP gets lost or late in a moment of its own, before it arrives."""
        outcome = {"lose": http_fault.LOST, "delay": f"{expectation.fate_us}us"}.get(
            expectation.fate or "", ""
        )
        if not outcome:
            return
        world = self.world

        def strike() -> None:
            for request in fault_choice.requests(world):
                if request.call.n == said.call:
                    http_fault.strike_call(world, request, outcome)
                    return

        world.at(world.now, f"line {expectation.arrow.line} {expectation.fate}", strike)

    # -- frames in flight --------------------------------------------------------------

    def _flight(self, event: FrameSent) -> FrameFlight | None:
        link = self.world.links.get(event.link)
        if link is None:
            return None
        for item in link.end_of(event.sender).flight:
            if isinstance(item, FrameFlight) and item.sent == event.n and not item.again:
                return item
        return None

    def _see_flight(self, expectation: Expectation, flight: FrameFlight) -> None:
        if expectation.fate is not None:
            self._seal_fate(expectation, flight)
        elif flight.end.held and not flight.end.link.silent:
            # ``@hold``: it stays in flight by the diagram's own will.
            self._meet(expectation)

    def _seal_fate(self, expectation: Expectation, flight: FrameFlight) -> None:
        """The fault strikes in a moment of its own, before the frame arrives."""
        world, end = self.world, flight.end
        was_held = end.held
        if not was_held and flight.due <= world.now:
            end.hold(world)  # no latency at all: the whole queue waits for that moment

        def strike() -> None:
            if end.held and not was_held:
                end.release(world)
            if flight not in end.flight:
                return  # a cut took it first
            if expectation.fate == "lose":
                fault.lose(world, flight)
            elif expectation.fate == "duplicate":
                fault.duplicate(world, flight, expectation.fate_us)
            elif expectation.fate == "delay":
                fault.delay(world, flight, expectation.fate_us)
            if was_held and not expectation.done:
                self._meet(expectation)

        world.at(world.now, f"line {expectation.arrow.line} {expectation.fate}", strike)

    # -- events ----------------------------------------------------------------------

    def _on_told(self, event: Event) -> None:
        if self.ear is not None:
            for said in self.ear.heard(event):
                self.frames.append(said)
                self._offer(said)

    def _on_sent(self, event: FrameSent) -> None:
        self.frames.append(event)
        self._in_flight[event.n] = None
        if self.is_outside(event.sender):
            if len(self._from_outside) == LATELY:
                self._heard.pop(self._from_outside[0].n, None)
            self._from_outside.append(event)
        self._offer(event)

    def _offer(self, event: FrameSent | Said) -> None:
        for expectation in tuple(self._waiting):
            if not self._is_free(event, expectation):
                continue
            found = expectation.takes_frame(event, self.names, self.wording)
            if found is not None:
                self._waiting.remove(expectation)
                self._take(expectation, event, found)

    def _on_flight(self, flight: FrameFlight) -> None:
        for expectation in tuple(self._taken.get(flight.sent, ())):
            self._see_flight(expectation, flight)

    def _on_delivered(self, event: FrameDelivered) -> None:
        self._in_flight.pop(event.sent, None)
        if self.is_outside(event.sender):
            self._heard.setdefault(event.sent, event.n)
        self._lost.pop(event.sent, None)  # a copy can arrive where the first one did not
        for expectation in self._taken.pop(event.sent, ()):
            self._meet(expectation)

    def _on_lost(self, event: FrameLost) -> None:
        if event.sent not in self._in_flight:
            return  # a copy of what has arrived
        del self._in_flight[event.sent]
        self._lost[event.sent] = event
        for expectation in self._taken.pop(event.sent, ()):
            if expectation.fate == "lose":
                self._meet(expectation)
            elif expectation.frame is not None:
                expectation.near = f"at {seconds(event.at)} it was lost ({event.why})"
                expectation.failed = True
                self.report(expectation)
            else:
                self._note_loss(expectation, event)
                self.names.release(expectation.bound)
                expectation.sent = None
                self.expect(expectation)

    def _on_call(self, event: CallIssued) -> None:
        self.calls.append(event)
        for expectation in tuple(self._waiting):
            if self._is_free(event, expectation) and expectation.takes_call(event):
                self._waiting.remove(expectation)
                self._take_call(expectation, event)


def _key(event: FrameSent | Said | CallIssued) -> tuple[int, int]:
    """What holders hold: an event, or one of the sayings of an event. Calls that are also
    sayings are held as sayings alone."""
    return (event.n, event.index) if isinstance(event, Said) else (event.n, 0)


def _since(events: list[E], mark: int) -> Iterable[E]:
    """The events after a mark, oldest first, without walking the whole past."""
    return events[bisect_right(events, mark, key=lambda event: event.n) :]

"""The director: walks the diagram, directs people, agents and faults, and waits for frames.

It acts only through ``World.act`` and the fault functions, and knows the
protocol only through its :class:`Stage`. Everything that it does happens in a
moment of its own (see ``threads``); everything that it sees are events.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import TypeVar

from sim.core.event import CallIssued, FrameDelivered, FrameLost, FrameSent
from sim.scenario.directive_nodes import Final, Never
from sim.scenario.playing.expectation import Expectation, seconds
from sim.scenario.playing.result import Failure
from sim.scenario.playing.stage import Stage
from sim.scenario.playing.threads import (
    PATIENCE_US,
    Arrives,
    Joined,
    Poll,
    Request,
    Settled,
    Steps,
    Thread,
    Until,
)
from sim.scenario.syntax import Scenario
from sim.world import fault
from sim.world.link import FrameFlight
from sim.world.world import World

E = TypeVar("E", FrameSent, CallIssued)

SETTLE_PATIENCE_US = 3600 * 1_000_000


class Director:
    """Runs threads over a world; ``over`` once the diagram has been played."""

    def __init__(self, scenario: Scenario, world: World, stage: Stage) -> None:
        self.scenario = scenario
        self.world = world
        self.stage = stage
        self.failures: list[Failure] = []
        self.frames: list[FrameSent] = []
        self.calls: list[CallIssued] = []
        self.matched: dict[int, None] = {}
        self.finals: list[Final] = []
        self.nevers: list[Never] = []
        self.over = False
        self._waiting: list[Expectation] = []
        self._taken: dict[int, Expectation] = {}
        self._in_flight: dict[int, None] = {}
        self._threads_of: dict[Expectation, Thread] = {}
        self._polling: list[Thread] = []
        self._settling: list[Thread] = []
        self._joining: list[Thread] = []

    # -- running ---------------------------------------------------------------

    def begin(self) -> None:
        """Subscribe to the events. Threads are added with :meth:`spawn`."""
        world = self.world
        world.watch(FrameSent, self._on_sent)
        world.watch(FrameDelivered, self._on_delivered)
        world.watch(FrameLost, self._on_lost)
        world.watch(CallIssued, self._on_call)
        world.on_flight = self._on_flight

    def spawn(self, steps: Steps, line: int, mark: int = -1) -> Thread:
        """Start a thread; its first line runs in the next moment."""
        thread = Thread(steps, mark, line)
        self._wake(thread, None)
        return thread

    def poll(self) -> bool:
        """Asked by the driver after each step: wake who waits for a state; True at the end."""
        if self._settling and self.world.settled():
            waiting, self._settling = self._settling, []
            for thread in waiting:
                self._wake(thread, True)
        for thread in list(self._polling):
            request = thread.waits_for
            if isinstance(request, Poll) and request.ready():
                self._polling.remove(thread)
                self._wake(thread, True)
        return self.over

    def fail(self, line: int, expected: str, happened: str) -> None:
        """Note a line that did not come true; the run goes on."""
        self.failures.append(Failure(line, expected, happened))

    def cancel(self, thread: Thread) -> None:
        """Stop a thread for good, with what it waits for."""
        thread.ended = True
        for expectation, waiter in list(self._threads_of.items()):
            if waiter is thread:
                self._forget(expectation)

    def _wake(self, thread: Thread, value: object) -> None:
        thread.waits_for = None
        label = f"line {thread.line}"
        self.world.at(self.world.now, label, lambda: self._advance(thread, value))

    def _advance(self, thread: Thread, value: object) -> None:
        if thread.ended or self.over:
            return
        self.world.cause = -1
        try:
            request: Request = thread.steps.send(value)
        except StopIteration:
            thread.ended = True
            self._release_joins()
            return
        thread.waits_for = request
        thread.since_us = self.world.now
        self._wait(thread, request)

    def _wait(self, thread: Thread, request: Request) -> None:
        match request:
            case Until(moment_us):
                label = f"line {thread.line}"
                self.world.at(moment_us, label, lambda: self._advance(thread, None))
            case Arrives(expectation):
                if expectation.done:
                    self._wake(thread, expectation.met)
                else:
                    self._threads_of[expectation] = thread
                    if not expectation.optional:
                        self._limit(thread, PATIENCE_US)
            case Poll(ready):
                if ready():
                    self._wake(thread, True)
                else:
                    self._polling.append(thread)
                    self._limit(thread, PATIENCE_US)
            case Settled():
                self._settling.append(thread)
                self._limit(thread, SETTLE_PATIENCE_US)
            case Joined(threads):
                if all(one.ended for one in threads):
                    self._wake(thread, None)
                else:
                    self._joining.append(thread)

    def _limit(self, thread: Thread, patience_us: int) -> None:
        """Nothing waits for ever: give up after this much virtual time."""
        request = thread.waits_for

        def give_up() -> None:
            if thread.waits_for is not request or thread.ended:
                return
            for queue in (self._polling, self._settling):
                if thread in queue:
                    queue.remove(thread)
            if isinstance(request, Arrives):
                self._forget(request.expectation)
                request.expectation.failed = True
            thread.waits_for = None
            self._advance(thread, False)

        due = self.world.now + patience_us
        self.world.at(due, f"line {thread.line} gives up", give_up, foreground=False)

    def _release_joins(self) -> None:
        for thread in list(self._joining):
            request = thread.waits_for
            if isinstance(request, Joined) and all(one.ended for one in request.threads):
                self._joining.remove(thread)
                self._wake(thread, None)

    # -- expectations ----------------------------------------------------------

    def expect(self, expectation: Expectation) -> None:
        """Start looking for the frame or call, in the past after the mark first."""
        if not self._look_back(expectation):
            self._waiting.append(expectation)

    def _look_back(self, expectation: Expectation) -> bool:
        for call in _since(self.calls, expectation.mark):
            if call.n not in self.matched and expectation.takes_call(call):
                self._meet_call(expectation, call)
                return True
        for event in _since(self.frames, expectation.mark):
            if event.n in self.matched:
                continue
            if expectation.fate == "lose" and event.n not in self._in_flight:
                continue
            found = expectation.takes_frame(event, self.stage.names)
            if found is not None:
                self.stage.names.bind(found)
                self._take(expectation, event)
                return True
        return False

    def _take(self, expectation: Expectation, event: FrameSent) -> None:
        self.matched[event.n] = None
        expectation.sent = event.n
        if event.n not in self._in_flight:
            self._meet(expectation)
            return
        self._taken[event.n] = expectation
        flight = self._flight(event)
        if flight is None:
            return  # just being written: _on_flight comes next
        if expectation.fate is not None:
            self._seal_fate(expectation, flight)
        elif flight.end.held:
            self._meet(expectation)

    def _meet(self, expectation: Expectation) -> None:
        expectation.met = True
        if expectation.sent is not None:
            self._taken.pop(expectation.sent, None)
        thread = self._threads_of.pop(expectation, None)
        if thread is not None:
            self._wake(thread, True)

    def _meet_call(self, expectation: Expectation, call: CallIssued) -> None:
        self.matched[call.n] = None
        expectation.sent = call.n
        self._meet(expectation)

    def _forget(self, expectation: Expectation) -> None:
        self._threads_of.pop(expectation, None)
        if expectation in self._waiting:
            self._waiting.remove(expectation)
        if expectation.sent is not None:
            self._taken.pop(expectation.sent, None)

    def _flight(self, event: FrameSent) -> FrameFlight | None:
        link = self.world.links.get(event.link)
        if link is None:
            return None
        for item in link.end_of(event.sender).flight:
            if isinstance(item, FrameFlight) and item.sent == event.n:
                return item
        return None

    def _seal_fate(self, expectation: Expectation, flight: FrameFlight) -> None:
        """The frame waits until the moment in which its fault is applied."""
        world = self.world
        held = flight.end.held
        world.unschedule(flight)

        def strike() -> None:
            if not held:
                world.schedule(flight, flight.due)
            if expectation.fate == "lose":
                fault.lose(world, flight)
            elif expectation.fate == "duplicate":
                fault.duplicate(world, flight, expectation.fate_us)
            elif expectation.fate == "delay":
                fault.delay(world, flight, expectation.fate_us)

        world.at(world.now, f"line {expectation.arrow.line} {expectation.fate}", strike)

    # -- events ----------------------------------------------------------------

    def _on_sent(self, event: FrameSent) -> None:
        self.frames.append(event)
        self._in_flight[event.n] = None
        for expectation in self._waiting:
            found = expectation.takes_frame(event, self.stage.names)
            if found is not None:
                self.stage.names.bind(found)
                self._waiting.remove(expectation)
                self._take(expectation, event)
                return

    def _on_flight(self, flight: FrameFlight) -> None:
        expectation = self._taken.get(flight.sent)
        if expectation is None:
            return
        if expectation.fate is not None:
            self._seal_fate(expectation, flight)
        elif flight.end.held:
            self._meet(expectation)

    def _on_delivered(self, event: FrameDelivered) -> None:
        self._in_flight.pop(event.sent, None)
        expectation = self._taken.get(event.sent)
        if expectation is not None:
            self._meet(expectation)

    def _on_lost(self, event: FrameLost) -> None:
        self._in_flight.pop(event.sent, None)
        expectation = self._taken.pop(event.sent, None)
        if expectation is None:
            return
        if expectation.fate == "lose":
            self._meet(expectation)
        elif expectation.frame is not None:
            expectation.near = f"at {seconds(event.at)} it was lost ({event.why})"
            expectation.failed = True
            thread = self._threads_of.pop(expectation, None)
            if thread is not None:
                self._wake(thread, False)
        else:
            # A resend may still fulfil the arrow; the lost copy is matched all
            # the same, for the diagram has named it.
            expectation.sent = None
            expectation.near = f"at {seconds(event.at)} it was sent, but lost ({event.why})"
            self.expect(expectation)

    def _on_call(self, event: CallIssued) -> None:
        self.calls.append(event)
        for expectation in self._waiting:
            if expectation.takes_call(event):
                self._waiting.remove(expectation)
                self._meet_call(expectation, event)
                return


def _since(events: list[E], mark: int) -> Iterable[E]:
    """The events after a mark, oldest first, without walking the whole past."""
    return events[bisect_right(events, mark, key=lambda event: event.n) :]

"""The director: runs threads that walk the diagram, each line in a moment of its own.

It acts only through ``World.act`` and the fault functions, and knows the
protocol only through its :class:`Stage`. What it sees are events; which arrow
each of them belongs to, the :class:`Lookout` knows.
"""

from __future__ import annotations

from collections.abc import Callable

from sim.scenario.playing.expectation import Expectation
from sim.scenario.playing.findings import Findings
from sim.scenario.playing.lookout import Lookout
from sim.scenario.playing.stage import Stage
from sim.scenario.playing.threads import (
    PATIENCE_US,
    Arrives,
    BranchVoid,
    BreakReached,
    Joined,
    Poll,
    Request,
    Settled,
    Steps,
    Thread,
    Until,
)
from sim.scenario.syntax import Scenario
from sim.world.world import World

SETTLE_PATIENCE_US = 3600 * 1_000_000
# No scenario needs more (a week of heartbeats is 150,000 events): it runs in circles.
MOST_EVENTS = 1_000_000
MOST_LINES = 300_000


class Director:
    """Runs threads over a world; ``over`` once the diagram has been played.

    ``ending`` makes the steps that follow the diagram's last line, or a ``break``.
    ``shared_us``: how long the end has to wait, because others did not.
    """

    def __init__(self, scenario: Scenario, world: World, stage: Stage) -> None:
        self.scenario = scenario
        self.world = world
        self.stage = stage
        self.findings = Findings()
        self.lookout = Lookout(world, stage.names, stage.wording, self._reported, stage.ear)
        self.over = False
        self.ending: Callable[[], Steps] | None = None
        self.lines = 0
        # Lines that this run leaves out: a search looks for what it can do without.
        self.dropped: frozenset[int] = frozenset()
        self.line = 0
        self.shared_us = 0
        self._in_vain_at = -1
        self._living: dict[Thread, None] = {}
        self._threads_of: dict[Expectation, Thread] = {}
        self._polling: list[Thread] = []
        self._settling: list[Thread] = []
        self._joining: list[Thread] = []

    # -- running ---------------------------------------------------------------

    def spawn(self, steps: Steps, line: int, mark: int = -1) -> Thread:
        """Start a thread; its first line runs in the next moment."""
        thread = Thread(steps, mark, line)
        self._living[thread] = None
        self._wake(thread, None)
        return thread

    def poll(self) -> bool:
        """Asked by the driver after each step: wake who waits for a state; True at the end."""
        if len(self.world.events) > MOST_EVENTS:
            self._stop_running_in_circles(f"{MOST_EVENTS:,} events")
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

    def comes_to(self, thread: Thread, line: int) -> None:
        """A thread comes to its next line."""
        thread.line = self.line = line
        self.lines += 1
        if self.lines > MOST_LINES:
            self._stop_running_in_circles(f"{MOST_LINES:,} lines")
            raise BreakReached

    def _stop_running_in_circles(self, amount: str) -> None:
        if not self.over:
            happened = f"it was stopped after {amount}: something repeats itself without end"
            self.findings.fail(self.line, "the run comes to an end", happened)
            self.over = True

    def break_off(self) -> None:
        """A ``break``: no line but the end of the run is read from now on."""
        for thread in tuple(self._living):
            thread.on_end = None
            self._end(thread)
        if self.ending is not None:
            self.spawn(self.ending(), 0)

    def void(self, thread: Thread) -> None:
        """This thread, with what it waits for, is not part of what happens."""
        for one in tuple(thread.living()):
            one.void = True
            self._end(one)
        if thread.void:
            self.lookout.give_back(_all_expected(thread))

    def _end(self, thread: Thread) -> None:
        if thread.ended:
            return
        thread.ended = True
        self._living.pop(thread, None)
        request = thread.waits_for
        if isinstance(request, Arrives):
            self._threads_of.pop(request.expectation, None)
        for queue in (self._polling, self._settling, self._joining):
            if thread in queue:
                queue.remove(thread)
        if thread.on_end is not None:
            thread.on_end()
        self._release_joins()

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
            self._end(thread)
            return
        except BranchVoid:
            self.void(thread)
            return
        except BreakReached:
            self.break_off()
            return
        thread.waits_for = request
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
                    if not expectation.is_open:
                        self._limit(thread, self._patience_us())
            case Poll(ready):
                if ready():
                    self._wake(thread, True)
                else:
                    self._polling.append(thread)
                    self._limit(thread, self._patience_us())
            case Settled():
                self._settling.append(thread)
                self._limit(thread, SETTLE_PATIENCE_US)
            case Joined(threads):
                thread.parts = (*thread.parts, *threads)
                if all(one.ended for one in threads):
                    self._wake(thread, None)
                else:
                    self._joining.append(thread)

    def _patience_us(self) -> int:
        """In a search whoever waits from the very moment on at which another has waited in
        vain, with nothing under way, has waited with it. What is due later than that is given
        its time at the end: see ``shared_us``."""
        world = self.world
        shares = self.stage.SHARES_WAITS and world.helm is not None
        if not shares or world.now != self._in_vain_at or not world.settled():
            return PATIENCE_US
        self.shared_us = min(self.shared_us + PATIENCE_US, 2 * PATIENCE_US)
        return 0

    def _limit(self, thread: Thread, patience_us: int) -> None:
        """Nothing waits for ever: give up after this much virtual time."""
        request = thread.waits_for

        def give_up() -> None:
            if thread.waits_for is not request or thread.ended:
                return
            if isinstance(request, Arrives):
                if self._seize(request.expectation):
                    return
                self._threads_of.pop(request.expectation, None)
                self.lookout.forget(request.expectation)
                request.expectation.failed = True
            for queue in (self._polling, self._settling):
                if thread in queue:
                    queue.remove(thread)
            thread.waits_for = None
            self._in_vain_at = self.world.now
            self._advance(thread, False)

        due = self.world.now + patience_us
        self.world.at(due, f"line {thread.line} gives up", give_up, foreground=False)

    def _seize(self, expectation: Expectation) -> bool:
        """Nothing else matches: take what an undecided branch took; then that one did not match."""
        if expectation.sent is not None:
            expectation.near = "it was sent, but has not arrived within 60 s"
            return False
        for holder in self.lookout.seize(expectation):
            group, branch = holder.path[-1]
            thread = group.walks[branch].thread
            thread.void = True
            self.void(thread)
        return expectation.sent is not None

    def _release_joins(self) -> None:
        for thread in list(self._joining):
            request = thread.waits_for
            if isinstance(request, Joined) and all(one.ended for one in request.threads):
                self._joining.remove(thread)
                self._wake(thread, None)

    def _reported(self, expectation: Expectation) -> None:
        thread = self._threads_of.pop(expectation, None)
        if thread is not None:
            self._wake(thread, expectation.met)


def _all_expected(thread: Thread) -> list[Expectation]:
    """All arrows of a thread and of its parts."""
    found = list(thread.expected)
    for part in thread.parts:
        found += _all_expected(part)
    return found

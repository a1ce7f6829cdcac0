"""The server twin under many schedules: every op is a place where others may go first.

A continuation is reopened, cut off or hit by a crash, and reopened again; the
seed decides who moves when. Whatever the order, the message ends up with its
last owner.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from sim.channel.api import ChannelFault, Say
from sim.core.entropy import Stream
from sim.protocols.hook import Hello, TaskAck, TurnEnd, TurnProgress, TurnReopen
from sim.protocols.hook.frames import TurnUsage
from sim.protocols.hook.view_records import RequestView
from sim.world import fault
from sim.world.choice import Choice
from tests.protocols.hook.server_play import Play

SCHEDULES = 150
NEAR_US = 4_000_000
FAULTS = ("rate_limited", "server_error", "unknown", "latency")
SHOWN = {"OPEN": "WORKING", "ENDED": "OK", "TORN": "INTERRUPTED"}


class Schedule:
    """One schedule: near choices are taken at random."""

    def __init__(self, seed: int, off: tuple[str, ...]) -> None:
        self.draw = Stream(seed, "schedule").between
        self.play = Play(seed=seed, off=off)
        self.world = self.play.world
        self.world.preempt = True

    def choices(self) -> Iterator[Choice]:
        """What may happen soon; the frames of a connection are begun in order."""
        begun: dict[str, None] = {}
        for choice in self.world.enabled():
            activity = choice.activity
            if activity is None:
                if choice.item.due < self.world.now + NEAR_US:
                    yield choice
                continue
            fresh = inspect.getcoroutinestate(activity.coro) == inspect.CORO_CREATED
            first = activity.host.name not in begun
            if fresh:
                begun[activity.host.name] = None
            if first or not fresh:
                yield choice

    def wander(self, at_most: int) -> None:
        for _ in range(self.draw(0, at_most)):
            near = list(self.choices())
            if near:
                self.world.apply(near[self.draw(0, len(near) - 1)])

    def settle(self) -> None:
        while near := list(self.choices()):
            self.world.apply(near[0])

    def chance(self, percent: int) -> bool:
        return self.draw(1, 100) <= percent

    def say(self, body: Any, at_most: int = 25) -> None:
        self.world.act("D", (-1, body))
        self.wander(at_most)

    def connect(self) -> None:
        before = len(self.play.puppet().conns)
        self.world.act("D", ("dial", "slack"))
        while len(self.play.puppet().conns) == before:
            self.world.apply(next(self.choices()))
        hello = Hello(
            protocol_version=1, device_id="D", device_name="D", workspaces=("chat",), agents=("a",)
        )
        self.say(hello, 40)
        link = self.play.puppet().conns[-1].name
        while not any(
            conn == link and type(body).__name__ == "Welcome"
            for _, conn, body in self.play.received
        ):
            self.world.apply(self.world.enabled()[0])

    def break_off(self) -> None:
        """The server dies and comes back, or the connection is reset."""
        if self.chance(50):
            fault.crash(self.world, "S")
            self.wander(10)
            fault.restart(self.world, "S")
        else:
            fault.cut(self.world, self.play.puppet().conns[-1].link, "rst")
        self.wander(25)


def end(request: str, status: str) -> TurnEnd:
    return TurnEnd(
        request_id=request,
        external_key="k",
        session_id="s",
        status=status,
        final_text="done" if status == "ok" else "",
        error_message=None if status == "ok" else "e1",
        usage=TurnUsage(duration_ms=None),
    )


def reopen(request: str, of: str) -> TurnReopen:
    return TurnReopen(
        request_id=request, reopen_of=of, external_key="k", session_id="s", reason="user-continued"
    )


def run(seed: int, off: tuple[str, ...] = ()) -> tuple[str, str, int]:
    """(chip that the last owner wants, chip that is shown, posts)."""
    schedule = Schedule(seed, off)
    schedule.connect()
    schedule.world.act("Alice", Say("", "fix"))
    schedule.settle()
    [request] = schedule.play.view.requests
    ack = TaskAck(
        request_id=request, result="accepted", reason=None, session_id="s", queue_position=None
    )
    schedule.say(ack, 0)
    schedule.say(end(request, "error"), 0)
    schedule.settle()
    schedule.say(reopen("K1", request))
    schedule.say(TurnProgress(request_id="K1", text="p1"))
    if schedule.chance(30):
        schedule.say(end("K1", "ok"))
    if schedule.chance(40):
        wrong = ChannelFault("edit", FAULTS[schedule.draw(0, 3)], 2_000_000)
        schedule.world.act("IM", wrong)
    schedule.break_off()
    schedule.connect()
    schedule.say(reopen("K2", request), 60)
    if schedule.chance(50):
        schedule.say(end("K2", "ok"), 60)
    schedule.world.preempt = False
    schedule.play.run(100)
    seen: RequestView = schedule.play.view.requests[request]
    wanted = "FAILED" if seen.owner is None else SHOWN[seen.owner.state]
    return wanted, schedule.play.shows(request)[0], schedule.play.posts()


@pytest.mark.parametrize("first", range(0, SCHEDULES, 25))
def test_the_message_belongs_to_its_last_owner_under_every_schedule(first):
    for seed in range(first, first + 25):
        wanted, shown, posts = run(seed)
        assert (seed, shown, posts) == (seed, wanted, 1)


def test_without_ownership_at_write_some_schedule_breaks_it():
    results = [run(seed, ("ownership_at_write",)) for seed in range(400)]
    broken = [wanted for wanted, shown, _ in results if wanted != shown]
    assert broken

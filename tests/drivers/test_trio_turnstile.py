"""TrioDriver gives the very run that StepDriver gives, one task at a time."""

from __future__ import annotations

import gc
import os
import signal
from typing import Any

import pytest
import trio
import trio.testing

from sim.core import op
from sim.core.actor import Actor
from sim.core.errors import LocalProtocolError, UsageError
from sim.core.op import Connection, Frame
from sim.core.trace import digest_of
from sim.drivers.step import StepDriver
from sim.drivers.trio_turnstile import TrioDriver
from sim.world import fault
from sim.world.world import World
from tests.drivers.worlds import LIFE_US, Text, random_world

pytestmark = pytest.mark.usefixtures("new_garbage_only")


@pytest.mark.parametrize("seed", range(150))
def test_both_virtual_drivers_give_one_digest(seed: int) -> None:
    stepped, turned = random_world(seed), random_world(seed)
    StepDriver(stepped).run(limit_us=LIFE_US)
    TrioDriver(turned).run(limit_us=LIFE_US)
    assert digest_of(turned.events) == digest_of(stepped.events)
    assert turned.now == stepped.now == LIFE_US


@pytest.mark.parametrize("seed", range(0, 150, 10))
def test_a_run_in_many_stretches_is_the_same_run(seed: int) -> None:
    whole, parts = random_world(seed), random_world(seed)
    StepDriver(whole).run(limit_us=LIFE_US)
    driver = TrioDriver(parts)
    driver.run(lambda: parts.now > 300_000)
    for limit in range(500_000, LIFE_US, 500_000):
        driver.run(limit_us=limit)
    driver.run(limit_us=LIFE_US)
    assert digest_of(parts.events) == digest_of(whole.events)


def test_a_run_embedded_in_a_trio_of_ones_own_is_the_same_run() -> None:
    stepped, turned = random_world(3), random_world(3)
    StepDriver(stepped).run(limit_us=LIFE_US)

    async def main() -> float:
        driver = TrioDriver(turned)
        began = trio.current_time()
        async with driver.opened():
            await driver.run_async(limit_us=LIFE_US // 2)
            await trio.sleep(7)
            await driver.run_async(limit_us=LIFE_US)
        return trio.current_time() - began

    passed = trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    assert digest_of(turned.events) == digest_of(stepped.events)
    assert passed >= 7 + LIFE_US / 2_000_000


def test_the_random_worlds_do_everything_that_a_driver_must_order() -> None:
    seen = set()
    for seed in range(60):
        world = random_world(seed)
        StepDriver(world).run(limit_us=LIFE_US)
        seen |= {type(event).__name__ for event in world.events}
    assert seen >= {
        "HostCrashed", "ConnectionClosed", "FrameLost", "CallAnswered", "CallLost",
        "TimerFired", "Saved", "Noted", "FaultInjected", "ConnectionRefused",
    }  # fmt: skip


class Sleeper(Actor):
    """Waits for ever in a handler, and in two more."""

    __slots__ = ()

    async def on_start(self) -> None:
        await self.perform(op.Spawn("one", self.doze()))
        await self.perform(op.Spawn("two", self.doze()))
        await self.doze()

    async def doze(self) -> None:
        await self.perform(op.Sleep(10_000_000))
        await self.perform(op.Note("woke"))


def test_each_handler_has_its_own_task_and_a_crash_drops_it() -> None:
    world = World()
    world.add_host("D", "desktop", Sleeper)
    world.boot("D")
    counts: list[int] = []

    def count() -> None:
        counts.append(trio.lowlevel.current_statistics().tasks_living)

    world.at(1_000, "count", count)
    world.at(2_000, "crash", lambda: fault.crash(world, "D"))
    world.at(3_000, "count again", count)
    TrioDriver(world).run()
    assert counts[0] - counts[1] == 3


def test_a_handler_that_raises_ends_the_run_with_its_own_exception() -> None:
    class Clumsy(Actor):
        async def on_start(self) -> None:
            await self.perform(op.Sleep(5))
            raise LocalProtocolError("stumbled")

    world = World()
    world.add_host("D", "desktop", Clumsy)
    world.add_host("E", "desktop", Sleeper)
    world.boot("E")
    world.boot("D")
    with pytest.raises(LocalProtocolError, match="stumbled") as caught:
        TrioDriver(world).run()
    assert caught.value.__notes__ == ["in D/on_start at step 2"]
    assert [type(event).__name__ for event in world.events] == ["HostStarted", "HostStarted"]


def test_an_exception_of_the_stop_condition_comes_out_as_it_is() -> None:
    world = World()
    world.add_host("D", "desktop", Sleeper)
    world.boot("D")

    def until() -> bool:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        TrioDriver(world).run(until)


def test_ctrl_c_ends_a_run_that_would_go_on_for_ever() -> None:
    class Restless(Actor):
        async def on_start(self) -> None:
            for turn in range(1_000_000_000):
                await self.perform(op.Sleep(1))
                if turn == 50:
                    os.kill(os.getpid(), signal.SIGINT)

    world = World()
    world.add_host("D", "desktop", Restless)
    world.boot("D")
    with pytest.raises(KeyboardInterrupt):
        TrioDriver(world).run()


def test_virtual_time_is_trios_time_for_whoever_else_runs_there() -> None:
    world = random_world(1)
    seen: list[tuple[int, int]] = []

    async def beside() -> None:
        while True:
            await trio.sleep(0.25)
            seen.append((round(trio.current_time() * 1_000_000), world.now))

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(beside)
            await TrioDriver(world).run_async(limit_us=LIFE_US)
            nursery.cancel_scope.cancel()

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    began = seen[0][0] - 250_000
    assert len(seen) >= 11
    assert all(0 <= mine - began - theirs <= 250_000 for mine, theirs in seen)


def test_a_nudge_makes_a_sleeping_driver_look_at_a_new_plan() -> None:
    class Listener(Actor):
        async def on_act(self, act: Any) -> None:
            await self.perform(op.Note("heard", act))

    world = World()
    world.add_host("D", "desktop", Listener)
    world.boot("D")

    async def main() -> None:
        driver = TrioDriver(world)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lambda: driver.run_async(limit_us=10_000_000))
            await trio.sleep(1)
            world.at(2_000_000, "say", lambda: world.act("D", "hello"))
            driver.nudge()

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    assert [event.at for event in world.events] == [0, 2_000_000, 2_000_000]


def test_a_cancelled_run_stops_and_can_go_on_later() -> None:
    whole, parts = random_world(4), random_world(4)
    StepDriver(whole).run(limit_us=LIFE_US)
    driver = TrioDriver(parts)

    async def main() -> None:
        with trio.move_on_after(0.5):
            await driver.run_async(limit_us=LIFE_US)

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    assert 0 < len(parts.events) < len(whole.events)
    driver.run(limit_us=LIFE_US)
    assert digest_of(parts.events) == digest_of(whole.events)


def test_one_driver_is_not_opened_twice() -> None:
    async def main() -> None:
        driver = TrioDriver(World())
        async with driver.opened():
            with pytest.raises(UsageError, match="open already"):
                async with driver.opened():
                    pass

    trio.run(main)


def test_at_most_one_handler_is_runnable_at_any_time() -> None:
    runnable: dict[trio.lowlevel.Task, None] = {}
    most: list[int] = []

    class Watch(trio.abc.Instrument):
        def task_scheduled(self, task: trio.lowlevel.Task) -> None:
            if task.name.startswith("<S/"):
                runnable[task] = None
                most.append(len(runnable))

        def before_task_step(self, task: trio.lowlevel.Task) -> None:
            runnable.pop(task, None)

    class Burst(Actor):
        async def on_frame(self, conn: Connection, frame: Frame) -> None:
            await self.perform(op.Sleep(0))
            await self.perform(op.Sleep(100))

    class Caller(Actor):
        async def on_start(self) -> None:
            conn = await self.perform(op.Dial("S", "lane"))
            for number in range(20):
                await self.perform(op.Send(conn, Text("burst", number)))

    world = World()
    world.add_host("S", "server", Burst)
    world.add_host("D", "desktop", Caller)
    world.latencies["D", "S"] = (1_000, 1_000)
    world.boot("S")
    world.boot("D")

    async def main() -> None:
        await TrioDriver(world).run_async()

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0), instruments=[Watch()])
    assert len(most) > 40
    assert max(most) == 1
    gc.collect()  # a coroutine that nobody awaited would warn here

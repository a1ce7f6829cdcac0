"""The three drivers are one thing to whoever uses them."""

from __future__ import annotations

import pytest

from sim.core import op
from sim.core.actor import Actor
from sim.core.fence import fenced
from sim.core.trace import digest_of
from sim.drivers.driver import Driver
from sim.drivers.live import LiveDriver
from sim.drivers.step import StepDriver
from sim.drivers.trio_turnstile import TrioDriver
from sim.world.world import World
from tests.drivers.test_live import CountingCodec
from tests.drivers.worlds import random_world

NAMES = ("step", "trio", "live")


def driver_of(name: str, world: World) -> Driver:
    drivers: dict[str, Driver] = {
        "step": StepDriver(world),
        "live": LiveDriver(world, CountingCodec(), 1000.0),
    }
    return drivers.get(name) or TrioDriver(world)


class Ticker(Actor):
    """Notes every 100 ms; stumbles at the sixth time."""

    __slots__ = ()

    async def on_start(self) -> None:
        for number in range(5):
            await self.perform(op.Sleep(100_000))
            await self.perform(op.Note("tick", number))
        raise ZeroDivisionError


def ticking() -> World:
    world = World()
    world.add_host("D", "desktop", Ticker)
    world.boot("D")
    return world


@pytest.mark.parametrize("name", NAMES)
def test_a_run_ends_at_its_limit_and_goes_on_from_there(name: str) -> None:
    world = ticking()
    driver = driver_of(name, world)
    driver.run(limit_us=250_000)
    assert (world.now, len(world.events)) == (250_000, 3)
    driver.run(limit_us=350_000)
    assert (world.now, len(world.events)) == (350_000, 4)
    assert driver.world is world


@pytest.mark.parametrize("name", NAMES)
def test_a_run_ends_when_its_goal_is_reached(name: str) -> None:
    world = ticking()
    driver_of(name, world).run(lambda: len(world.events) == 3, limit_us=10_000_000)
    assert world.now == 200_000


@pytest.mark.parametrize("name", NAMES)
def test_a_run_without_limit_ends_when_nothing_is_left(name: str) -> None:
    class Short(Actor):
        async def on_start(self) -> None:
            await self.perform(op.Sleep(70_000))

    world = World()
    world.add_host("D", "desktop", Short)
    world.boot("D")
    driver_of(name, world).run()
    assert world.now == 70_000


@pytest.mark.parametrize("name", NAMES)
def test_an_exception_leaves_the_trace_as_far_as_the_run_came(name: str) -> None:
    world = ticking()
    with pytest.raises(ZeroDivisionError) as caught:
        driver_of(name, world).run()
    assert caught.value.__notes__ == ["in D/on_start at step 6"]
    assert [event.at for event in world.events][1:] == [100_000 * n for n in range(1, 6)]
    assert digest_of(world.events)


@pytest.mark.parametrize("name", ["step", "trio"])
def test_the_strict_fence_does_not_disturb_a_virtual_run(name: str) -> None:
    plain, strict = random_world(7), random_world(7)
    driver_of(name, plain).run(limit_us=400_000)
    with fenced(strict=True):
        driver_of(name, strict).run(limit_us=400_000)
    assert digest_of(strict.events) == digest_of(plain.events)

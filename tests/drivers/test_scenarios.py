"""Every shipped scenario is the same run on all three drivers."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim import play
from sim.core.event import Event
from sim.core.trace import first_difference
from sim.drivers.codec import JsonCodec
from sim.drivers.driver import Driver
from sim.drivers.live import LiveDriver
from sim.drivers.step import StepDriver
from sim.drivers.trio_turnstile import TrioDriver
from sim.protocols.hook.parse import parse_hook_message
from sim.world.world import World

SCENARIOS = sorted((Path(__file__).parents[2] / "scenarios" / "hook").glob("*.mmd"))
SPEED = 2000.0


def driver_of(name: str, world: World) -> Driver:
    if name == "live":
        return LiveDriver(world, JsonCodec(parse_hook_message), SPEED)
    return TrioDriver(world) if name == "trio" else StepDriver(world)


def events_of(path: Path, driver: str) -> list[Event]:
    run = play.open_run(play.load(path))
    driver_of(driver, run.world).run(run.over, limit_us=600_000_000)
    run.world.close()
    return run.world.events


@pytest.mark.parametrize("driver", ["trio", "live"])
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_a_scenario_is_the_same_run_as_on_the_step_driver(path: Path, driver: str) -> None:
    stepped, other = events_of(path, "step"), events_of(path, driver)
    place = first_difference(stepped, other)
    assert place is None, f"{stepped[place : place + 1]} but {other[place : place + 1]}"
    assert len(stepped) > 10

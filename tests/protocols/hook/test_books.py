"""Whenever no handler is on its way, a twin's memory, its indexes, timers and store agree."""

from __future__ import annotations

from typing import Any

import pytest

from sim.cli.proving.lane_storm import LaneStorm
from sim.cli.proving.mutants import WEATHERS
from sim.cli.proving.storm import Storm
from sim.drivers.step import StepDriver
from sim.play import load, open_run
from sim.protocols.hook.server import Server
from sim.scenario.load import shipped_folder, shipped_scenarios
from sim.world import fault
from sim.world.world import World
from tests.protocols.hook import desktop_books, server_books
from tests.protocols.hook.server_books import idle_server, settled_rows

NAMES = sorted(shipped_scenarios(shipped_folder() / "hook"))
EVERY = 4
"""Each so manieth step of a scenario is looked at."""
MINUTE_US = 60_000_000


def settled(world: World) -> dict[str, Any]:
    """By server twin: what is over and written."""
    actors = {name: host.actor for name, host in world.hosts.items()}
    return {n: settled_rows(actor) for n, actor in actors.items() if isinstance(actor, Server)}


def audit(world: World) -> list[str]:
    """What does not balance in the twins' books that are at rest now."""
    servers = [name for name, host in world.hosts.items() if host.kind == "server"]
    idle = [server for name in servers if (server := idle_server(world, name)) is not None]
    found = [sentence for server in idle for sentence in server_books.imbalances(server)]
    for host in desktop_books.idle_desktops(world):
        found += desktop_books.imbalances(host)
    return found


class Audited(Storm):
    """A storm whose twins' books are looked at before everything that happens to them."""

    def __init__(self, seed: int, **more: Any) -> None:
        self.found: list[str] = []
        weather = WEATHERS[seed % len(WEATHERS)]
        super().__init__(seed, weather=weather, restore=seed % 5 == 0, **more)

    def _act(self) -> None:
        self.found += audit(self.world)
        super()._act()

    def _finish(self) -> None:
        self.found += audit(self.world)
        super()._finish()


class AuditedLanes(Audited, LaneStorm):
    """The same with three channels."""


@pytest.mark.parametrize("name", NAMES)
def test_the_books_balance_all_through_a_scenario(name: str) -> None:
    run = open_run(load(name))
    found: list[str] = []
    steps = 0

    def over() -> bool:
        nonlocal steps
        steps += 1
        if steps % EVERY == 0:
            found.extend(audit(run.world))
        return bool(found) or run.over()

    StepDriver(run.world).run(over)
    found.extend(audit(run.world))
    run.world.close()
    assert found == []


@pytest.mark.parametrize("name", NAMES)
def test_a_crash_behind_a_scenario_loses_nothing_that_was_settled(name: str) -> None:
    run = open_run(load(name))
    world, driver = run.world, StepDriver(run.world)
    driver.run(run.over)
    before = settled(world)
    for server in before:
        fault.crash(world, server)
        fault.restart(world, server)
    driver.run(limit_us=world.now + MINUTE_US)
    found, after = audit(world), settled(world)
    world.close()
    for server, rows in before.items():
        assert {key: after[server].get(key) for key in rows} == rows
    assert found == []


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", [Audited, AuditedLanes])
def test_the_books_balance_all_through_a_storm(kind: type[Audited], seed: int) -> None:
    storm = kind(seed, preempt=seed % 4 == 3)
    storm.run()
    assert storm.found == []

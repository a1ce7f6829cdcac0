"""What a run leaves behind for the bounded search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sim.explore.schedule import open_schedule
from sim.explore.track import REACH_US, Happening, Track
from sim.explore.trial import plain
from sim.scenario.playing.stage import Stage
from sim.scenario.playing.strikes import Striker
from sim.scenario.syntax import Scenario
from sim.world.helm import Helm
from sim.world.world import World
from tests.explore.cases import case


class Counted(list[Happening]):
    """Counts what is looked at by its number."""

    looked = 0

    def __getitem__(self, number: Any) -> Any:
        self.looked += 1
        return super().__getitem__(number)


def tracks() -> Iterator[Track]:
    """One that is still empty."""
    made: list[Track] = []

    def steer(_: Scenario, world: World, stage: Stage) -> Helm:
        helm = Helm(world, Striker(world, stage))
        made.append(Track(helm))
        return helm

    run = open_schedule(case("typical"), plain(case("typical")), steer)
    yield made[0]
    run.world.close()


def test_only_what_is_near_in_time_is_compared_for_races() -> None:
    """Of a run of days each heartbeat was once compared with all before it: for minutes."""
    for track in tracks():
        ats = [n * (REACH_US // 2) for n in range(400)]
        track.happened = near = Counted(Happening(str(at), at, -1, "", {"S": None}) for at in ats)
        races = list(track.races())
        assert set(races) == {(i, j) for j in range(400) for i in range(max(0, j - 2), j)}
        assert near.looked < 4 * 400

"""Scenarios marked ``@live``, over loopback at 20 times real time: each lane as simulated."""

from __future__ import annotations

import pytest

from sim import play
from sim.core.event import Event, FrameDelivered, FrameLost, FrameSent
from sim.scenario.load import shipped_scenarios

SPEED = 20.0
LIVE = sorted(
    name
    for name, (path, *_) in shipped_scenarios().items()
    if "@live" in path.read_text(encoding="utf-8")
)


def lanes(events: list[Event] | tuple[Event, ...]) -> dict[str, list[tuple[str, ...]]]:
    """What happened on each lifeline of the diagram, in its own order."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for event in events:
        if isinstance(event, FrameSent):
            found.setdefault(event.sender, []).append(("sent", event.link, event.frame.type))
        elif isinstance(event, FrameDelivered):
            found.setdefault(event.receiver, []).append(("got", event.link, event.type))
        elif isinstance(event, FrameLost):
            found.setdefault(event.receiver, []).append(("lost", event.link, event.type))
    return found


def test_some_scenarios_are_marked() -> None:
    assert len(LIVE) >= 6


@pytest.mark.parametrize("name", LIVE)
def test_a_live_scenario_holds_and_each_lane_has_the_simulated_order(name: str) -> None:
    simulated = play.play(name, driver="step")
    real = play.play(name, driver="live", speed=SPEED)
    assert real.ok, real
    assert lanes(list(real.trace.events)) == lanes(list(simulated.trace.events))
